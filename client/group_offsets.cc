// The offsets of a group member: commit and fetch, and the three shapes of OffsetFetch.
#include <algorithm>

#include "client/group_member.h"

namespace fencepost::client {

namespace {

using protocol::ApiKey;

constexpr int offset_commit_before_topic_ids = 9;
constexpr int offset_fetch_before_groups = 7;
constexpr int offset_fetch_before_topic_ids = 9;

// The entry of that topic, appended if there is none yet.
template <class Topics>
auto& entry_of(Topics& topics, const std::string& name) {
  const auto found = std::find_if(topics.begin(), topics.end(),
                                  [&name](const auto& topic) { return topic.name == name; });
  if (found != topics.end()) return *found;
  auto& topic = topics.emplace_back();
  topic.name = name;
  return topic;
}

int limit_version(std::optional<int> cap, int limit) {
  return cap.has_value() ? std::min(*cap, limit) : limit;
}

// Appends the partitions of one topic.
template <class Partitions>
void append_offsets(const std::string& topic, const Partitions& partitions,
                    std::vector<FetchedOffset>* offsets) {
  for (const auto& it : partitions) {
    FetchedOffset offset;
    offset.partition.topic = topic;
    offset.partition.partition = it.partition_index;
    offset.error_code = it.error_code;
    offset.offset = it.committed_offset;
    offset.leader_epoch = it.committed_leader_epoch;
    offset.metadata = it.metadata.value_or(std::string());
    offsets->push_back(std::move(offset));
  }
}

}  // namespace

Task<protocol::OffsetCommitResponse> GroupMember::offset_commit(
    std::vector<CommittedOffset> offsets, MemberOverrides overrides) {
  const GroupMetadata shown = metadata(overrides);
  CallOptions options = overrides.call;
  protocol::OffsetCommitRequest request;
  request.group_id = shown.group_id;
  request.generation_id_or_member_epoch = shown.generation;
  request.member_id = shown.member_id;
  request.group_instance_id = shown.group_instance_id;
  for (const CommittedOffset& it : offsets) {
    auto& topic = entry_of(request.topics, it.partition.topic);
    topic.topic_id = cluster_->topic_id(it.partition.topic);
    if (topic.topic_id.is_zero())
      options.version_max = limit_version(options.version_max, offset_commit_before_topic_ids);
    auto& partition = topic.partitions.emplace_back();
    partition.partition_index = it.partition.partition;
    partition.committed_offset = it.offset;
    partition.committed_leader_epoch = it.leader_epoch;
    partition.committed_metadata = it.metadata;
  }
  Result<protocol::OffsetCommitResponse> response = co_await cluster_->call_coordinator(
      CoordinatorType::group, options_.group_id, std::move(request), options);
  if (response.ok())
    for (auto& topic : response->topics)
      if (topic.name.empty()) topic.name = cluster_->topic_name(topic.topic_id);
  co_return response;
}

Task<protocol::OffsetFetchResponse> GroupMember::offset_fetch(
    std::vector<TopicPartition> partitions, bool require_stable, MemberOverrides overrides) {
  CallOptions options = overrides.call;
  for (const TopicPartition& it : partitions)
    if (cluster_->topic_id(it.topic).is_zero())
      options.version_max = limit_version(options.version_max, offset_fetch_before_topic_ids);
  Result<std::shared_ptr<Connection>> coordinator =
      co_await cluster_->coordinator_of(CoordinatorType::group, options_.group_id, options);
  if (!coordinator) co_return coordinator.error();
  Result<int> version =
      coordinator.value()->choose_version(ApiKey::offset_fetch, options.version_max);
  if (!version) co_return version.error();
  protocol::OffsetFetchRequest request;
  request.require_stable = require_stable;
  if (version.value() <= offset_fetch_before_groups) {
    request.group_id = options_.group_id;
    for (const TopicPartition& it : partitions)
      entry_of(*request.topics, it.topic).partition_indexes.push_back(it.partition);
  } else {
    auto& group = request.groups.emplace_back();
    group.group_id = options_.group_id;
    for (const TopicPartition& it : partitions) {
      auto& topic = entry_of(*group.topics, it.topic);
      topic.topic_id = cluster_->topic_id(it.topic);
      topic.partition_indexes.push_back(it.partition);
    }
  }
  Result<protocol::OffsetFetchResponse> response =
      co_await coordinator.value()->call_exactly(std::move(request), version.value(), options);
  if (response.ok())
    for (auto& group : response->groups)
      for (auto& topic : group.topics)
        if (topic.name.empty()) topic.name = cluster_->topic_name(topic.topic_id);
  co_return response;
}

std::vector<FetchedOffset> fetched_offsets(const protocol::OffsetFetchResponse& response) {
  std::vector<FetchedOffset> offsets;
  for (const auto& topic : response.topics) append_offsets(topic.name, topic.partitions, &offsets);
  for (const auto& group : response.groups)
    for (const auto& topic : group.topics) append_offsets(topic.name, topic.partitions, &offsets);
  return offsets;
}

}  // namespace fencepost::client
