// EndTxn: the decision to commit or abort. It is answered when PrepareCommit or PrepareAbort is
// replicated, before any marker is written. Version 5 on (KIP-890 part 2) raises the epoch with
// every decision, so that a repeat is told apart from the next EndTxn. The coordinator's own abort,
// for a takeover or a timeout, raises the epoch first.
#include "minibroker/transaction/coordinator.h"

namespace fencepost::minibroker::transaction {

namespace {

using protocol::ErrorCode;

constexpr std::int16_t first_version_with_epoch_bump = 5;

// A request and the stored state, seen by KIP-890 part 2.
struct Identity {
  bool is_overflow_repeat = false;  // the decision rotated the producer id
  bool is_repeat = false;           // of an EndTxn that has been decided
  bool is_current = false;
};

Identity identify(const TransactionValues& values, const protocol::EndTxnRequest& request) {
  Identity identity;
  identity.is_overflow_repeat = values.previous_producer_id == request.producer_id &&
                                request.producer_epoch == producer_epoch_max - 1 &&
                                values.producer_epoch == 0;
  identity.is_repeat =
      identity.is_overflow_repeat || values.producer_epoch == request.producer_epoch + 1;
  identity.is_current = values.producer_epoch == request.producer_epoch;
  return identity;
}

bool is_epoch_acceptable(TransactionStatus status, const Identity& identity) {
  switch (status) {
    case TransactionStatus::empty:
    case TransactionStatus::ongoing:
      return identity.is_current;
    case TransactionStatus::prepare_commit:
    case TransactionStatus::prepare_abort:
      return identity.is_repeat && !identity.is_overflow_repeat;
    case TransactionStatus::complete_commit:
    case TransactionStatus::complete_abort:
      return identity.is_repeat || identity.is_current;
    case TransactionStatus::dead:
    case TransactionStatus::prepare_epoch_fence:
      break;
  }
  CHECK(false);  // only ever pending
  return false;
}

// A decision that has been taken before: the same one is answered with `same`.
ErrorCode repeat_error(TransactionStatus status, bool is_commit, ErrorCode same) {
  bool was_commit =
      status == TransactionStatus::prepare_commit || status == TransactionStatus::complete_commit;
  return was_commit == is_commit ? same : ErrorCode::invalid_txn_state;
}

TransactionStatus prepare_status(bool is_commit) {
  return is_commit ? TransactionStatus::prepare_commit : TransactionStatus::prepare_abort;
}

}  // namespace

void TransactionCoordinator::end_txn(const RequestContext& context,
                                     const protocol::EndTxnRequest& request, Instant now) {
  Waiter waiter{Asker::end_txn, context};
  if (request.transactional_id.empty()) return answer(waiter, ErrorCode::invalid_request);
  Found found = find(request.transactional_id);
  if (found.error != ErrorCode::none) return answer(waiter, found.error);
  if (found.metadata == nullptr) return answer(waiter, ErrorCode::invalid_producer_id_mapping);
  if (context.api_version >= first_version_with_epoch_bump && era_.bumps_epoch_at_end())
    end_with_epoch_bump(request.transactional_id, found, request, waiter, now);
  else
    end_classic(request.transactional_id, found, request, waiter, now);
}

void TransactionCoordinator::end_classic(const std::string& transactional_id, const Found& found,
                                         const protocol::EndTxnRequest& request,
                                         const Waiter& waiter, Instant now) {
  const TransactionValues& values = found.metadata->values();
  if (values.producer_id != request.producer_id)
    return answer(waiter, ErrorCode::invalid_producer_id_mapping);
  if (values.producer_epoch != request.producer_epoch && !era_.has(Defect::end_txn_epoch_unchecked))
    return answer(waiter, ErrorCode::producer_fenced);
  if (found.metadata->pending()) return answer(waiter, ErrorCode::concurrent_transactions);
  switch (values.status) {
    case TransactionStatus::empty:
      return answer(waiter, ErrorCode::invalid_txn_state);
    case TransactionStatus::ongoing:
      return write_decision(transactional_id, found, prepare_status(request.committed),
                            transaction_version_0, waiter, now);
    case TransactionStatus::prepare_commit:
    case TransactionStatus::prepare_abort:
      return answer(waiter, repeat_error(values.status, request.committed,
                                         ErrorCode::concurrent_transactions));
    case TransactionStatus::complete_commit:
    case TransactionStatus::complete_abort:
      return answer(waiter, repeat_error(values.status, request.committed, ErrorCode::none));
    case TransactionStatus::dead:
    case TransactionStatus::prepare_epoch_fence:
      break;
  }
  CHECK(false);  // only ever pending
}

void TransactionCoordinator::end_with_epoch_bump(const std::string& transactional_id,
                                                 const Found& found,
                                                 const protocol::EndTxnRequest& request,
                                                 const Waiter& waiter, Instant now) {
  const TransactionValues& values = found.metadata->values();
  Identity identity = identify(values, request);
  if (values.producer_id != request.producer_id && !identity.is_overflow_repeat)
    return answer(waiter, ErrorCode::invalid_producer_id_mapping);
  if (found.metadata->pending()) return answer(waiter, ErrorCode::concurrent_transactions);
  if (!is_epoch_acceptable(values.status, identity) && !era_.has(Defect::end_txn_epoch_unchecked))
    return answer(waiter, ErrorCode::producer_fenced);

  switch (values.status) {
    case TransactionStatus::ongoing:
      return write_decision(
          transactional_id, found, prepare_status(request.committed),
          era_.has(Defect::epoch_kept_at_end) ? transaction_version_0 : transaction_version_2,
          waiter, now);
    case TransactionStatus::prepare_commit:
    case TransactionStatus::prepare_abort:
      return answer(waiter, repeat_error(values.status, request.committed,
                                         ErrorCode::concurrent_transactions));
    case TransactionStatus::complete_commit:
    case TransactionStatus::complete_abort:
      if (identity.is_repeat) {
        ErrorCode error = repeat_error(values.status, request.committed, ErrorCode::none);
        if (error != ErrorCode::none) return answer(waiter, error);
        return answer_producer(waiter, values.producer_id, values.producer_epoch);
      }
      break;
    case TransactionStatus::empty:
      break;
    case TransactionStatus::dead:
    case TransactionStatus::prepare_epoch_fence:
      CHECK(false);  // only ever pending
  }
  // Nothing is open. An abort raises the epoch all the same, because a Produce of this epoch may be
  // on its way to a leader that will add its partition.
  if (request.committed) return answer(waiter, ErrorCode::invalid_txn_state);
  write_decision(transactional_id, found, TransactionStatus::prepare_abort, transaction_version_2,
                 waiter, now);
}

void TransactionCoordinator::fence_and_abort(const std::string& transactional_id,
                                             const Found& found, const Waiter& waiter,
                                             Instant now) {
  std::int16_t version = cluster_transaction_version();
  TransactionValues fenced = found.metadata->prepare_epoch_fence();
  found.metadata->clear_pending();
  // KAFKA-19367: in version 2 the abort raises the epoch by itself.
  if (version < transaction_version_2 || !era_.fences_with_one_bump ||
      era_.has(Defect::fence_raises_epoch_twice))
    found.metadata->raise_to_fenced_epoch(fenced.producer_epoch);
  write_decision(transactional_id, found, TransactionStatus::prepare_abort, version, waiter, now,
                 true);
}

void TransactionCoordinator::write_decision(const std::string& transactional_id, const Found& found,
                                            TransactionStatus status,
                                            std::int16_t transaction_version, const Waiter& waiter,
                                            Instant now, bool is_epoch_fence) {
  TransactionMetadata& metadata = *found.metadata;
  std::optional<std::int64_t> next_producer_id;
  const bool has_successor = !is_epoch_fence || !era_.has(Defect::last_epoch_without_successor);
  if (transaction_version >= transaction_version_2 && metadata.is_epoch_exhausted() &&
      has_successor) {
    next_producer_id = take_producer_id();
    if (!next_producer_id) return answer(waiter, ErrorCode::coordinator_load_in_progress);
  }
  bool is_empty_abort = metadata.values().status != TransactionStatus::ongoing;
  const TransactionValues decision =
      metadata.prepare_end(status, transaction_version, next_producer_id, is_empty_abort, now);
  const bool is_early = era_.has(Defect::end_txn_answered_early) && waiter.asker == Asker::end_txn;
  if (is_early) answer_producer(waiter, decision.producer_id, decision.producer_epoch);
  write_step(transactional_id, found, decision, is_early ? Waiter{} : waiter, now, is_epoch_fence);
}

}  // namespace fencepost::minibroker::transaction
