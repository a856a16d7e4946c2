// What happens when no request comes: sessions, member ids, rounds and offsets expire.
#include <algorithm>

#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/replay.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

namespace {

void take_earlier(std::optional<Instant>& earliest, const std::optional<Instant>& other) {
  if (other.has_value() && (!earliest.has_value() || *other < *earliest)) earliest = other;
}

bool is_due(const std::optional<Instant>& deadline, Instant now) {
  return deadline.has_value() && *deadline <= now;
}

std::optional<Instant> next_deadline_of(const ConsumerRuntime& runtime) {
  std::optional<Instant> earliest;
  if (runtime.regexes_to_resolve.has_value()) earliest = runtime.regexes_to_resolve->due;
  for (const auto& [member_id, timers] : runtime.timers)
    for (const std::optional<Instant>& it : timers.deadlines) take_earlier(earliest, it);
  return earliest;
}

std::optional<Instant> next_deadline_of(const Group& any_group) {
  if (any_group.consumer.has_value()) return next_deadline_of(any_group.runtime);
  const ClassicGroup& group = any_group.classic;
  std::optional<Instant> earliest;
  for (const ClassicMember& it : group.members()) take_earlier(earliest, it.session_deadline);
  for (const auto& [member_id, deadline] : group.pending_members) take_earlier(earliest, deadline);
  take_earlier(earliest, group.join_deadline);
  take_earlier(earliest, group.sync_deadline);
  return earliest;
}

}  // namespace

std::optional<Instant> GroupCoordinator::next_deadline() const {
  std::optional<Instant> earliest;
  for (const auto& [partition, shard] : shards_) {
    take_earlier(earliest, shard.next_expiration_check);
    for (const auto& [group_id, group] : shard.groups)
      take_earlier(earliest, next_deadline_of(group));
  }
  return earliest;
}

void GroupCoordinator::advance_to(Instant now) {
  for (auto due = next_deadline(); is_due(due, now); due = next_deadline()) {
    for (auto& [partition, shard] : shards_) {
      for (auto& [group_id, group] : shard.groups) expire(group, *due);
      if (is_due(shard.next_expiration_check, *due)) expire_offsets(partition, shard, *due);
    }
  }
}

void GroupCoordinator::expire(Group& group, Instant now) {
  if (group.consumer.has_value()) return expire_consumer_group(group, now);
  expire_members(group, now);
  if (is_due(group.classic.sync_deadline, now)) expire_sync(group, now);
  if (!is_due(group.classic.join_deadline, now)) return;
  if (group.classic.initial_delay_left.has_value()) {
    end_initial_delay(group, now);
  } else {
    complete_join(group, now);
  }
}

void GroupCoordinator::expire_members(Group& group, Instant now) {
  ClassicGroup& classic = group.classic;
  const std::size_t pending_before = classic.pending_members.size();
  std::erase_if(classic.pending_members, [&](const auto& it) { return it.second <= now; });
  if (classic.pending_members.size() != pending_before) maybe_complete_join(group, now);

  std::vector<std::string> expired;
  for (ClassicMember& it : classic.members()) {
    if (!is_due(it.session_deadline, now)) continue;
    it.session_deadline.reset();
    // Who waits for an answer cannot send heartbeats; the answer starts a new session. Only a
    // first join does not wait for ever: its client may be gone, and nobody would notice.
    const bool is_waiting = it.waiting_join.has_value() || it.waiting_sync.has_value();
    if (it.is_new || !is_waiting) expired.push_back(it.member_id);
  }
  for (const std::string& member_id : expired) {
    // The rebalance that an earlier one caused may have removed it.
    if (classic.find_member(member_id) == nullptr) continue;
    remove_member(group, member_id);
    if (!classic.is_in(ClassicGroupState::empty)) prepare_rebalance_or_complete_join(group, now);
  }
}

