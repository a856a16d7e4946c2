// Retention: whole segments that are too old or too many go from the front of the log, and the
// active one too when it is all that is left. What no reader has seen for sure, above the high
// watermark, stays. And what the cleaner has cleaned takes its place here.
#include <algorithm>
#include <limits>

#include "minibroker/log/own_batches.h"
#include "minibroker/log/partition_log.h"

namespace fencepost::minibroker {

namespace {

constexpr std::int64_t end_of_time_ms = std::numeric_limits<std::int64_t>::max() / 1'000'000;

bool is_expired(const Segment& segment, const CleanupRules& rules, std::int64_t now_ms) {
  return rules.retention_ms >= 0 && segment.largest_timestamp >= 0 &&
         now_ms - segment.largest_timestamp > rules.retention_ms;
}

}  // namespace

bool PartitionLog::delete_front(std::size_t count) {
  if (count == 0) return false;
  if (count == segments_.all().size()) segments_.roll(log_end_offset_);
  return delete_records_before(segments_.all()[count].base_offset) == protocol::ErrorCode::none;
}

bool PartitionLog::delete_old_segments(Instant now) {
  if (!settings_.cleanup.deletes) return false;
  const CleanupRules& rules = settings_.cleanup;
  const auto count_while = [&](auto&& is_deletable) {
    const std::vector<Segment>& segments = segments_.all();
    std::size_t count = 0;
    for (; count < segments.size(); ++count) {
      const bool is_last = count + 1 == segments.size();
      const std::int64_t end_offset = is_last ? log_end_offset_ : segments[count + 1].base_offset;
      const bool is_empty_end = is_last && segments[count].size_bytes == 0;
      if (is_empty_end || high_watermark_ < end_offset || !is_deletable(segments[count])) break;
    }
    return count;
  };
  bool has_deleted = false;
  if (rules.retention_bytes >= 0) {
    std::int64_t surplus = static_cast<std::int64_t>(size_bytes_) - rules.retention_bytes;
    has_deleted |= delete_front(count_while([&](const Segment& segment) {
      if (surplus < segment.size_bytes) return false;
      surplus -= segment.size_bytes;
      return true;
    }));
  }
  const std::int64_t now_ms = to_timestamp(now);
  has_deleted |= delete_front(
      count_while([&](const Segment& segment) { return is_expired(segment, rules, now_ms); }));
  return has_deleted;
}

std::optional<Instant> PartitionLog::deletion_due(Instant now) const {
  const CleanupRules& rules = settings_.cleanup;
  if (!rules.deletes || segments_.all().empty()) return std::nullopt;
  const std::vector<Segment>& segments = segments_.all();
  const Segment& first = segments.front();
  const std::int64_t end_offset = segments.size() == 1 ? log_end_offset_ : segments[1].base_offset;
  if (first.size_bytes == 0 && segments.size() == 1) return std::nullopt;
  if (high_watermark_ < end_offset) return std::nullopt;
  const std::int64_t surplus = static_cast<std::int64_t>(size_bytes_) - rules.retention_bytes;
  if (rules.retention_bytes >= 0 && surplus >= first.size_bytes) return now;
  if (rules.retention_ms < 0 || rules.retention_ms >= end_of_time_ms ||
      first.largest_timestamp < 0 || first.largest_timestamp >= end_of_time_ms)
    return std::nullopt;
  const std::int64_t at_ms = first.largest_timestamp + rules.retention_ms + 1;
  if (at_ms >= end_of_time_ms) return std::nullopt;
  return std::max(now, Instant(milliseconds(at_ms)));
}

void PartitionLog::replace_segments(CleanedSegments cleaned) {
  // What the batches said stays known, also when they are gone and the log is cut off above them.
  State state;
  std::size_t index = begin_rebuild(state);
  const std::size_t end = batches_.find(cleaned.end_offset);
  if (changes_) changes_->cleaned_to = cleaned.end_offset;
  for (; index < end; ++index) apply(state, open_own(batches_.bytes(index)));
  state.transactions.keep_of_cleaned(cleaned.end_offset, cleaned.aborted);
  state_.transactions.keep_of_cleaned(cleaned.end_offset, cleaned.aborted);
  cleaned_state_ = std::move(state);
  cleaned_until_ = first_dirty_offset_ = cleaned.end_offset;
  size_bytes_ -= batches_.bytes_between(0, end);
  batches_.replace_front(end, cleaned.batches);
  size_bytes_ += batches_.bytes_between(0, cleaned.batches.size());
  segments_.replace_front(cleaned.segment_count, std::move(cleaned.segments));
}

}  // namespace fencepost::minibroker
