// The log as it is put together again from its files.
#include <algorithm>

#include "minibroker/log/partition_log.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::RecordBatchHeader;
using protocol::RecordBatchView;

const LogChanges& PartitionLog::changes() const {
  CHECK(changes_.has_value());
  return *changes_;
}

LogChanges PartitionLog::take_changes() {
  CHECK(changes_.has_value());
  return std::exchange(*changes_, LogChanges());
}

ErrorCode PartitionLog::restore_start(std::int64_t offset, ProducerEntries producers) {
  CHECK(batches_.empty());
  std::map<std::int64_t, std::int64_t> open;  // first offset -> producer id
  for (const auto& [producer_id, entry] : producers) {
    if (!entry.transaction_first_offset) continue;
    const bool is_possible = *entry.transaction_first_offset < offset;
    if (!is_possible || !open.emplace(*entry.transaction_first_offset, producer_id).second)
      return ErrorCode::invalid_txn_state;
  }
  for (const auto& [first_offset, producer_id] : open)
    before_start_.transactions.begin(producer_id, first_offset);
  before_start_.producers = std::move(producers);
  state_ = before_start_;
  log_start_offset_ = high_watermark_ = log_end_offset_ = offset;
  return ErrorCode::none;
}

void PartitionLog::restore_segment(std::int64_t base_offset) {
  segments_.begin(base_offset);
  // An empty segment at the end is all that tells where the log ends.
  log_end_offset_ = std::max(log_end_offset_, base_offset);
}

void PartitionLog::restore_batch(const RecordBatchView& batch,
                                 std::shared_ptr<const void> segment) {
  const RecordBatchHeader& header = batch.header();
  CHECK(header.base_offset >= log_end_offset_);
  batches_.adopt(header, batch.bytes().view(), std::move(segment));
  segments_.append(settings_.segments, header);
  size_bytes_ += batch.bytes().size();
  log_end_offset_ = header.last_offset() + 1;
  if (header.partition_leader_epoch >= 0)
    leader_epochs_.begin(header.partition_leader_epoch, header.base_offset);
  apply(state_, batch);
}

void PartitionLog::restore_end(std::int64_t log_start_offset, std::int64_t high_watermark,
                               const std::vector<LeaderEpochs::Entry>& epochs) {
  LeaderEpochs known;
  for (const LeaderEpochs::Entry& epoch : epochs) known.begin(epoch.epoch, epoch.start_offset);
  // What the batches say is true; what is known besides may be older, or of a lost tail.
  for (const LeaderEpochs::Entry& epoch : leader_epochs_.entries())
    known.begin(epoch.epoch, epoch.start_offset);
  leader_epochs_ = std::move(known);
  leader_epochs_.truncate_to(log_end_offset_);
  const std::int64_t first = log_start_offset_;
  high_watermark_ = std::clamp(high_watermark, first, log_end_offset_);
  state_.transactions.replicated_to(high_watermark_);
  const std::int64_t start = std::min(log_start_offset, log_end_offset_);
  high_watermark_ = std::max(high_watermark_, start);
  (void)delete_records_before(start);  // nothing happens below the first batch
}

}  // namespace fencepost::minibroker
