// DeleteGroups: groups without members go, with all their offsets. While the tombstones are on
// their way the group is Dead.
#include <set>

#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"
#include "minibroker/group/replay.h"

namespace fencepost::minibroker {

using protocol::DeleteGroupsRequest;
using protocol::DeleteGroupsResponse;
using protocol::ErrorCode;
using protocol::NewRecord;

namespace {

ErrorCode check_deletable(const Group* group) {
  if (group == nullptr) return ErrorCode::group_id_not_found;
  if (group->consumer.has_value() && !group->consumer->is_empty())
    return ErrorCode::non_empty_group;
  switch (group->classic.state()) {
    case ClassicGroupState::dead:
      return ErrorCode::group_id_not_found;
    case ClassicGroupState::empty:
      return ErrorCode::none;
    case ClassicGroupState::preparing_rebalance:
    case ClassicGroupState::completing_rebalance:
    case ClassicGroupState::stable:
      return ErrorCode::non_empty_group;
  }
  return ErrorCode::none;
}

void add_offset_tombstones(std::vector<NewRecord>& records, const Group& group, Instant now) {
  const std::string& group_id = group.classic.group_id();
  std::set<TopicPartition> partitions;
  for (const auto& [partition, offset] : group.offsets.committed()) partitions.insert(partition);
  for (const auto& [producer_id, staged] : group.offsets.pending())
    for (const auto& [partition, offset] : staged) partitions.insert(partition);
  for (const TopicPartition& it : partitions)
    records.push_back(offset_tombstone(group_id, it, now));
}

}  // namespace

void GroupCoordinator::delete_groups(const RequestContext& context,
                                     const DeleteGroupsRequest& request,
                                     DeleteGroupsResponse refused, Instant now) {
  const std::uint64_t deletion_id = ++last_id_;
  PendingDeletion& deletion = pending_deletions_[deletion_id];
  deletion.request = context;
  deletion.answer = std::move(refused);
  std::map<std::int32_t, std::vector<std::string>> by_partition;
  std::set<std::string> answered;
  for (const std::string& group_id : request.groups_names) {
    if (!answered.insert(group_id).second) continue;
    auto& result = deletion.answer.results.emplace_back();
    result.group_id = group_id;
    result.error_code = availability(group_id);
    Group* group = find_group(group_id);
    if (result.error_code == ErrorCode::none) result.error_code = check_deletable(group);
    if (result.error_code != ErrorCode::none) continue;
    group->classic.transition_to(ClassicGroupState::dead, now);
    by_partition[partition_of(group_id)].push_back(group_id);
  }
  deletion.writes_left = by_partition.size();
  for (auto& [partition, group_ids] : by_partition) {
    std::vector<NewRecord> tombstones;
    for (const std::string& it : group_ids) {
      const Group& group = *find_group(it);
      add_offset_tombstones(tombstones, group, now);
      add_group_tombstones(tombstones, group, now);
    }
    write({partition, "", GroupsDeleted{deletion_id, std::move(group_ids)}}, std::move(tombstones));
  }
  if (by_partition.empty()) answer_deletion(deletion_id);
}

void GroupCoordinator::finish(const PendingWrite& pending, GroupsDeleted& reason,
                              const Outcome& outcome, Instant now) {
  PendingDeletion& deletion = pending_deletions_.at(reason.deletion_id);
  const auto shard = shards_.find(pending.partition);
  for (const std::string& group_id : reason.group_ids) {
    if (Group* group = find_group(group_id)) {
      if (outcome.error == ErrorCode::none) {
        shard->second.groups.erase(group_id);
      } else {
        group->classic.transition_to(ClassicGroupState::empty, now);
      }
    }
    for (auto& result : deletion.answer.results)
      if (result.group_id == group_id && result.error_code == ErrorCode::none)
        result.error_code = group_write_error(outcome.error);
  }
  if (--deletion.writes_left == 0) answer_deletion(reason.deletion_id);
}

void GroupCoordinator::answer_deletion(std::uint64_t deletion_id) {
  const auto found = pending_deletions_.find(deletion_id);
  reply(found->second.request, found->second.answer);
  pending_deletions_.erase(found);
}

}  // namespace fencepost::minibroker
