#include "minibroker/log/segments.h"

#include <algorithm>
#include <limits>

namespace fencepost::minibroker {

void Segments::make_room(const SegmentRules& rules, const protocol::RecordBatchHeader& batch,
                         std::int64_t log_end_offset) {
  if (segments_.empty()) segments_.push_back({log_end_offset});
  const Segment& last = segments_.back();
  const bool is_full =
      last.size_bytes > rules.bytes_max - static_cast<std::int64_t>(batch.size_bytes());
  const bool is_old =
      last.first_timestamp >= 0 && batch.max_timestamp - last.first_timestamp > rules.roll_after_ms;
  if (last.size_bytes > 0 && (is_full || is_old)) segments_.push_back({log_end_offset});
}

void Segments::append(const protocol::RecordBatchHeader& batch) {
  Segment& last = segments_.back();
  if (last.size_bytes == 0) last.first_timestamp = batch.max_timestamp;
  last.size_bytes += static_cast<std::int64_t>(batch.size_bytes());
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
