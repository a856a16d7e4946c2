#include "minibroker/log/transaction_index.h"

#include <algorithm>

#include "protocol/base/check.h"

namespace fencepost::minibroker {

void TransactionIndex::begin(std::int64_t producer_id, std::int64_t first_offset) {
  const bool is_new = open_.emplace(first_offset, producer_id).second;
  CHECK(is_new);
}

void TransactionIndex::end(std::int64_t producer_id, const EndedTransaction& ended) {
  const auto it = open_.find(ended.first_offset);
  CHECK(it != open_.end() && it->second == producer_id);
  open_.erase(it);
  unreplicated_[ended.first_offset] = ended.marker_offset;
  if (!ended.is_aborted) return;
  const std::int64_t last_stable_offset =
      open_.empty() ? ended.marker_offset + 1 : open_.begin()->first;
  aborted_.push_back({producer_id, ended.first_offset, ended.marker_offset, last_stable_offset});
}

void TransactionIndex::replicated_to(std::int64_t high_watermark) {
  std::erase_if(unreplicated_, [&](const auto& ended) { return ended.second < high_watermark; });
}

void TransactionIndex::log_starts_at(std::int64_t log_start_offset) {
  std::erase_if(aborted_, [&](const auto& it) { return it.last_offset < log_start_offset; });
}

void TransactionIndex::keep_of_cleaned(std::int64_t end_offset,
                                       const std::vector<AbortedTransaction>& kept) {
  std::erase_if(aborted_, [&](const auto& it) { return it.last_offset < end_offset; });
  aborted_.insert(aborted_.begin(), kept.begin(), kept.end());
}

std::optional<std::int64_t> TransactionIndex::first_unstable_offset() const {
  std::optional<std::int64_t> first;
  if (!open_.empty()) first = open_.begin()->first;
  if (!unreplicated_.empty())
    first = std::min(first.value_or(unreplicated_.begin()->first), unreplicated_.begin()->first);
  return first;
}

std::vector<AbortedTransaction> TransactionIndex::aborted(std::int64_t fetch_offset,
                                                          std::int64_t upper_bound) const {
  std::vector<AbortedTransaction> found;
  auto it = std::ranges::lower_bound(aborted_, fetch_offset, {}, &AbortedTransaction::last_offset);
  for (; it != aborted_.end(); ++it) {
    const AbortedTransaction& transaction = *it;
    if (transaction.first_offset < upper_bound) found.push_back(transaction);
    // What ended later began at or above this offset.
    if (transaction.last_stable_offset >= upper_bound) break;
  }
  return found;
}

void TransactionIndex::add_to(Digest& digest) const {
  for (const auto& [first_offset, producer_id] : open_) {
    digest.add(first_offset);
    digest.add(producer_id);
  }
  for (const auto& [first_offset, marker_offset] : unreplicated_) {
    digest.add(first_offset);
    digest.add(marker_offset);
  }
  for (const AbortedTransaction& transaction : aborted_) {
    digest.add(transaction.producer_id);
    digest.add(transaction.first_offset);
    digest.add(transaction.last_offset);
    digest.add(transaction.last_stable_offset);
  }
}

}  // namespace fencepost::minibroker
