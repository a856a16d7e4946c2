#include "minibroker/group/coordinator.h"

#include <algorithm>

#include "minibroker/group/consumer_answer.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"
#include "minibroker/group/replay.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

GroupCoordinator::GroupCoordinator(GroupSettings settings, Era era, std::uint64_t seed)
    : settings_(std::move(settings)), era_(std::move(era)), random_(seed, "group coordinator") {}

ErrorCode GroupCoordinator::availability(const std::string& group_id) const {
  const auto found = shards_.find(partition_of(group_id));
  if (found == shards_.end()) return ErrorCode::not_coordinator;
  return found->second.is_loading ? ErrorCode::coordinator_load_in_progress : ErrorCode::none;
}

std::int32_t GroupCoordinator::partition_of(const std::string& group_id) const {
  return coordinator_partition(group_id, settings_.offsets_partition_count);
}

Group* GroupCoordinator::find_group(const std::string& group_id) {
  return const_cast<Group*>(std::as_const(*this).find_group(group_id));
}

const Group* GroupCoordinator::find_group(const std::string& group_id) const {
  const auto shard = shards_.find(partition_of(group_id));
  if (shard == shards_.end()) return nullptr;
  const auto group = shard->second.groups.find(group_id);
  return group == shard->second.groups.end() ? nullptr : &group->second;
}

Group& GroupCoordinator::get_or_create_group(const std::string& group_id, Instant now) {
  const auto shard = shards_.find(partition_of(group_id));
  CHECK(shard != shards_.end());
  if (!shard->second.next_expiration_check.has_value())
    shard->second.next_expiration_check = now + settings_.offsets_retention_check_interval;
  return shard->second.groups.try_emplace(group_id, Group{ClassicGroup(group_id, now)})
      .first->second;
}

bool GroupCoordinator::has_write_in_flight(const std::string& group_id) const {
  return std::any_of(pending_writes_.begin(), pending_writes_.end(),
                     [&](const auto& it) { return it.second.group_id == group_id; });
}

bool GroupCoordinator::is_unused(const Group& group) const {
  return !group.consumer.has_value() && group.classic.members().empty() &&
         group.classic.pending_members.empty() && group.classic.generation() == 0 &&
         group.offsets.is_empty() && !has_write_in_flight(group.classic.group_id());
}

void GroupCoordinator::forget_if_unused(const std::string& group_id) {
  const Group* group = find_group(group_id);
  if (group != nullptr && is_unused(*group))
    shards_.at(partition_of(group_id)).groups.erase(group_id);
}

// ---- leadership

void GroupCoordinator::begin_loading(std::int32_t partition) {
  Shard shard;
  shard.is_loading = true;
  shards_.insert_or_assign(partition, std::move(shard));
}

void GroupCoordinator::load(std::int32_t partition, const std::vector<ReplayedBatch>& log,
                            Instant now) {
  Shard& shard = shards_[partition];
  shard = Shard{};
  Replay replay(shard, now);
  for (const ReplayedBatch& batch : log) replay.add(batch);
  if (!shard.groups.empty())
    shard.next_expiration_check = now + settings_.offsets_retention_check_interval;
  for (auto& [group_id, group] : shard.groups) {
    if (group.consumer.has_value()) {
      resume_timers(group, now);
      continue;
    }
    // The limit may have been lowered since.
    const std::size_t size_max = static_cast<std::size_t>(settings_.max_size);
    if (group.classic.members().size() > size_max) prepare_rebalance(group, now);
  }
}

void GroupCoordinator::unload(std::int32_t partition, Instant now) {
  const auto found = shards_.find(partition);
  if (found == shards_.end()) return;
  Shard shard = std::move(found->second);
  shards_.erase(found);
  for (auto& [group_id, group] : shard.groups)
    answer_waiting_members(group.classic, ErrorCode::not_coordinator);
  std::vector<std::uint64_t> abandoned;
  for (const auto& [id, pending] : pending_writes_)
    if (pending.partition == partition) abandoned.push_back(id);
  for (std::uint64_t id : abandoned) on_log_write({id, ErrorCode::not_leader_or_follower, -1}, now);
}

// ---- the log

std::uint64_t GroupCoordinator::write(PendingWrite pending,
                                      std::vector<protocol::NewRecord> records) {
  LogWrite log_write;
  log_write.id = ++last_id_;
  log_write.partition = {consumer_offsets_topic, pending.partition};
  log_write.records = std::move(records);
  log_write.timeout = settings_.offset_commit_timeout;
  const bool forgets = std::ranges::none_of(
      log_write.records, [](const protocol::NewRecord& it) { return it.value.has_value(); });
  if (forgets) {
    log_write.step = "tombstones";
    log_write.subject = to_string(log_write.partition);
  }
  log_writes_.push_back(std::move(log_write));
  pending_writes_.emplace(last_id_, std::move(pending));
  return last_id_;
}

void GroupCoordinator::on_log_write(const LogWriteOutcome& outcome, Instant now) {
  const auto found = pending_writes_.find(outcome.id);
  if (found == pending_writes_.end()) return;
  PendingWrite pending = std::move(found->second);
  pending_writes_.erase(found);
  finish_write(outcome.id, std::move(pending), outcome, now);
}

