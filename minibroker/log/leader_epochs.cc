#include "minibroker/log/leader_epochs.h"

#include <algorithm>

namespace fencepost::minibroker {

namespace {

bool is_newer(std::int32_t epoch, const LeaderEpochs::Entry& entry) {
  return epoch < entry.epoch;
}
bool is_before(std::int64_t offset, const LeaderEpochs::Entry& entry) {
  return offset < entry.start_offset;
}

}  // namespace

void LeaderEpochs::begin(std::int32_t epoch, std::int64_t start_offset) {
  if (!entries_.empty() && epoch <= entries_.back().epoch) return;
  // An epoch that wrote nothing leaves no trace.
  while (!entries_.empty() && entries_.back().start_offset >= start_offset) entries_.pop_back();
  entries_.push_back({epoch, start_offset});
}

EpochEndOffset LeaderEpochs::end_offset_for(std::int32_t epoch, std::int64_t log_end_offset) const {
  if (epoch < 0 || entries_.empty() || epoch > entries_.back().epoch) return {};
  if (epoch == entries_.back().epoch) return {epoch, log_end_offset};
  const auto next = std::upper_bound(entries_.begin(), entries_.end(), epoch, is_newer);
  if (next == entries_.begin()) return {epoch, next->start_offset};
  return {std::prev(next)->epoch, next->start_offset};
}

std::optional<std::int32_t> LeaderEpochs::epoch_at(std::int64_t offset) const {
  const auto next = std::upper_bound(entries_.begin(), entries_.end(), offset, is_before);
  if (next == entries_.begin()) return std::nullopt;
  return std::prev(next)->epoch;
}

std::optional<std::int32_t> LeaderEpochs::latest() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.back().epoch;
}

std::optional<std::int64_t> LeaderEpochs::start_offset_of(std::int32_t epoch) const {
  for (const Entry& entry : entries_)
    if (entry.epoch == epoch) return entry.start_offset;
  return std::nullopt;
}

void LeaderEpochs::truncate_to(std::int64_t end_offset) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.start_offset >= end_offset; });
}

void LeaderEpochs::log_starts_at(std::int64_t log_start_offset) {
  const auto next = std::upper_bound(entries_.begin(), entries_.end(), log_start_offset, is_before);
  if (next == entries_.begin()) return;
  entries_.erase(entries_.begin(), std::prev(next));
  entries_.front().start_offset = log_start_offset;
}

void LeaderEpochs::add_to(Digest& digest) const {
  for (const Entry& entry : entries_) {
    digest.add(entry.epoch);
    digest.add(entry.start_offset);
  }
}

}  // namespace fencepost::minibroker
