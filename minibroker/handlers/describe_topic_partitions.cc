// DescribeTopicPartitions (KIP-966): topics by name, some partitions at a time; the cursor says
// where the next answer goes on.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/described_partition.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Topic = DescribeTopicPartitionsResponse::DescribeTopicPartitionsResponseTopic;

// max.request.partition.size.limit
constexpr std::int32_t partitions_max = 2000;

Topic describe(const ControllerView& controller, const TopicImage& image, std::size_t first,
               std::size_t end) {
  Topic topic;
  topic.name = image.name;
  topic.topic_id = image.id;
  topic.is_internal = image.is_internal();
  for (std::size_t i = first; i < end; ++i) {
    auto& described = topic.partitions.emplace_back();
    describe_partition(described, i, image.partitions[i], controller);
    described.eligible_leader_replicas = std::vector<std::int32_t>{};
    described.last_known_elr = std::vector<std::int32_t>{};
  }
  return topic;
}

Topic refuse(const std::string& name, ErrorCode error) {
  Topic topic;
  topic.error_code = error;
  topic.name = name;
  return topic;
}

std::vector<std::string> names_of(const Turn& turn, const DescribeTopicPartitionsRequest& request) {
  std::vector<std::string> names;
  for (const auto& topic : request.topics) names.push_back(topic.name);
  if (names.empty())
    for (const auto& [name, topic] : turn.controller.topics()) names.push_back(name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (request.cursor)
    std::erase_if(names,
                  [&](const std::string& name) { return name < request.cursor->topic_name; });
  return names;
}

bool is_good_cursor(const DescribeTopicPartitionsRequest& request,
                    const std::vector<std::string>& names) {
  if (!request.cursor) return true;
  return request.cursor->partition_index >= 0 && !names.empty() &&
         (names.front() == request.cursor->topic_name || request.topics.empty());
}

}  // namespace

void describe_topic_partitions(Broker& broker, Turn& turn, const RequestContext& context,
                               const DescribeTopicPartitionsRequest& request) {
  DescribeTopicPartitionsResponse response;
  response.next_cursor = std::nullopt;
  std::vector<std::string> names = names_of(turn, request);
  if (!is_good_cursor(request, names)) {
    for (const auto& topic : request.topics)
      response.topics.push_back(refuse(topic.name, ErrorCode::invalid_request));
    return broker.reply(context, response);
  }
  // Who asks for all topics is not told of those that he may not describe.
  std::vector<Topic> denied;
  std::erase_if(names, [&](const std::string& name) {
    if (allows_topic(turn, context, Operation::describe, name)) return false;
    if (!request.topics.empty())
      denied.push_back(refuse(name, ErrorCode::topic_authorization_failed));
    return true;
  });
  std::vector<Topic> refused;
  auto left = static_cast<std::size_t>(
      std::clamp(request.response_partition_limit, std::int32_t{1}, partitions_max));
  for (const std::string& name : names) {
    const TopicImage* image = turn.controller.find_topic(name);
    if (image == nullptr) {
      refused.push_back(refuse(name, topic_name_problem(name)
                                         ? ErrorCode::invalid_topic_exception
                                         : ErrorCode::unknown_topic_or_partition));
      continue;
    }
    const bool is_continued = request.cursor && request.cursor->topic_name == name;
    const auto first = std::min(
        is_continued ? static_cast<std::size_t>(request.cursor->partition_index) : std::size_t{0},
        image->partitions.size());
    const std::size_t end = std::min(first + left, image->partitions.size());
    const bool is_cut = end < image->partitions.size();
    if (end > first || !is_cut)
      response.topics.push_back(describe(turn.controller, *image, first, end));
    left -= end - first;
    if (is_cut) {
      response.next_cursor.emplace();
      response.next_cursor->topic_name = name;
      response.next_cursor->partition_index = static_cast<std::int32_t>(end);
      break;
    }
  }
  std::ranges::move(refused, std::back_inserter(response.topics));
  for (Topic& topic : response.topics)
    topic.topic_authorized_operations =
        allowed_operations(turn, context, ResourceType::topic, *topic.name);
  std::ranges::move(denied, std::back_inserter(response.topics));
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
