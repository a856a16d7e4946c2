// OffsetFetch: what is committed. With requireStable a partition that an open transaction has an
// offset for is answered UNSTABLE_OFFSET_COMMIT. An unknown group is no error: offset -1.
#include <algorithm>

#include "minibroker/group/coordinator.h"
#include "minibroker/group/offset_answers.h"
#include "minibroker/group/offset_checks.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;
using RequestGroup = OffsetFetchRequest::OffsetFetchRequestGroup;
using RequestTopics = OffsetFetchRequest::OffsetFetchRequestTopics;
using ResponseGroup = OffsetFetchResponse::OffsetFetchResponseGroup;
using ResponsePartitions = OffsetFetchResponse::OffsetFetchResponsePartitions;
using ResponseTopics = OffsetFetchResponse::OffsetFetchResponseTopics;

namespace {

constexpr int first_version_with_error_code = 2;
constexpr int first_version_with_groups = 8;
constexpr int first_version_with_topic_ids = 10;

// The groups of a request of any version.
std::vector<RequestGroup> groups_of(const OffsetFetchRequest& request, int api_version) {
  if (api_version >= first_version_with_groups) return request.groups;
  RequestGroup group;
  group.group_id = request.group_id;
  group.topics.reset();
  if (request.topics.has_value()) {
    group.topics.emplace();
    for (const OffsetFetchRequest::OffsetFetchRequestTopic& it : *request.topics)
      group.topics->push_back({it.name, {}, it.partition_indexes, {}});
  }
  return {std::move(group)};
}

ResponsePartitions nothing_committed(std::int32_t partition_index, ErrorCode error) {
  ResponsePartitions answer;
  answer.partition_index = partition_index;
  answer.committed_offset = -1;
  answer.error_code = error;
  return answer;
}

ResponsePartitions committed(std::int32_t partition_index, const StoredOffset& offset) {
  ResponsePartitions answer;
  answer.partition_index = partition_index;
  answer.committed_offset = offset.offset;
  answer.committed_leader_epoch = offset.leader_epoch;
  answer.metadata = offset.metadata;
  return answer;
}

// A topic that was deleted and created again has another id: its old offsets do not count.
bool is_of_another_topic(const Uuid& stored, const Uuid& asked) {
  return !stored.is_zero() && !asked.is_zero() && stored != asked;
}

// Adds the one group's answer in the shape of the versions before groups.
void add_as_topics(OffsetFetchResponse& response, const ResponseGroup& group,
                   const RequestGroup& asked, int api_version) {
  if (group.error_code != ErrorCode::none && api_version < first_version_with_error_code) {
    // No field for the error of the group: each partition has it.
    for (const RequestTopics& topic : asked.topics.value_or(std::vector<RequestTopics>{})) {
      auto& answer = response.topics.emplace_back();
      answer.name = topic.name;
      for (std::int32_t index : topic.partition_indexes)
        answer.partitions.push_back({index, -1, -1, "", group.error_code, {}});
    }
    return;
  }
  response.error_code = group.error_code;
  for (const ResponseTopics& topic : group.topics) {
    const auto found = std::find_if(response.topics.begin(), response.topics.end(),
                                    [&](const auto& it) { return it.name == topic.name; });
    auto& answer = found != response.topics.end() ? *found : response.topics.emplace_back();
    answer.name = topic.name;
    for (const ResponsePartitions& it : topic.partitions)
      answer.partitions.push_back({it.partition_index,
                                   it.committed_offset,
                                   it.committed_leader_epoch,
                                   it.metadata,
                                   it.error_code,
                                   {}});
  }
}

// Adds what the coordinator says to what was answered for this group before it was asked.
void add_as_group(ResponseGroup& answer, ResponseGroup group) {
  answer.error_code = group.error_code;
  for (ResponseTopics& topic : group.topics) {
    const auto same = std::find_if(answer.topics.begin(), answer.topics.end(),
                                   [&](const auto& it) { return is_same_topic(it, topic); });
    if (same == answer.topics.end()) {
      answer.topics.push_back(std::move(topic));
    } else {
      same->partitions.insert(same->partitions.end(), topic.partitions.begin(),
                              topic.partitions.end());
    }
  }
}

}  // namespace

void GroupCoordinator::offset_fetch(const RequestContext& context,
                                    const OffsetFetchRequest& request, OffsetFetchResponse refused,
                                    const TopicIds& topic_ids) {
  WaitingFetch fetch{context, request, std::move(refused), topic_ids, {}};
  if (request.require_stable && era_.has_new_group_coordinator) {
    // What is on its way to the log is not stable yet: the new coordinator waits for it, the old
    // one answers UNSTABLE_OFFSET_COMMIT (is_unstable).
    std::set<std::int32_t> partitions;
    for (const RequestGroup& it : groups_of(request, context.api_version))
      partitions.insert(partition_of(it.group_id));
    for (const auto& [id, pending] : pending_writes_)
      if (partitions.count(pending.partition) > 0) fetch.write_ids.insert(id);
  }
  if (fetch.write_ids.empty()) return answer_fetch(std::move(fetch));
  waiting_fetches_.push_back(std::move(fetch));
}

