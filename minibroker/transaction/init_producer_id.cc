// InitProducerId: a new producer id, the next epoch of a known one, or the takeover of an open
// transaction; and the blocks of producer ids that the controller hands out.
// Source: KIP-98, KIP-360, KIP-588, KIP-890.
#include "minibroker/transaction/coordinator.h"

namespace fencepost::minibroker::transaction {

namespace {

// Whether a client that names (producer id, epoch) may still own the id. A new id takes any pair;
// the previous producer id at its last epoch is the repeat of a call that rotated it.
bool may_own(const TransactionValues& values, const protocol::InitProducerIdRequest& request) {
  return values.producer_epoch == -1 || request.producer_id == values.producer_id ||
         (request.producer_id == values.previous_producer_id &&
          is_epoch_exhausted(request.producer_epoch));
}

}  // namespace

void TransactionCoordinator::init_producer_id(const RequestContext& context,
                                              const protocol::InitProducerIdRequest& request,
                                              Instant now) {
  Waiter waiter{Asker::init_producer_id, context};
  if ((request.producer_id == -1) != (request.producer_epoch == -1))
    return answer(waiter, ErrorCode::invalid_request);
  if (!request.transactional_id) {  // an idempotent producer without transactions
    std::optional<std::int64_t> producer_id = take_producer_id();
    if (!producer_id) return answer(waiter, ErrorCode::coordinator_load_in_progress);
    return answer_producer(waiter, *producer_id, 0);
  }
  const std::string& transactional_id = *request.transactional_id;
  if (transactional_id.empty()) return answer(waiter, ErrorCode::invalid_request);
  if (request.transaction_timeout_ms <= 0 ||
      milliseconds(request.transaction_timeout_ms) > settings_.max_timeout)
    return answer(waiter, ErrorCode::invalid_transaction_timeout);

  Found found = find(transactional_id);
  if (found.error != ErrorCode::none) return answer(waiter, found.error);
  if (found.metadata == nullptr) {
    std::optional<std::int64_t> producer_id = take_producer_id();
    if (!producer_id) return answer(waiter, ErrorCode::coordinator_load_in_progress);
    TransactionValues values;
    values.producer_id = *producer_id;
    values.producer_epoch = static_cast<std::int16_t>(settings_.first_producer_epoch - 1);
    values.timeout = milliseconds(request.transaction_timeout_ms);
    values.last_update = Instant(milliseconds(to_timestamp(now)));
    partitions_[found.partition].transactions.emplace(transactional_id,
                                                      TransactionMetadata(std::move(values)));
    found = find(transactional_id);
    note_status(transactional_id, *found.metadata);
  }
  renew_producer(transactional_id, found, request, waiter, now);
}

void TransactionCoordinator::renew_producer(const std::string& transactional_id, const Found& found,
                                            const protocol::InitProducerIdRequest& request,
                                            const Waiter& waiter, Instant now) {
  TransactionMetadata& metadata = *found.metadata;
  const TransactionValues& values = metadata.values();
  Duration timeout = milliseconds(request.transaction_timeout_ms);
  bool names_producer = request.producer_id != -1;
  if (metadata.pending()) return answer(waiter, ErrorCode::concurrent_transactions);
  if (names_producer && !may_own(values, request))
    return answer(waiter, ErrorCode::producer_fenced);

  switch (values.status) {
    case TransactionStatus::prepare_commit:
    case TransactionStatus::prepare_abort:
      return answer(waiter, ErrorCode::concurrent_transactions);
    case TransactionStatus::ongoing:
      if (era_.has(Defect::takeover_keeps_transaction))
        return answer_producer(waiter, values.producer_id, values.producer_epoch);
      // Also for the current owner. The raised epoch is never handed out: the client has to ask
      // again when the markers are written.
      return fence_and_abort(transactional_id, found,
                             {Asker::init_producer_id_fencing, waiter.context}, now);
    case TransactionStatus::empty:
    case TransactionStatus::complete_commit:
    case TransactionStatus::complete_abort:
      break;
    case TransactionStatus::dead:
    case TransactionStatus::prepare_epoch_fence:
      CHECK(false);  // only ever pending
  }

  if (metadata.is_epoch_exhausted()) {
    // Kafka fails here with an unchecked exception.
    if (names_producer && request.producer_epoch != values.producer_epoch)
      return answer(waiter, ErrorCode::unknown_server_error);
    std::optional<std::int64_t> producer_id = take_producer_id();
    if (!producer_id) return answer(waiter, ErrorCode::coordinator_load_in_progress);
    return write_step(
        transactional_id, found,
        metadata.prepare_producer_id_rotation(*producer_id, timeout, names_producer, now), waiter,
        now);
  }
  std::optional<std::int16_t> expected_epoch;
  if (names_producer) expected_epoch = request.producer_epoch;
  std::optional<TransactionValues> next = metadata.prepare_epoch_bump(timeout, expected_epoch, now);
  if (!next) return answer(waiter, ErrorCode::producer_fenced);
  if (era_.has(Defect::takeover_keeps_epoch) && values.producer_epoch >= 0)
    next->producer_epoch = values.producer_epoch;
  write_step(transactional_id, found, *next, waiter, now);
}

std::optional<std::int64_t> TransactionCoordinator::take_producer_id() {
  if (producer_ids_.empty()) return std::nullopt;
  ProducerIds& block = producer_ids_.front();
  std::int64_t producer_id = block.next++;
  if (block.next == block.end) producer_ids_.pop_front();
  return producer_id;
}

bool TransactionCoordinator::needs_producer_ids() const {
  // As in Kafka, the next block is fetched when 90 % of the newest one are used.
  std::int64_t left = 0;
  for (const ProducerIds& block : producer_ids_) left += block.end - block.next;
  return left <= producer_id_block_size_ / 10;
}

void TransactionCoordinator::add_producer_ids(std::int64_t first, std::int64_t count) {
  CHECK(first >= 0 && count > 0);
  producer_ids_.push_back({first, first + count});
  producer_id_block_size_ = count;
}

}  // namespace fencepost::minibroker::transaction
