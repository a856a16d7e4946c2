#include "minibroker/log/segments.h"

#include <algorithm>
#include <limits>

namespace fencepost::minibroker {

void Segments::append(const SegmentRules& rules, const protocol::RecordBatchHeader& batch) {
  const auto batch_bytes = static_cast<std::int64_t>(batch.size_bytes());
  const auto has_to_roll = [&](const Segment& last) {
    const bool is_full = last.size_bytes > rules.bytes_max - batch_bytes;
    const bool is_old = last.first_timestamp >= 0 &&
                        batch.max_timestamp - last.first_timestamp > rules.roll_after_ms;
    return is_full || is_old;
  };
  if (segments_.empty() || has_to_roll(segments_.back()))
    segments_.push_back({batch.base_offset, batch.max_timestamp, 0});
  segments_.back().size_bytes += batch_bytes;
}

std::int64_t Segments::end_of(std::int64_t offset) const {
  const auto next = std::ranges::upper_bound(segments_, offset, {}, &Segment::base_offset);
  return next == segments_.end() ? std::numeric_limits<std::int64_t>::max() : next->base_offset;
}

void Segments::truncate_to(std::int64_t offset) {
  std::erase_if(segments_, [&](const Segment& it) { return it.base_offset >= offset; });
}

void Segments::add_to(Digest& digest) const {
  for (const Segment& segment : segments_) digest.add(segment.base_offset);
}

}  // namespace fencepost::minibroker
