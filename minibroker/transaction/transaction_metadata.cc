#include "minibroker/transaction/transaction_metadata.h"

#include <array>

#include "protocol/base/check.h"

namespace fencepost::minibroker::transaction {

namespace {

constexpr std::array all_statuses{
    TransactionStatus::empty,
    TransactionStatus::ongoing,
    TransactionStatus::prepare_commit,
    TransactionStatus::prepare_abort,
    TransactionStatus::complete_commit,
    TransactionStatus::complete_abort,
    TransactionStatus::dead,
    TransactionStatus::prepare_epoch_fence,
};

bool is_at_rest(TransactionStatus status) {
  return status == TransactionStatus::empty || status == TransactionStatus::complete_commit ||
         status == TransactionStatus::complete_abort;
}

bool may_follow(TransactionStatus next, TransactionStatus now) {
  switch (next) {
    case TransactionStatus::empty:
    case TransactionStatus::dead:
      return is_at_rest(now);
    case TransactionStatus::ongoing:
    case TransactionStatus::prepare_abort:  // at rest: an abort of nothing (KIP-890 part 2)
      return now == TransactionStatus::ongoing || is_at_rest(now);
    case TransactionStatus::prepare_commit:
    case TransactionStatus::prepare_epoch_fence:
      return now == TransactionStatus::ongoing;
    case TransactionStatus::complete_commit:
      return now == TransactionStatus::prepare_commit;
    case TransactionStatus::complete_abort:
      return now == TransactionStatus::prepare_abort;
  }
  return false;
}

std::int16_t next_epoch(std::int16_t epoch) {
  return epoch == producer_epoch_max ? epoch : static_cast<std::int16_t>(epoch + 1);
}

// The log keeps milliseconds; what is kept in memory has to be the same after a replay.
Instant to_log_time(Instant now) {
  return Instant(milliseconds(to_timestamp(now)));
}

}  // namespace

std::string_view to_string(TransactionStatus status) {
  switch (status) {
    case TransactionStatus::empty:
      return "Empty";
    case TransactionStatus::ongoing:
      return "Ongoing";
    case TransactionStatus::prepare_commit:
      return "PrepareCommit";
    case TransactionStatus::prepare_abort:
      return "PrepareAbort";
    case TransactionStatus::complete_commit:
      return "CompleteCommit";
    case TransactionStatus::complete_abort:
      return "CompleteAbort";
    case TransactionStatus::dead:
      return "Dead";
    case TransactionStatus::prepare_epoch_fence:
      return "PrepareEpochFence";
  }
  return "";
}

std::optional<TransactionStatus> parse_transaction_status(std::string_view name) {
  for (TransactionStatus status : all_statuses)
    if (to_string(status) == name) return status;
  return std::nullopt;
}

std::optional<TransactionStatus> status_in_log(std::int8_t number) {
  if (number < 0 || number > static_cast<std::int8_t>(TransactionStatus::complete_abort))
    return std::nullopt;
  return static_cast<TransactionStatus>(number);
}

bool is_epoch_exhausted(std::int16_t producer_epoch) {
  return producer_epoch >= producer_epoch_max - 1;
}

TransactionValues TransactionMetadata::prepare(TransactionValues values) {
  CHECK(!pending_.has_value());
  CHECK(may_follow(values.status, values_.status));
  // Whatever the step, the log names the producer id it started from; only a rotation makes the
  // two differ.
  values.previous_producer_id = values_.producer_id;
  pending_ = values.status;
  return values;
}

std::optional<TransactionValues> TransactionMetadata::prepare_epoch_bump(
    Duration timeout, std::optional<std::int16_t> expected_epoch, Instant now) {
  CHECK(!is_epoch_exhausted());
  TransactionValues next = values_;
  std::int16_t stored = values_.producer_epoch;
  if (!expected_epoch) {
    next.producer_epoch = next_epoch(stored);
    next.last_producer_epoch = -1;
  } else if (stored == -1 || *expected_epoch == stored) {
    next.producer_epoch = next_epoch(stored);
    next.last_producer_epoch = stored;
  } else if (*expected_epoch != values_.last_producer_epoch) {
    return std::nullopt;
  }  // else the repeat of a call that succeeded: the current epoch again
  next.status = TransactionStatus::empty;
  next.timeout = timeout;
  next.partitions.clear();
  next.started.reset();
  next.last_update = to_log_time(now);
  return prepare(std::move(next));
}

TransactionValues TransactionMetadata::prepare_producer_id_rotation(std::int64_t producer_id,
                                                                    Duration timeout,
                                                                    bool remembers_last_epoch,
                                                                    Instant now) {
  TransactionValues next = values_;
  next.producer_id = producer_id;
  next.producer_epoch = 0;
  next.last_producer_epoch =
      remembers_last_epoch ? values_.producer_epoch : static_cast<std::int16_t>(-1);
  next.status = TransactionStatus::empty;
  next.timeout = timeout;
  next.partitions.clear();
  next.started.reset();
  next.last_update = to_log_time(now);
  return prepare(std::move(next));
}

TransactionValues TransactionMetadata::prepare_add_partitions(
    const std::set<TopicPartition>& partitions, std::int16_t transaction_version, Instant now) {
  TransactionValues next = values_;
  if (values_.status != TransactionStatus::ongoing) next.started = to_log_time(now);
  next.status = TransactionStatus::ongoing;
  next.partitions.insert(partitions.begin(), partitions.end());
  next.last_update = to_log_time(now);
  next.client_transaction_version = transaction_version;
  return prepare(std::move(next));
}

TransactionValues TransactionMetadata::prepare_epoch_fence() {
  TransactionValues next = values_;
  next.status = TransactionStatus::prepare_epoch_fence;
  if (!has_failed_epoch_fence_) next.producer_epoch = next_epoch(values_.producer_epoch);
  return prepare(std::move(next));
}

TransactionValues TransactionMetadata::prepare_end(TransactionStatus status,
                                                   std::int16_t transaction_version,
                                                   std::optional<std::int64_t> next_producer_id,
                                                   bool is_empty_abort, Instant now) {
  CHECK(status == TransactionStatus::prepare_commit || status == TransactionStatus::prepare_abort);
  TransactionValues next = values_;
  next.status = status;
  if (transaction_version >= transaction_version_2) {
    // At 32767 it stays there, so that a broken id can still be aborted (KAFKA-20090).
    next.producer_epoch = next_epoch(values_.producer_epoch);
    next.last_producer_epoch = values_.producer_epoch;
  }
  next.next_producer_id = next_producer_id.value_or(-1);
  if (is_empty_abort) next.started = to_log_time(now);
  next.last_update = to_log_time(now);
  next.client_transaction_version = transaction_version;
  return prepare(std::move(next));
}

TransactionValues TransactionMetadata::prepare_complete(Instant now) {
  has_failed_epoch_fence_ = false;  // what was raised is in the log
  TransactionValues next = values_;
  next.status = values_.status == TransactionStatus::prepare_commit
                    ? TransactionStatus::complete_commit
                    : TransactionStatus::complete_abort;
  if (values_.client_transaction_version >= transaction_version_2 &&
      values_.next_producer_id != -1) {
    // The client sees 32766 followed by 0 of the next producer id; 32767 was only in the markers.
    next.producer_id = values_.next_producer_id;
    next.producer_epoch = 0;
  }
  next.next_producer_id = -1;
  next.partitions.clear();
  next.last_update = to_log_time(now);
  return prepare(std::move(next));
}

TransactionValues TransactionMetadata::prepare_dead() {
  TransactionValues next = values_;
  next.status = TransactionStatus::dead;
  next.partitions.clear();
  return prepare(std::move(next));
}

void TransactionMetadata::complete(const TransactionValues& prepared) {
  CHECK(pending_ == prepared.status);
  CHECK(prepared.status != TransactionStatus::dead);
  CHECK(prepared.status != TransactionStatus::prepare_epoch_fence);
  values_ = prepared;
  pending_.reset();
}

void TransactionMetadata::raise_to_fenced_epoch(std::int16_t fenced_epoch) {
  values_.producer_epoch = fenced_epoch;
  values_.last_producer_epoch = -1;
}

void TransactionMetadata::add_to(Digest& digest) const {
  digest.add(values_.producer_id);
  digest.add(values_.previous_producer_id);
  digest.add(values_.next_producer_id);
  digest.add(std::int64_t{values_.producer_epoch});
  digest.add(std::int64_t{values_.last_producer_epoch});
  digest.add(values_.timeout.count());
  digest.add(static_cast<std::int64_t>(values_.status));
  digest.add(static_cast<std::int64_t>(values_.partitions.size()));
  for (const TopicPartition& partition : values_.partitions) digest.add(to_string(partition));
  digest.add(values_.started ? values_.started->time_since_epoch().count() : -1);
  digest.add(values_.last_update.time_since_epoch().count());
  digest.add(std::int64_t{values_.client_transaction_version});
  digest.add(pending_ ? static_cast<std::int64_t>(*pending_) : -1);
  digest.add(std::int64_t{has_failed_epoch_fence_});
}

}  // namespace fencepost::minibroker::transaction
