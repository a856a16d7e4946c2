#include "minibroker/group/replay.h"

#include "protocol/records/control_records.h"

namespace fencepost::minibroker {

void apply_change(Shard& shard, const ConsumerChange& change, Instant now) {
  const std::string& group_id = group_id_of(change);
  auto found = shard.groups.find(group_id);
  const bool exists = found != shard.groups.end() && found->second.consumer.has_value();
  if (is_tombstone(change)) {
    if (!exists) return;
    if (ends_group(change)) {
      found->second.consumer.reset();
      found->second.runtime = {};
      return;
    }
  }
  if (found == shard.groups.end())
    found = shard.groups.try_emplace(group_id, Group{ClassicGroup(group_id, now)}).first;
  if (!exists) found->second.consumer.emplace(group_id);
  apply(*found->second.consumer, change);
}

void add_group_tombstones(std::vector<protocol::NewRecord>& records, const Group& group,
                          Instant now) {
  if (!group.consumer.has_value()) {
    records.push_back(group_tombstone(group.classic.group_id(), now));
    return;
  }
  std::vector<ConsumerChange> changes;
  add_group_tombstones(changes, *group.consumer);
  for (const ConsumerChange& it : changes) records.push_back(to_record(it, now));
}

void Replay::add(const ReplayedBatch& batch) {
  for (const protocol::Record& record : batch.records) {
    if (batch.header.is_control_batch()) {
      add_marker(batch.header.producer_id, record);
      continue;
    }
    if (const auto change = read_consumer_record(record)) {
      apply_change(shard_, *change, now_);
      if (ends_group(*change)) forget_if_empty(group_id_of(*change));
      continue;
    }
    const auto read = read_group_log_record(record);
    if (const auto* group = std::get_if<ReadGroup>(&read)) add_group(*group);
    if (const auto* offset = std::get_if<ReadOffset>(&read))
      add_offset(batch.header, *offset, record.offset);
  }
}

Group& Replay::group(const std::string& group_id) {
  return shard_.groups.try_emplace(group_id, Group{ClassicGroup(group_id, now_)}).first->second;
}

void Replay::add_marker(std::int64_t producer_id, const protocol::Record& record) {
  if (!record.key.has_value() || record.key->size() < 4) return;
  const ByteView key = record.key->view();
  const int type = key[2] << 8 | key[3];
  const bool is_commit = type == static_cast<int>(protocol::ControlType::commit);
  if (!is_commit && type != static_cast<int>(protocol::ControlType::abort)) return;
  for (auto& [group_id, it] : shard_.groups) it.offsets.end_transaction(producer_id, is_commit);
}

void Replay::add_group(const ReadGroup& read) {
  if (read.value.has_value()) {
    Group& replaced = group(read.group_id);
    replaced.consumer.reset();
    restore_group(replaced.classic, *read.value, now_);
    return;
  }
  const auto found = shard_.groups.find(read.group_id);
  if (found == shard_.groups.end()) return;
  // Its offsets have tombstones of their own, and need not come before this one.
  found->second.classic = ClassicGroup(read.group_id, now_);
  forget_if_empty(read.group_id);
}

void Replay::add_offset(const protocol::RecordBatchHeader& batch, const ReadOffset& read,
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

void Replay::forget_if_empty(const std::string& group_id) {
  const auto found = shard_.groups.find(group_id);
  const bool is_gone = found != shard_.groups.end() && !found->second.consumer.has_value() &&
                       found->second.classic.members().empty() && found->second.offsets.is_empty();
  if (is_gone) shard_.groups.erase(found);
}

}  // namespace fencepost::minibroker
