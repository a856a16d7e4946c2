// Log writes: a step is prepared, written to __transaction_state, and takes effect when it is
// replicated. When the write fails the step is undone, so that the id is not busy for ever
// (KAFKA-5351); only Complete* is tried again until it succeeds.
#include "minibroker/transaction/coordinator.h"
#include "minibroker/transaction/transaction_log.h"

namespace fencepost::minibroker::transaction {

namespace {

using protocol::ErrorCode;

// What a failed append means for whoever asked for the step.
ErrorCode coordinator_error(ErrorCode append_error) {
  switch (append_error) {
    case ErrorCode::unknown_topic_or_partition:
    case ErrorCode::not_enough_replicas:
    case ErrorCode::not_enough_replicas_after_append:
    case ErrorCode::request_timed_out:
      return ErrorCode::coordinator_not_available;
    case ErrorCode::not_leader_or_follower:
    case ErrorCode::kafka_storage_error:
      return ErrorCode::not_coordinator;
    case ErrorCode::message_too_large:
    case ErrorCode::record_list_too_large:
      return ErrorCode::unknown_server_error;
    default:  // a wire value, not a state
      return append_error;
  }
}

// As cut points call the step.
std::string_view step_name(TransactionStatus status) {
  switch (status) {
    case TransactionStatus::empty:
      return "empty";
    case TransactionStatus::ongoing:
      return "ongoing";
    case TransactionStatus::prepare_commit:
      return "prepare_commit";
    case TransactionStatus::prepare_abort:
      return "prepare_abort";
    case TransactionStatus::complete_commit:
      return "complete_commit";
    case TransactionStatus::complete_abort:
      return "complete_abort";
    case TransactionStatus::dead:
    case TransactionStatus::prepare_epoch_fence:
      break;
  }
  CHECK(false);  // never written
}

}  // namespace

void TransactionCoordinator::write_step(const std::string& transactional_id, const Found& found,
                                        const TransactionValues& prepared, const Waiter& waiter,
                                        Instant now, bool is_epoch_fence) {
  CHECK(found.metadata->pending() == prepared.status);
  std::int16_t value_version = cluster_transaction_version() == transaction_version_0 ? 0 : 1;
  LogWrite write;
  write.id = next_number_++;
  write.partition = {transaction_state_topic, found.partition};
  write.records.push_back(make_log_record(transactional_id, prepared, value_version, now));
  write.timeout = prepared.timeout;
  write.step = step_name(prepared.status);
  write.subject = transactional_id;
  PendingWrite pending;
  pending.partition = found.partition;
  pending.coordinator_epoch = found.coordinator_epoch;
  pending.transactional_id = transactional_id;
  pending.prepared = prepared;
  pending.waiter = waiter;
  pending.is_epoch_fence = is_epoch_fence;
  writes_.emplace(write.id, std::move(pending));
  log_writes_.push_back(std::move(write));
}

void TransactionCoordinator::on_log_write(const LogWriteOutcome& outcome, Instant now) {
  auto pending = writes_.find(outcome.id);
  CHECK(pending != writes_.end());
  PendingWrite write = std::move(pending->second);
  writes_.erase(pending);
  if (!write.forgotten.empty()) return on_forgotten(write, outcome.error);

  ErrorCode error = coordinator_error(outcome.error);
  Found found = find(write.transactional_id);
  bool is_same_leadership = found.error == ErrorCode::none && found.metadata != nullptr &&
                            found.coordinator_epoch == write.coordinator_epoch;
  if (error != ErrorCode::none) {
    if (is_same_leadership) on_step_failed(write, error, now);
    return answer(write.waiter, error);
  }
  if (found.error != ErrorCode::none) return answer(write.waiter, found.error);
  // Written, but the partition has been loaded anew since: what counts is what was loaded.
  if (!is_same_leadership) return answer(write.waiter, ErrorCode::not_coordinator);
  const std::optional<Instant> started = found.metadata->values().started;
  found.metadata->complete(write.prepared);
  const bool is_empty = write.prepared.status == TransactionStatus::empty;
  if (is_empty && !era_.forgets_start_when_empty) found.metadata->remember_start(started);
  note_status(write.transactional_id, *found.metadata);
  on_step_written(write, *found.metadata, now);
}

void TransactionCoordinator::on_step_written(const PendingWrite& write,
                                             TransactionMetadata& metadata, Instant now) {
  const TransactionValues& values = metadata.values();
  switch (values.status) {
    case TransactionStatus::empty:
      return answer_producer(write.waiter, values.producer_id, values.producer_epoch);
    case TransactionStatus::ongoing:
      return answer(write.waiter, ErrorCode::none);
    case TransactionStatus::prepare_commit:
    case TransactionStatus::prepare_abort: {
      TransactionValues complete = metadata.prepare_complete(now);
      // KAFKA-18660: what the client uses next is what Complete* will say, not 32767.
      if (write.waiter.asker == Asker::end_txn &&
          values.client_transaction_version >= transaction_version_2) {
        const TransactionValues& told =
            era_.has(Defect::internal_epoch_handed_out) ? values : complete;
        answer_producer(write.waiter, told.producer_id, told.producer_epoch);
      } else {
        answer(write.waiter, ErrorCode::none);
      }
      return start_markers(write.transactional_id, write.coordinator_epoch, metadata,
                           std::move(complete), now);
    }
    case TransactionStatus::complete_commit:
    case TransactionStatus::complete_abort:
      rounds_.erase(write.transactional_id);
      return;
    case TransactionStatus::dead:
    case TransactionStatus::prepare_epoch_fence:
      CHECK(false);  // never written
  }
}

void TransactionCoordinator::on_step_failed(const PendingWrite& write, ErrorCode error,
                                            Instant now) {
  TransactionMetadata& metadata = *find(write.transactional_id).metadata;
  bool is_completion = write.prepared.status == TransactionStatus::complete_commit ||
                       write.prepared.status == TransactionStatus::complete_abort;
  if (is_completion && error == ErrorCode::coordinator_not_available) {
    rounds_.at(write.transactional_id).completion_retry = now + settings_.marker_retry_backoff;
    return;
  }
  if (is_completion) rounds_.erase(write.transactional_id);
  if (era_.has(Defect::pending_kept_after_failed_write)) return;
  metadata.clear_pending();
  if (write.is_epoch_fence && !era_.has(Defect::failed_fence_raises_epoch_again))
    metadata.set_failed_epoch_fence();
}

void TransactionCoordinator::on_forgotten(const PendingWrite& write, ErrorCode error) {
  auto owned = partitions_.find(write.partition);
  if (owned == partitions_.end() || owned->second.coordinator_epoch != write.coordinator_epoch)
    return;
  for (const std::string& transactional_id : write.forgotten) {
    auto metadata = owned->second.transactions.find(transactional_id);
    if (metadata == owned->second.transactions.end()) continue;
    if (error == ErrorCode::none)
      owned->second.transactions.erase(metadata);
    else
      metadata->second.clear_pending();
  }
}

void TransactionCoordinator::note_status(const std::string& transactional_id,
                                         const TransactionMetadata& metadata) {
  const TransactionValues& values = metadata.values();
  if (values.status == TransactionStatus::ongoing)
    ongoing_.insert_or_assign(transactional_id, timed_out_at(values));
  else
    ongoing_.erase(transactional_id);
  Instant expiry = values.last_update + settings_.expiration;
  if (!earliest_expiry_ || expiry < *earliest_expiry_) earliest_expiry_ = expiry;
}

}  // namespace fencepost::minibroker::transaction
