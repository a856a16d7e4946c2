// What OffsetCommit and TxnOffsetCommit ask of their topics: names for ids, and an answer for each
// partition that does not exist.
#pragma once

#include "minibroker/handlers/authorization.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::handlers {

// From this version on OffsetCommit and OffsetFetch give topics by id: names do not travel.
constexpr std::int16_t offset_topic_ids_version_min = 10;

// Answers every partition with that error. The lists are those of OffsetCommit or TxnOffsetCommit.
template <class Topics, class Answers>
void refuse_all(const Topics& topics, protocol::ErrorCode error, Answers& answers) {
  for (const auto& topic : topics) {
    auto& answered = answers.emplace_back();
    answered.name = topic.name;
    answered.topic_id = topic.topic_id;
    for (const auto& partition : topic.partitions)
      answered.partitions.push_back({partition.partition_index, error, {}});
  }
}

// Moves every partition that does not exist, or whose topic the client may not read, out of
// `request` and into `refused`. A request that names topics by id (`has_topic_ids`) gets their
// names.
template <class Request, class Response>
void refuse_bad_topics(const Turn& turn, const RequestContext& context, bool has_topic_ids,
                       Request& request, Response& refused) {
  const ControllerView& controller = turn.controller;
  auto topics = std::exchange(request.topics, {});
  for (auto& topic : topics) {
    const TopicImage* image =
        has_topic_ids ? controller.find_topic(topic.topic_id) : controller.find_topic(topic.name);
    if (image != nullptr) topic.name = image->name;
    const bool is_named = image != nullptr || !has_topic_ids;
    const bool is_denied = is_named && !allows_topic(turn, context, Operation::read, topic.name);
    auto partitions = std::exchange(topic.partitions, {});
    typename std::remove_reference_t<decltype(refused.topics)>::value_type answered{};
    answered.name = topic.name;
    answered.topic_id = topic.topic_id;
    for (auto& partition : partitions) {
      const auto index = static_cast<std::size_t>(partition.partition_index);
      const bool exists =
          image != nullptr && partition.partition_index >= 0 && index < image->partitions.size();
      if (exists && !is_denied) {
        topic.partitions.push_back(std::move(partition));
        continue;
      }
      auto& answer = answered.partitions.emplace_back();
      answer.partition_index = partition.partition_index;
      answer.error_code = is_denied   ? protocol::ErrorCode::topic_authorization_failed
                          : !is_named ? protocol::ErrorCode::unknown_topic_id
                                      : protocol::ErrorCode::unknown_topic_or_partition;
    }
    if (!topic.partitions.empty()) request.topics.push_back(std::move(topic));
    if (!answered.partitions.empty()) refused.topics.push_back(std::move(answered));
  }
}

}  // namespace fencepost::minibroker::handlers
