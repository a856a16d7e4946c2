// Where a log's segments begin, and what Kafka's files beside them say. Kafka reads one segment at
// a time, so that the answer to a Fetch ends where a segment does; and a batch much younger than
// the first of its segment begins a new one (segment.ms goes by the records' own times).
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/digest.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

struct SegmentRules {
  std::int64_t roll_after_ms = 604800000;    // segment.ms
  std::int64_t bytes_max = 1073741824;       // segment.bytes
  std::int64_t index_interval_bytes = 4096;  // index.interval.bytes
  bool operator==(const SegmentRules&) const = default;
};

// An entry of the sparse offset index: the batch with that last offset begins at that position.
struct IndexEntry {
  std::int64_t last_offset = 0;
  std::int64_t position = 0;
  bool operator==(const IndexEntry&) const = default;
};

struct Segment {
  std::int64_t base_offset = 0;
  std::int64_t first_timestamp = protocol::no_timestamp;  // the largest of its first batch
  std::int64_t largest_timestamp = protocol::no_timestamp;
  std::int64_t size_bytes = 0;
  std::int64_t bytes_since_index = 0;
  std::vector<IndexEntry> index = {};
  bool operator==(const Segment&) const = default;
};

class Segments {
 public:
  // A batch is about to be appended at that offset. Kafka rolls before it looks at the producer: a
  // batch that is refused for it may leave an empty segment behind.
  void make_room(const SegmentRules& rules, const protocol::RecordBatchHeader& batch,
                 std::int64_t log_end_offset);
  // A new, empty segment at the log end, unless the last one is empty.
  void roll(std::int64_t log_end_offset);
  // What is appended next belongs to a segment that begins at that offset.
  void begin(std::int64_t base_offset) { segments_.push_back({base_offset}); }
  // A batch gets into the log, behind all others.
  void append(const SegmentRules& rules, const protocol::RecordBatchHeader& batch);

  // At least one as soon as something was appended; the last one is the active segment.
  const std::vector<Segment>& all() const { return segments_; }
  // Where the segment of that offset begins and ends; the largest number for the last one.
  std::int64_t base_of(std::int64_t offset) const;
  std::int64_t end_of(std::int64_t offset) const;
  // The offset that Kafka takes for the end of a read of the segment of `offset` that ended at
  // `position`: its index is sparse, so that this may lie behind what was read.
  std::int64_t read_bound(std::int64_t offset, std::int64_t position,
                          std::int64_t log_end_offset) const;

  // Everything from that offset on is gone. The last segment is left empty: the batches that it
  // still has are to be appended again.
  void truncate_to(std::int64_t offset);
  void drop_front(std::size_t count);
  // `segments` take the place of the first `count`.
  void replace_front(std::size_t count, std::vector<Segment> segments);

  void add_to(Digest& digest) const;
  bool operator==(const Segments&) const = default;

 private:
  const Segment* find(std::int64_t offset) const;

  std::vector<Segment> segments_;
};

// The segment with one more batch at its end.
void append_to(Segment& segment, const SegmentRules& rules,
               const protocol::RecordBatchHeader& batch);

}  // namespace fencepost::minibroker
