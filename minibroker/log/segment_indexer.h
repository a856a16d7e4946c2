// The offset index and the time index of one segment as Kafka's broker fills them, batch by batch:
// the same batches give the same entries, whether they are appended or read again.
#pragma once

#include <cstdint>

#include "protocol/base/bytes.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

class SegmentIndexer {
 public:
  explicit SegmentIndexer(std::int64_t base_offset) : base_offset_(base_offset) {}

  // The next batch of the segment.
  void add(const protocol::RecordBatchHeader& batch);
  // The segment gets no more batches for now: its largest timestamp gets into the index.
  void finish();

  std::int64_t base_offset() const { return base_offset_; }
  std::size_t size_bytes() const { return size_bytes_; }
  // The entries that have come since the last call, as they are in the files.
  std::size_t pending_bytes() const { return offset_index_.size() + time_index_.size(); }
  ByteVector take_offset_index() { return std::exchange(offset_index_, {}); }
  ByteVector take_time_index() { return std::exchange(time_index_, {}); }

 private:
  void add_time();

  std::int64_t base_offset_;
  std::size_t size_bytes_ = 0;
  std::size_t bytes_since_entry_ = 0;
  std::int64_t largest_timestamp_ = protocol::no_timestamp;
  std::int64_t largest_timestamp_offset_ = -1;
  std::int64_t indexed_timestamp_ = protocol::no_timestamp;
  ByteVector offset_index_;
  ByteVector time_index_;
};

}  // namespace fencepost::minibroker
