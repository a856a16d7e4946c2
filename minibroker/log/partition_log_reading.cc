// The reading half of the log: for consumers, followers, coordinators that load, and people.
#include <algorithm>
#include <map>

#include "minibroker/log/own_batches.h"
#include "minibroker/log/partition_log.h"

namespace fencepost::minibroker {

using protocol::Record;
using protocol::RecordBatchHeader;
using protocol::RecordBatchView;

namespace {

std::string readable(const protocol::OptionalBytes& bytes) {
  if (!bytes) return "null";
  const ByteView view = bytes->view();
  const bool is_text = std::all_of(view.begin(), view.end(),
                                   [](std::uint8_t byte) { return byte >= 0x20 && byte < 0x7f; });
  return is_text ? std::string(bytes->text()) : "0x" + to_hex(view);
}

BatchState control_state(const RecordBatchView& batch) {
  const auto marker = protocol::read_marker(batch);
  if (!marker || !*marker) return BatchState::other_control;
  return (*marker)->type == protocol::ControlType::commit ? BatchState::commit_marker
                                                          : BatchState::abort_marker;
}

}  // namespace

std::int64_t PartitionLog::last_stable_offset() const {
  std::optional<std::int64_t> unstable = state_.transactions.first_unstable_offset();
  if (!unstable) return high_watermark_;
  if (settings_.defect == Defect::stable_offset_past_transaction) ++*unstable;
  if (settings_.defect == Defect::new_leader_knows_no_transaction &&
      !leader_epochs_.entries().empty() && *unstable < leader_epochs_.entries().back().start_offset)
    return high_watermark_;
  std::int64_t lowest = log_start_offset_;
  // Deleting records in the middle of a batch keeps it whole.
  const std::size_t first = batches_.find(log_start_offset_);
  if (settings_.stable_offset_is_of_batch && first != batches_.size())
    lowest = std::min(lowest, batches_.header(first).base_offset);
  return std::min(std::max(*unstable, lowest), high_watermark_);
}

LogRead PartitionLog::fetch(std::int64_t from_offset, std::int64_t limit_offset,
                            std::size_t bytes_max, bool at_least_one_batch) const {
  const std::size_t first = batches_.find(from_offset);
  if (first == batches_.size()) return {{}, log_end_offset_};
  const RecordBatchHeader& head = batches_.header(first);
  // A segment whose end has been compacted away is passed over.
  const std::int64_t segment_offset = std::max(from_offset, head.base_offset);
  limit_offset = std::min(limit_offset, segments_.end_of(segment_offset));
  const std::size_t end = std::max(first, batches_.find(limit_offset));
  if (at_least_one_batch) bytes_max = std::max(bytes_max, head.size_bytes());
  const std::size_t bytes = std::min(batches_.bytes_between(first, end), bytes_max);
  const bool is_first_cut = bytes_max < head.size_bytes();
  LogRead out;
  if (!is_first_cut && bytes > 0)
    out.records = batches_.range(first, batches_.end_within(first, bytes)).slice(0, bytes);
  const std::size_t segment_begin = batches_.find(segments_.base_of(segment_offset));
  out.bound = segments_.read_bound(
      segment_offset,
      static_cast<std::int64_t>(batches_.bytes_between(segment_begin, first) + bytes),
      log_end_offset_);
  return out;
}

std::optional<std::size_t> PartitionLog::bytes_available(std::int64_t from_offset,
                                                         std::int64_t limit_offset) const {
  if (from_offset >= limit_offset) return 0;
  if (segments_.base_of(from_offset) != segments_.base_of(limit_offset)) return std::nullopt;
  return batches_.bytes_between(batches_.find(from_offset), batches_.find(limit_offset));
}

std::vector<AbortedTransaction> PartitionLog::aborted_transactions(std::int64_t fetch_offset,
                                                                   std::int64_t upper_bound) const {
  if (settings_.defect == Defect::aborted_transactions_unlisted) return {};
  return state_.transactions.aborted(fetch_offset, upper_bound);
}

// The first record of the batch with at least that timestamp.
std::optional<TimestampAndOffset> PartitionLog::find_timestamp(std::size_t index,
                                                               std::int64_t timestamp,
                                                               std::int64_t first_offset) const {
  const RecordBatchView batch = open_own(batches_.bytes(index));
  for (const Record& record : records_of(batch))
    if (record.timestamp >= timestamp && record.offset >= first_offset)
      return TimestampAndOffset{record.timestamp, record.offset,
                                batch.header().partition_leader_epoch};
  return std::nullopt;
}

// Kafka looks into one segment: the first that has a record with at least that timestamp.
std::optional<TimestampAndOffset> PartitionLog::offset_for_timestamp(
    std::int64_t timestamp, std::int64_t limit_offset) const {
  const auto segment = std::ranges::find_if(segments_.all(), [&](const Segment& it) {
    return it.size_bytes > 0 && it.largest_timestamp >= timestamp;
  });
  if (segment == segments_.all().end()) return std::nullopt;
  const std::int64_t end_offset = segments_.end_of(segment->base_offset);
  for (std::size_t index = batches_.find(segment->base_offset); index < batches_.size(); ++index) {
    if (batches_.header(index).base_offset >= end_offset) break;
    if (batches_.header(index).max_timestamp < timestamp) continue;
    if (const auto found = find_timestamp(index, timestamp, log_start_offset_))
      return found->offset < limit_offset ? found : std::nullopt;
  }
  return std::nullopt;
}

std::optional<TimestampAndOffset> PartitionLog::offset_of_max_timestamp(
    std::int64_t limit_offset) const {
  const auto segment = std::ranges::max_element(segments_.all(), {}, &Segment::largest_timestamp);
  if (segment == segments_.all().end()) return std::nullopt;
  const std::int64_t newest = segment->largest_timestamp;
  const std::int64_t end_offset = segments_.end_of(segment->base_offset);
  for (std::size_t index = batches_.find(segment->base_offset); index < batches_.size(); ++index) {
    if (batches_.header(index).base_offset >= end_offset) break;
    if (batches_.header(index).max_timestamp != newest) continue;
    const auto found = find_timestamp(index, newest, 0);
    return found && found->offset < limit_offset ? found : std::nullopt;
  }
  return std::nullopt;
}

EpochEndOffset PartitionLog::end_offset_for_epoch(std::int32_t leader_epoch) const {
  return leader_epochs_.end_offset_for(leader_epoch, log_end_offset_);
}

std::vector<ReplayedBatch> PartitionLog::replay(std::int64_t limit_offset) const {
  std::vector<ReplayedBatch> replayed;
  for (std::size_t index = batches_.find(log_start_offset_); index < batches_.size(); ++index) {
    if (batches_.header(index).last_offset() >= limit_offset) break;
    const RecordBatchView batch = open_own(batches_.bytes(index));
    replayed.push_back({batch.header(), records_of(batch)});
  }
  return replayed;
}

std::vector<BatchSummary> PartitionLog::summarize() const {
  std::vector<BatchSummary> summaries;
  std::map<std::int64_t, std::vector<std::size_t>> open;  // producer id -> its batches
  for (std::size_t index = batches_.find(log_start_offset_); index < batches_.size(); ++index) {
    const RecordBatchView batch = open_own(batches_.bytes(index));
    const RecordBatchHeader& header = batch.header();
    BatchSummary summary{header.base_offset,
                         header.last_offset(),
                         header.producer_id,
                         header.producer_epoch,
                         header.base_sequence,
                         BatchState::plain,
                         {}};
    if (header.is_control_batch()) {
      summary.state = control_state(batch);
      const bool is_commit = summary.state == BatchState::commit_marker;
      if (is_commit || summary.state == BatchState::abort_marker) {
        for (const std::size_t ended : open[header.producer_id])
          summaries[ended].state = is_commit ? BatchState::committed : BatchState::aborted;
        open.erase(header.producer_id);
      }
    } else {
      if (header.is_transactional() && header.has_producer_id()) {
        summary.state = BatchState::open;
        open[header.producer_id].push_back(summaries.size());
      }
      for (const Record& record : records_of(batch))
        summary.records.push_back(readable(record.key) + "=" + readable(record.value));
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

void PartitionLog::add_to(Digest& digest) const {
  digest.add(log_start_offset_);
  digest.add(high_watermark_);
  digest.add(log_end_offset_);
  for (std::size_t index = 0; index < batches_.size(); ++index) {
    const RecordBatchHeader& header = batches_.header(index);
    // The checksum covers the rest.
    digest.add(header.base_offset);
    digest.add(header.partition_leader_epoch);
    digest.add(header.crc);
  }
  segments_.add_to(digest);
  leader_epochs_.add_to(digest);
  minibroker::add_to(digest, state_.producers);
  state_.transactions.add_to(digest);
  verifications_.add_to(digest);
}

}  // namespace fencepost::minibroker