void GroupCoordinator::finish_write(std::uint64_t id, PendingWrite pending, const Outcome& outcome,
                                    Instant now) {
  std::visit([&](auto& reason) { finish(pending, reason, outcome, now); }, pending.reason);
  for (const ConsumerAnswer& it : pending.held_answers)
    send_answer(outcome.error == ErrorCode::none ? it : failed(it, outcome.error));
  std::vector<WaitingFetch> ready;
  for (WaitingFetch& it : waiting_fetches_) {
    it.write_ids.erase(id);
    if (it.write_ids.empty()) ready.push_back(std::move(it));
  }
  std::erase_if(waiting_fetches_, [](const WaitingFetch& it) { return it.write_ids.empty(); });
  for (WaitingFetch& it : ready) answer_fetch(std::move(it));
}

void GroupCoordinator::on_marker(std::int32_t partition, std::int64_t producer_id, bool is_commit) {
  const auto found = shards_.find(partition);
  if (found == shards_.end()) return;
  if (era_.has(Defect::offsets_lost_at_commit) && is_commit) return;
  if (era_.has(Defect::offsets_survive_abort)) is_commit = true;
  for (auto& [group_id, group] : found->second.groups)
    group.offsets.end_transaction(producer_id, is_commit);
}

// ---- output and inspection

std::vector<Reply> GroupCoordinator::take_replies() {
  return std::exchange(replies_, {});
}

std::vector<LogWrite> GroupCoordinator::take_log_writes() {
  return std::exchange(log_writes_, {});
}

std::vector<GroupState> GroupCoordinator::states() const {
  std::map<std::string, GroupState> by_id;
  for (const auto& [partition, shard] : shards_) {
    for (const auto& [group_id, group] : shard.groups) {
      GroupState& state = by_id[group_id];
      state.group_id = group_id;
      if (group.consumer.has_value()) {
        state.state = to_string(group.consumer->state());
        state.generation = group.consumer->group_epoch;
        for (const auto& it : group.consumer->members()) state.members.push_back(it.member_id);
      } else {
        state.state = to_string(group.classic.state());
        state.generation = group.classic.generation();
        for (const auto& it : group.classic.members()) state.members.push_back(it.member_id);
      }
      for (const auto& [at, offset] : group.offsets.committed())
        state.offsets.push_back({at.topic, at.partition, offset.offset, false, -1});
      for (const auto& [producer_id, staged] : group.offsets.pending())
        for (const auto& [at, offset] : staged)
          state.offsets.push_back({at.topic, at.partition, offset.offset, true, producer_id});
    }
  }
  std::vector<GroupState> states;
  for (auto& [group_id, state] : by_id) states.push_back(std::move(state));
  return states;
}

namespace {

void add(Digest& digest, const std::optional<Instant>& at) {
  digest.add(at.has_value() ? at->time_since_epoch().count() : std::int64_t{-1});
}

void add(Digest& digest, const GroupOffsets::ByPartition& offsets) {
  for (const auto& [partition, offset] : offsets) {
    digest.add(to_string(partition));
    digest.add(offset.offset);
    digest.add(offset.metadata);
    digest.add(offset.record_offset);
  }
}

void add(Digest& digest, const ConsumerGroup& group, const ConsumerRuntime& runtime) {
  digest.add(static_cast<std::int64_t>(group.group_epoch));
  digest.add(static_cast<std::int64_t>(group.assignment_epoch));
  for (const ConsumerMember& it : group.members()) {
    digest.add(it.member_id);
    digest.add(static_cast<std::int64_t>(it.member_epoch));
    digest.add(static_cast<std::int64_t>(it.state));
    for (const EpochAssignment* held : {&it.assigned, &it.pending_revocation})
      for (const auto& [topic_id, partitions] : *held)
        for (const auto& [partition, epoch] : partitions) {
          digest.add(to_string(topic_id));
          digest.add(static_cast<std::int64_t>(partition));
        }
  }
  for (const auto& [member_id, timers] : runtime.timers)
    for (const std::optional<Instant>& it : timers.deadlines) add(digest, it);
}

void add(Digest& digest, const Group& group) {
  if (group.consumer.has_value()) add(digest, *group.consumer, group.runtime);
  digest.add(to_string(group.classic.state()));
  digest.add(static_cast<std::int64_t>(group.classic.generation()));
  digest.add(group.classic.leader().value_or(""));
  for (const ClassicMember& it : group.classic.members()) {
    digest.add(it.member_id);
    digest.add(it.assignment.view());
    digest.add(static_cast<std::int64_t>(it.waiting_join.has_value() ? 1 : 0));
    digest.add(static_cast<std::int64_t>(it.waiting_sync.has_value() ? 1 : 0));
    add(digest, it.session_deadline);
  }
  for (const auto& [member_id, deadline] : group.classic.pending_members) {
    digest.add(member_id);
    add(digest, std::optional(deadline));
  }
  add(digest, group.classic.join_deadline);
  add(digest, group.classic.sync_deadline);
  add(digest, group.offsets.committed());
  for (const auto& [producer_id, staged] : group.offsets.pending()) {
    digest.add(producer_id);
    add(digest, staged);
  }
}

}  // namespace

void GroupCoordinator::add_to(Digest& digest) const {
  for (const auto& [partition, shard] : shards_) {
    digest.add(static_cast<std::int64_t>(partition));
    digest.add(static_cast<std::int64_t>(shard.is_loading ? 1 : 0));
    for (const auto& [group_id, group] : shard.groups) {
      digest.add(group_id);
      add(digest, group);
    }
  }
  digest.add(static_cast<std::int64_t>(last_id_));
  for (const auto& [id, pending] : pending_writes_) digest.add(static_cast<std::int64_t>(id));
  digest.add(static_cast<std::int64_t>(waiting_fetches_.size()));
}

}  // namespace fencepost::minibroker
