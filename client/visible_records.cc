// Walks the batches with the aborted transactions beside them, as Kafka's consumer does: a
// transaction is aborted from its first offset to its ABORT marker.
#include "client/visible_records.h"

#include <algorithm>
#include <set>

namespace fencepost::client {

namespace {

using AbortedTransaction = protocol::FetchResponse::AbortedTransaction;

// Which producers have an aborted transaction open at the current batch.
class AbortedTransactions {
 public:
  explicit AbortedTransactions(std::vector<AbortedTransaction> listed)
      : listed_(std::move(listed)) {
    // The list comes in the order of the markers, which is another one when transactions overlap.
    std::stable_sort(listed_.begin(), listed_.end(),
                     [](const auto& a, const auto& b) { return a.first_offset < b.first_offset; });
  }

  void advance_to(std::int64_t offset) {
    for (; next_ < listed_.size() && listed_[next_].first_offset <= offset; ++next_)
      open_.insert(listed_[next_].producer_id);
  }
  // A marker of a producer that is not listed ends nothing: the fetch began behind its data.
  void end(std::int64_t producer_id) { open_.erase(producer_id); }
  bool contains(std::int64_t producer_id) const { return open_.contains(producer_id); }

 private:
  std::vector<AbortedTransaction> listed_;
  std::size_t next_ = 0;
  std::set<std::int64_t> open_;
};

Result<bool> is_abort_marker(const protocol::RecordBatchView& batch) {
  Result<std::optional<protocol::EndTransactionMarker>> marker = protocol::read_marker(batch);
  if (!marker) return marker.error();
  return marker->has_value() && (*marker)->type == protocol::ControlType::abort;
}

Error at_offset(std::int64_t offset, Error error) {
  error.text = "the batch at offset " + std::to_string(offset) + ": " + error.text;
  return error;
}

}  // namespace

Result<VisibleRecords> visible_records(const protocol::FetchResponse::PartitionData& answer,
                                       std::int64_t fetch_offset, IsolationLevel isolation_level) {
  VisibleRecords visible;
  visible.position = fetch_offset;
  if (!answer.records.has_value() || answer.records->bytes.empty()) return visible;
  Result<std::vector<protocol::RecordBatchView>> batches =
      protocol::open_batches(answer.records->bytes);
  if (!batches) return batches.error();
  if (batches->empty())
    return Error{ErrorKind::malformed, "the answer ends within its first batch"};

  const bool is_committed_only = isolation_level == IsolationLevel::read_committed;
  AbortedTransactions aborted(
      is_committed_only ? answer.aborted_transactions.value_or(std::vector<AbortedTransaction>{})
                        : std::vector<AbortedTransaction>{});
  for (const protocol::RecordBatchView& batch : *batches) {
    const protocol::RecordBatchHeader& header = batch.header();
    if (!batch.is_crc_valid())
      return at_offset(header.base_offset, Error{ErrorKind::malformed, "the CRC does not match"});
    aborted.advance_to(header.last_offset());
    visible.position = std::max(visible.position, header.last_offset() + 1);
    visible.leader_epoch = header.partition_leader_epoch;
    if (header.is_control_batch()) {
      Result<bool> is_abort = is_abort_marker(batch);
      if (!is_abort) return at_offset(header.base_offset, is_abort.error());
      if (is_abort.value()) aborted.end(header.producer_id);
      continue;
    }
    if (header.is_transactional() && aborted.contains(header.producer_id)) continue;
    Result<std::vector<protocol::Record>> records = batch.records();
    if (!records) return at_offset(header.base_offset, records.error());
    for (protocol::Record& record : *records)
      if (record.offset >= fetch_offset) visible.records.push_back(std::move(record));
  }
  return visible;
}

}  // namespace fencepost::client