void GroupCoordinator::answer_fetch(WaitingFetch fetch) {
  const int api_version = fetch.request.api_version;
  OffsetFetchResponse& response = fetch.refused;
  const TopicIds* topic_ids =
      api_version >= first_version_with_topic_ids ? &fetch.topic_ids : nullptr;
  const std::vector<RequestGroup> groups = groups_of(fetch.body, api_version);
  if (api_version >= first_version_with_groups) response.groups.resize(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool has_groups = api_version >= first_version_with_groups;
    if (has_groups && response.groups[i].error_code != ErrorCode::none) continue;
    ResponseGroup group = fetch_group(groups[i], fetch.body.require_stable, topic_ids);
    if (has_groups) {
      response.groups[i].group_id = group.group_id;
      add_as_group(response.groups[i], std::move(group));
    } else {
      add_as_topics(response, group, groups[i], api_version);
    }
  }
  reply(fetch.request, response);
}

ResponseGroup GroupCoordinator::fetch_group(const RequestGroup& asked, bool require_stable,
                                            const TopicIds* topic_ids) const {
  ResponseGroup answer;
  answer.group_id = asked.group_id;
  answer.error_code = availability(asked.group_id);
  if (era_.has(Defect::loading_group_knows_nothing) &&
      answer.error_code == ErrorCode::coordinator_load_in_progress)
    answer.error_code = ErrorCode::none;
  if (answer.error_code != ErrorCode::none) return answer;
  const Group* group = find_group(asked.group_id);
  if (group != nullptr && group->classic.is_in(ClassicGroupState::dead)) group = nullptr;

  if (group != nullptr && group->consumer.has_value())
    answer.error_code = check_fetcher(*group->consumer, asked.member_id, asked.member_epoch);
  if (answer.error_code != ErrorCode::none) return answer;

  const auto answer_for = [&](const std::string& topic, const Uuid& topic_id, std::int32_t index) {
    if (group == nullptr) return nothing_committed(index, ErrorCode::none);
    const TopicPartition partition{topic, index};
    if (require_stable && is_unstable(asked.group_id, *group, partition))
      return nothing_committed(index, ErrorCode::unstable_offset_commit);
    const StoredOffset* offset = group->offsets.find(partition);
    if (offset == nullptr || is_of_another_topic(offset->topic_id, topic_id))
      return nothing_committed(index, ErrorCode::none);
    return committed(index, *offset);
  };
  if (asked.topics.has_value()) {
    for (const RequestTopics& topic : *asked.topics) {
      ResponseTopics& topic_answer = answer.topics.emplace_back();
      topic_answer.name = topic.name;
      topic_answer.topic_id = topic.topic_id;
      for (std::int32_t index : topic.partition_indexes)
        topic_answer.partitions.push_back(answer_for(topic.name, topic.topic_id, index));
    }
    return answer;
  }
  if (group == nullptr) return answer;
  for (const auto& [partition, offset] : group->offsets.committed()) {
    Uuid topic_id;
    if (topic_ids != nullptr) {
      const auto known = topic_ids->find(partition.topic);
      if (known == topic_ids->end()) continue;
      topic_id = known->second;
    }
    if (answer.topics.empty() || answer.topics.back().name != partition.topic) {
      ResponseTopics& topic_answer = answer.topics.emplace_back();
      topic_answer.name = partition.topic;
      topic_answer.topic_id = topic_id;
    }
    answer.topics.back().partitions.push_back(
        answer_for(partition.topic, topic_id, partition.partition));
  }
  return answer;
}

bool GroupCoordinator::is_unstable(const std::string& group_id, const Group& group,
                                   const TopicPartition& partition) const {
  if (group.offsets.has_pending(partition)) return true;
  if (era_.has_new_group_coordinator) return false;
  const auto has_partition = [&](const std::vector<NewOffset>& offsets) {
    return std::any_of(offsets.begin(), offsets.end(),
                       [&](const NewOffset& it) { return it.partition == partition; });
  };
  return std::any_of(pending_writes_.begin(), pending_writes_.end(), [&](const auto& it) {
    const PendingWrite& pending = it.second;
    if (pending.group_id != group_id) return false;
    if (const auto* plain = std::get_if<OffsetsCommitted>(&pending.reason))
      return has_partition(plain->offsets);
    const auto* staged = std::get_if<OffsetsStaged>(&pending.reason);
    return staged != nullptr && has_partition(staged->offsets);
  });
}

}  // namespace fencepost::minibroker
