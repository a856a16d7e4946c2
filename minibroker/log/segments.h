// Where a log's segments begin. Kafka reads one segment at a time, so that the answer to a Fetch
// ends where a segment does; and a batch much younger than the first of its segment begins a new
// one (segment.ms goes by the records' own times).
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/digest.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

struct SegmentRules {
  std::int64_t roll_after_ms = 604800000;  // segment.ms
  std::int64_t bytes_max = 1073741824;     // segment.bytes
  bool operator==(const SegmentRules&) const = default;
};

class Segments {
 public:
  // A batch is about to be appended at that offset. Kafka rolls before it looks at the producer: a
  // batch that is refused for it may leave an empty segment behind.
  void make_room(const SegmentRules& rules, const protocol::RecordBatchHeader& batch,
                 std::int64_t log_end_offset);
  // A batch gets into the log, behind all others.
  void append(const protocol::RecordBatchHeader& batch);
  // Where the segment of that offset ends; the largest number for the last one.
  std::int64_t end_of(std::int64_t offset) const;
  // Everything from that offset on is gone.
  void truncate_to(std::int64_t offset);

  void add_to(Digest& digest) const;
  bool operator==(const Segments&) const = default;

 private:
  struct Segment {
    std::int64_t base_offset = 0;
    std::int64_t first_timestamp = protocol::no_timestamp;  // the largest of its first batch
    std::int64_t size_bytes = 0;
    bool operator==(const Segment&) const = default;
  };

  std::vector<Segment> segments_;
};

}  // namespace fencepost::minibroker
