#include "minibroker/log/cleaned_transactions.h"

namespace fencepost::minibroker {

void CleanedTransactions::add(const std::vector<AbortedTransaction>& aborted) {
  for (const AbortedTransaction& transaction : aborted)
    coming_.emplace(transaction.first_offset, transaction);
}

// A transaction that spans segments is added with each: it is under way already then.
void CleanedTransactions::begin_up_to(std::int64_t offset) {
  while (!coming_.empty() && coming_.begin()->first <= offset) {
    const AbortedTransaction& transaction = coming_.begin()->second;
    aborted_.try_emplace(transaction.producer_id, Ongoing{transaction});
    coming_.erase(coming_.begin());
  }
}

bool CleanedTransactions::is_aborted(const protocol::RecordBatchHeader& batch) {
  begin_up_to(batch.last_offset());
  if (!batch.is_transactional()) return false;
  const auto found = aborted_.find(batch.producer_id);
  if (found == aborted_.end()) {
    committed_.insert(batch.producer_id);
    return false;
  }
  found->second.has_records = true;
  return true;
}

bool CleanedTransactions::is_without_transaction(const protocol::RecordBatchView& control_batch) {
  const protocol::RecordBatchHeader& header = control_batch.header();
  begin_up_to(header.last_offset());
  if (header.record_count == 0) return true;  // it was emptied before
  const auto marker = protocol::read_marker(control_batch);
  if (!marker || !*marker) return false;
  if ((*marker)->type == protocol::ControlType::commit)
    return committed_.erase(header.producer_id) == 0;
  const auto found = aborted_.find(header.producer_id);
  if (found == aborted_.end()) return true;
  const Ongoing ended = found->second;
  aborted_.erase(found);
  if (ended.has_records) kept_.push_back(ended.transaction);
  return !ended.has_records;
}

}  // namespace fencepost::minibroker