void GroupCoordinator::expire_sync(Group& group, Instant now) {
  ClassicGroup& classic = group.classic;
  classic.sync_deadline.reset();
  // A member that took its place in the round and never asked for its assignment.
  const std::set<std::string> missing = classic.pending_sync_members;
  if (missing.empty()) return;
  for (const std::string& member_id : missing)
    if (classic.find_member(member_id) != nullptr) remove_member(group, member_id);
  prepare_rebalance_or_complete_join(group, now);
}

bool GroupCoordinator::is_expired(const Group& any_group, const std::string& topic,
                                  const StoredOffset& offset, Instant now) const {
  const ClassicGroup& group = any_group.classic;
  const std::int64_t timestamp = to_timestamp(now);
  std::int64_t base = offset.commit_timestamp;
  if (any_group.consumer.has_value()) {
    if (any_group.consumer->is_subscribed_to(topic)) return false;
  } else if (group.protocol_type().has_value()) {
    if (group.is_in(ClassicGroupState::empty)) {
      if (group.state_since().has_value()) base = to_timestamp(*group.state_since());
    } else {
      const bool is_unread = group.speaks_consumer_protocol() && group.are_subscriptions_known() &&
                             group.is_in(ClassicGroupState::stable) &&
                             !group.is_subscribed_to(topic);
      if (!is_unread) return false;
    }
  }
  if (offset.expire_timestamp >= 0) return timestamp >= offset.expire_timestamp;
  return timestamp - base >= to_milliseconds(settings_.offsets_retention);
}

void GroupCoordinator::expire_offsets(std::int32_t partition, Shard& shard, Instant now) {
  shard.next_expiration_check.reset();
  if (!shard.groups.empty())
    shard.next_expiration_check = now + settings_.offsets_retention_check_interval;
  OffsetsExpired reason;
  std::vector<protocol::NewRecord> tombstones;
  for (const auto& [group_id, group] : shard.groups) {
    if (group.classic.is_in(ClassicGroupState::dead)) continue;
    std::size_t expired_count = 0;
    for (const auto& [at, offset] : group.offsets.committed()) {
      if (group.offsets.has_pending(at) || !is_expired(group, at.topic, offset, now)) continue;
      ++expired_count;
      reason.offsets[group_id].emplace(at, offset);
      tombstones.push_back(offset_tombstone(group_id, at, now));
    }
    // A group whose only offsets are those of an open transaction is not empty (KAFKA-19163).
    const bool has_pending =
        !group.offsets.pending().empty() && !era_.has(Defect::pending_offsets_expire);
    const bool keeps_offsets = expired_count < group.offsets.committed().size() || has_pending;
    if (keeps_offsets || !is_without_members(group) || has_write_in_flight(group_id)) continue;
    reason.group_ids.push_back(group_id);
    add_group_tombstones(tombstones, group, now);
  }
  if (!tombstones.empty()) write({partition, "", std::move(reason)}, std::move(tombstones));
}

void GroupCoordinator::finish(const PendingWrite& pending, OffsetsExpired& reason,
                              const Outcome& outcome, Instant) {
  const auto shard = shards_.find(pending.partition);
  if (outcome.error != ErrorCode::none || shard == shards_.end()) return;
  for (const auto& [group_id, offsets] : reason.offsets) {
    Group* group = find_group(group_id);
    if (group == nullptr) continue;
    for (const auto& [partition, offset] : offsets) {
      const StoredOffset* current = group->offsets.find(partition);
      if (current != nullptr && *current == offset) group->offsets.remove(partition);
    }
  }
  for (const std::string& group_id : reason.group_ids) {
    const Group* group = find_group(group_id);
    const bool has_no_offsets =
        group != nullptr &&
        (group->offsets.is_empty() ||
         (era_.has(Defect::pending_offsets_expire) && group->offsets.committed().empty()));
    const bool is_unchanged = has_no_offsets && is_without_members(*group) &&
                              group->classic.pending_members.empty() &&
                              !has_write_in_flight(group_id);
    if (is_unchanged) shard->second.groups.erase(group_id);
  }
}

}  // namespace fencepost::minibroker
