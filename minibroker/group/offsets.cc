#include "minibroker/group/offsets.h"

#include <algorithm>

namespace fencepost::minibroker {

const StoredOffset* GroupOffsets::find(const TopicPartition& partition) const {
  const auto found = committed_.find(partition);
  return found == committed_.end() ? nullptr : &found->second;
}

bool GroupOffsets::has_pending(const TopicPartition& partition) const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [&](const auto& producer) { return producer.second.count(partition) > 0; });
}

void GroupOffsets::commit(const TopicPartition& partition, StoredOffset offset) {
  committed_[partition] = std::move(offset);
}

void GroupOffsets::stage(std::int64_t producer_id, const TopicPartition& partition,
                         StoredOffset offset) {
  pending_[producer_id][partition] = std::move(offset);
}

void GroupOffsets::unstage(std::int64_t producer_id, const TopicPartition& partition) {
  const auto found = pending_.find(producer_id);
  if (found == pending_.end()) return;
  found->second.erase(partition);
  if (found->second.empty()) pending_.erase(found);
}

void GroupOffsets::end_transaction(std::int64_t producer_id, bool is_commit) {
  const auto found = pending_.find(producer_id);
  if (found == pending_.end()) return;
  const ByPartition staged = std::move(found->second);
  pending_.erase(found);
  if (!is_commit) return;
  for (const auto& [partition, offset] : staged) {
    const StoredOffset* current = find(partition);
    if (current == nullptr || offset.record_offset > current->record_offset)
      committed_[partition] = offset;
  }
}

void GroupOffsets::remove(const TopicPartition& partition) {
  committed_.erase(partition);
  for (auto& [producer_id, staged] : pending_) staged.erase(partition);
  std::erase_if(pending_, [](const auto& producer) { return producer.second.empty(); });
}

}  // namespace fencepost::minibroker
