#include "minibroker/group/coordinator.h"

#include <algorithm>

#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"

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
  return shard->second.groups.try_emplace(group_id, Group{ClassicGroup(group_id, now), {}})
      .first->second;
}

bool GroupCoordinator::has_write_in_flight(const std::string& group_id) const {
  return std::any_of(pending_writes_.begin(), pending_writes_.end(),
                     [&](const auto& it) { return it.second.group_id == group_id; });
}

bool GroupCoordinator::is_unused(const Group& group) const {
  return group.classic.members().empty() && group.classic.pending_members.empty() &&
         group.classic.generation() == 0 && group.offsets.is_empty() &&
         !has_write_in_flight(group.classic.group_id());
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

namespace {

// What the records say while they are replayed, and whether they say anything of the group itself.
class Replay {
 public:
  Replay(Shard& shard, Instant now) : shard_(shard), now_(now) {}

  void add(const ReplayedBatch& batch) {
    for (const protocol::Record& record : batch.records) {
      if (batch.header.is_control_batch()) {
        add_marker(batch.header.producer_id, record);
        continue;
      }
      const auto read = read_group_log_record(record);
      if (const auto* group = std::get_if<ReadGroup>(&read)) add_group(*group);
      if (const auto* offset = std::get_if<ReadOffset>(&read))
        add_offset(batch.header, *offset, record.offset);
    }
  }

 private:
  Group& group(const std::string& group_id) {
    return shard_.groups.try_emplace(group_id, Group{ClassicGroup(group_id, now_), {}})
        .first->second;
  }

  void add_marker(std::int64_t producer_id, const protocol::Record& record) {
    if (!record.key.has_value() || record.key->size() < 4) return;
    const ByteView key = record.key->view();
    const int type = key[2] << 8 | key[3];
    const bool is_commit = type == static_cast<int>(protocol::ControlType::commit);
    if (!is_commit && type != static_cast<int>(protocol::ControlType::abort)) return;
    for (auto& [group_id, it] : shard_.groups) it.offsets.end_transaction(producer_id, is_commit);
  }

  void add_group(const ReadGroup& read) {
    if (read.value.has_value()) {
      restore_group(group(read.group_id).classic, *read.value, now_);
      return;
    }
    const auto found = shard_.groups.find(read.group_id);
    if (found == shard_.groups.end()) return;
    // Its offsets have tombstones of their own, and need not come before this one.
    found->second.classic = ClassicGroup(read.group_id, now_);
    if (found->second.offsets.is_empty()) shard_.groups.erase(found);
  }

  void add_offset(const protocol::RecordBatchHeader& batch, const ReadOffset& read,
                  std::int64_t record_offset) {
    if (!read.value.has_value()) {
      const auto found = shard_.groups.find(read.group_id);
      if (found != shard_.groups.end()) found->second.offsets.remove(read.partition);
      return;
    }
    StoredOffset offset = *read.value;
    offset.record_offset = record_offset;
    GroupOffsets& offsets = group(read.group_id).offsets;
    if (batch.is_transactional()) {
      offsets.stage(batch.producer_id, read.partition, std::move(offset));
    } else {
      offsets.commit(read.partition, std::move(offset));
    }
  }

  Shard& shard_;
  Instant now_;
};

}  // namespace

void GroupCoordinator::load(std::int32_t partition, const std::vector<ReplayedBatch>& log,
                            Instant now) {
  Shard& shard = shards_[partition];
  shard = Shard{};
  Replay replay(shard, now);
  for (const ReplayedBatch& batch : log) replay.add(batch);
  if (!shard.groups.empty())
    shard.next_expiration_check = now + settings_.offsets_retention_check_interval;
  for (auto& [group_id, group] : shard.groups) {
    // The limit may have been lowered since.
    const std::size_t size_max = static_cast<std::size_t>(settings_.max_size);
    if (group.classic.members().size() > size_max) prepare_rebalance(group, now);
  }
}

void GroupCoordinator::unload(std::int32_t partition, Instant now) {
  const auto found = shards_.find(partition);
  if (found == shards_.end()) return;
  const Shard shard = std::move(found->second);
  shards_.erase(found);
  for (const auto& [group_id, group] : shard.groups) {
    for (const ClassicMember& it : group.classic.members()) {
      if (it.waiting_join.has_value())
        refuse_join(*it.waiting_join, it.member_id, ErrorCode::not_coordinator);
      if (it.waiting_sync.has_value())
        answer_sync(group.classic, *it.waiting_sync, ErrorCode::not_coordinator, {});
    }
  }
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
      state.state = to_string(group.classic.state());
      state.generation = group.classic.generation();
      for (const ClassicMember& it : group.classic.members()) state.members.push_back(it.member_id);
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

void add(Digest& digest, const Group& group) {
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
