#include "minibroker/log/segments.h"

#include <algorithm>
#include <limits>

#include "protocol/base/check.h"

namespace fencepost::minibroker {

void append_to(Segment& segment, const SegmentRules& rules,
               const protocol::RecordBatchHeader& batch) {
  if (segment.size_bytes == 0) segment.first_timestamp = batch.max_timestamp;
  segment.largest_timestamp = std::max(segment.largest_timestamp, batch.max_timestamp);
  if (segment.bytes_since_index > rules.index_interval_bytes) {
    segment.index.push_back({batch.last_offset(), segment.size_bytes});
    segment.bytes_since_index = 0;
  }
  segment.bytes_since_index += static_cast<std::int64_t>(batch.size_bytes());
  segment.size_bytes += static_cast<std::int64_t>(batch.size_bytes());
}

void Segments::make_room(const SegmentRules& rules, const protocol::RecordBatchHeader& batch,
                         std::int64_t log_end_offset) {
  if (segments_.empty()) segments_.push_back({log_end_offset});
  const Segment& last = segments_.back();
  const bool is_full =
      last.size_bytes > rules.bytes_max - static_cast<std::int64_t>(batch.size_bytes());
  const bool is_old =
      last.first_timestamp >= 0 && batch.max_timestamp - last.first_timestamp > rules.roll_after_ms;
  if (is_full || is_old) roll(log_end_offset);
}

void Segments::roll(std::int64_t log_end_offset) {
  if (segments_.empty() || segments_.back().size_bytes > 0) segments_.push_back({log_end_offset});
}

void Segments::append(const SegmentRules& rules, const protocol::RecordBatchHeader& batch) {
  append_to(segments_.back(), rules, batch);
}

const Segment* Segments::find(std::int64_t offset) const {
  const auto next = std::ranges::upper_bound(segments_, offset, {}, &Segment::base_offset);
  return next == segments_.begin() ? nullptr : &*std::prev(next);
}

std::int64_t Segments::base_of(std::int64_t offset) const {
  const Segment* segment = find(offset);
  return segment == nullptr ? offset : segment->base_offset;
}

std::int64_t Segments::end_of(std::int64_t offset) const {
  const auto next = std::ranges::upper_bound(segments_, offset, {}, &Segment::base_offset);
  return next == segments_.end() ? std::numeric_limits<std::int64_t>::max() : next->base_offset;
}

std::int64_t Segments::read_bound(std::int64_t offset, std::int64_t position,
                                  std::int64_t log_end_offset) const {
  if (const Segment* segment = find(offset)) {
    const auto entry =
        std::ranges::lower_bound(segment->index, position, {}, &IndexEntry::position);
    if (entry != segment->index.end()) return entry->last_offset;
  }
  return std::min(end_of(offset), log_end_offset);
}

void Segments::truncate_to(std::int64_t offset) {
  std::erase_if(segments_, [&](const Segment& it) { return it.base_offset >= offset; });
  if (!segments_.empty()) segments_.back() = {segments_.back().base_offset};
}

void Segments::drop_front(std::size_t count) {
  replace_front(count, {});
}

void Segments::replace_front(std::size_t count, std::vector<Segment> segments) {
  CHECK(count <= segments_.size());
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(count));
  segments_.insert(segments_.begin(), std::make_move_iterator(segments.begin()),
                   std::make_move_iterator(segments.end()));
}

void Segments::add_to(Digest& digest) const {
  for (const Segment& segment : segments_) digest.add(segment.base_offset);
}

}  // namespace fencepost::minibroker
