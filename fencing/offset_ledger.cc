// A mark may be committed when no write up to it is missing. Writing a key again makes up for the
// write of it that failed: a snapshot holds the whole state of its key.
#include "fencing/offset_ledger.h"

#include <algorithm>

namespace fencepost::fencing {

void OffsetLedger::advance(std::int64_t offset) {
  if (!marks_.empty() && marks_.back().offset >= offset) return;
  if (!marks_.empty() && marks_.back().last_write == last_write_) marks_.pop_back();
  marks_.push_back({offset, last_write_});
}

void OffsetLedger::include(std::int64_t write, const std::string& key) {
  included_ = std::max(included_, write);
  pending_.emplace(key, write);
}

std::int64_t OffsetLedger::committable() const {
  std::int64_t limit = included_;
  for (const auto& [key, write] : missing_)
    if (!pending_.contains(key)) limit = std::min(limit, write - 1);
  std::int64_t offset = committed_;
  for (const Mark& mark : marks_)
    if (mark.last_write <= limit) offset = std::max(offset, mark.offset);
  return offset;
}

void OffsetLedger::commit(std::int64_t offset) {
  for (const auto& [key, write] : pending_) missing_.erase(key);
  pending_.clear();
  committed_ = offset;
  while (!marks_.empty() && marks_.front().offset <= committed_) marks_.pop_front();
}

void OffsetLedger::abort() {
  for (const auto& [key, write] : pending_) missing_.emplace(key, write);
  pending_.clear();
}

}  // namespace fencepost::fencing
