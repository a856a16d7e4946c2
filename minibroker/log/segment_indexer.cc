#include "minibroker/log/segment_indexer.h"

#include "protocol/records/segment_files.h"

namespace fencepost::minibroker {

using protocol::Writer;

namespace {

constexpr std::size_t index_interval_bytes = 4096;  // Kafka's default of index.interval.bytes

template <class Entry>
void append_entry(ByteVector& index, std::int64_t base_offset, const Entry& entry) {
  Writer writer;
  protocol::write_entry(writer, base_offset, entry);
  const SharedBytes bytes = writer.finish().flatten();
  index.insert(index.end(), bytes.view().begin(), bytes.view().end());
}

}  // namespace

void SegmentIndexer::add(const protocol::RecordBatchHeader& batch) {
  if (batch.max_timestamp > largest_timestamp_) {
    largest_timestamp_ = batch.max_timestamp;
    largest_timestamp_offset_ = batch.last_offset();
  }
  if (bytes_since_entry_ > index_interval_bytes) {
    append_entry(
        offset_index_, base_offset_,
        protocol::OffsetIndexEntry{batch.last_offset(), static_cast<std::int32_t>(size_bytes_)});
    add_time();
    bytes_since_entry_ = 0;
  }
  size_bytes_ += batch.size_bytes();
  bytes_since_entry_ += batch.size_bytes();
}

void SegmentIndexer::finish() {
  add_time();
}

void SegmentIndexer::add_time() {
  if (largest_timestamp_ <= indexed_timestamp_) return;
  append_entry(time_index_, base_offset_,
               protocol::TimeIndexEntry{largest_timestamp_, largest_timestamp_offset_});
  indexed_timestamp_ = largest_timestamp_;
}

}  // namespace fencepost::minibroker
