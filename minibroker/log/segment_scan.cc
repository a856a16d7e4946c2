#include "minibroker/log/segment_scan.h"

#include <limits>

#include "protocol/records/segment_files.h"

namespace fencepost::minibroker {

using protocol::ProducerSnapshot;
using protocol::RecordBatchHeader;
using protocol::RecordBatchView;

namespace {

constexpr std::size_t magic_at = 16;
constexpr std::uint8_t magic_2 = 2;

bool is_next(const RecordBatchHeader& header, std::int64_t next_offset, bool has_gaps) {
  const std::int64_t base_offset = header.base_offset;
  if (header.last_offset_delta < 0 ||
      base_offset > std::numeric_limits<std::int64_t>::max() - header.last_offset_delta - 1)
    return false;
  return base_offset == next_offset || (has_gaps && base_offset > next_offset);
}

}  // namespace

SegmentScan scan_segment(const SharedBytes& file, std::int64_t base_offset, bool has_gaps) {
  SegmentScan scan;
  std::int64_t next_offset = base_offset;
  while (scan.good_bytes < file.size()) {
    const SharedBytes rest = file.slice(scan.good_bytes, file.size() - scan.good_bytes);
    const Result<RecordBatchView> batch = RecordBatchView::open(rest);
    if (!batch)
      scan.problem = "no whole batch: " + batch.error().text;
    else if (!batch->is_crc_valid())
      scan.problem = "the checksum of the batch is wrong";
    else if (!is_next(batch->header(), next_offset, has_gaps))
      scan.problem = "a batch begins at offset " + std::to_string(batch->header().base_offset) +
                     " instead of " + std::to_string(next_offset);
    scan.is_misplaced = batch && batch->is_crc_valid();
    if (!scan.problem.empty()) return scan;
    scan.is_misplaced = false;
    next_offset = batch->header().last_offset() + 1;
    scan.good_bytes += batch->bytes().size();
    scan.batches.push_back(*batch);
  }
  return scan;
}

bool has_batch_behind(const SharedBytes& file, std::size_t position, std::int64_t next_offset) {
  for (++position; position + protocol::record_batch_overhead_bytes <= file.size(); ++position) {
    if (file.data()[position + magic_at] != magic_2) continue;
    const auto batch = RecordBatchView::open(file.slice(position, file.size() - position));
    if (!batch) continue;
    const std::int64_t base_offset = batch->header().base_offset;
    const bool is_near = base_offset >= next_offset &&
                         base_offset - next_offset <= std::numeric_limits<std::int32_t>::max();
    if (is_near && batch->is_crc_valid()) return true;
  }
  return false;
}

ByteVector transaction_index_file(const std::vector<AbortedTransaction>& aborted,
                                  std::int64_t first_offset, std::int64_t end_offset) {
  protocol::Writer writer;
  for (const AbortedTransaction& it : aborted)
    if (it.last_offset >= first_offset && it.last_offset < end_offset)
      protocol::write_entry(
          writer, protocol::AbortedTxn{
                      it.producer_id, it.first_offset, it.last_offset, it.last_stable_offset, {}});
  const SharedBytes bytes = writer.finish().flatten();
  return {bytes.view().begin(), bytes.view().end()};
}

ByteVector snapshot_file(const ProducerEntries& producers) {
  std::vector<ProducerSnapshot::ProducerEntry> entries;
  for (const auto& [producer_id, producer] : producers) {
    auto& entry = entries.emplace_back();
    entry.producer_id = producer_id;
    entry.epoch = producer.producer_epoch;
    entry.last_sequence = producer.last_sequence();
    entry.last_offset = -1;
    if (!producer.batches.empty()) {
      const RememberedBatch& last = producer.batches.back();
      entry.last_offset = last.last_offset;
      entry.offset_delta = static_cast<std::int32_t>(last.last_offset - last.base_offset);
    }
    entry.timestamp = producer.last_timestamp;
    entry.coordinator_epoch = producer.coordinator_epoch;
    entry.current_txn_first_offset = producer.transaction_first_offset.value_or(-1);
  }
  return protocol::write_producer_snapshot(std::move(entries));
}

Result<ProducerEntries> read_snapshot_file(const SharedBytes& file) {
  const Result<ProducerSnapshot> snapshot = protocol::read_producer_snapshot(file.view());
  if (!snapshot) return snapshot.error();
  ProducerEntries producers;
  for (const ProducerSnapshot::ProducerEntry& entry : snapshot->producer_entries) {
    ProducerEntry& producer = producers[entry.producer_id];
    producer.producer_epoch = entry.epoch;
    producer.coordinator_epoch = entry.coordinator_epoch;
    producer.last_timestamp = entry.timestamp;
    if (entry.current_txn_first_offset >= 0)
      producer.transaction_first_offset = entry.current_txn_first_offset;
    if (entry.last_sequence < 0) continue;
    RememberedBatch batch;
    batch.last_sequence = entry.last_sequence;
    // A batch whose sequences passed 2147483647 began before 0.
    const std::int64_t base_sequence = std::int64_t{entry.last_sequence} - entry.offset_delta;
    batch.base_sequence = static_cast<std::int32_t>(
        base_sequence >= 0 ? base_sequence : base_sequence + (std::int64_t{1} << 31));
    batch.last_offset = entry.last_offset;
    batch.base_offset = entry.last_offset - entry.offset_delta;
    batch.timestamp = entry.timestamp;
    producer.batches.push_back(batch);
  }
  return producers;
}

}  // namespace fencepost::minibroker
