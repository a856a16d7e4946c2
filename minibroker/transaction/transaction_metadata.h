// What a coordinator knows of one transactional.id, and the steps it can take. A step is prepared
// first (the pending state says so and other changes answer CONCURRENT_TRANSACTIONS), written to
// the log, and completed when the log has it. Source: KIP-98, KIP-360, KIP-890.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "minibroker/topic_partition.h"
#include "protocol/base/digest.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker::transaction {

// The numbers are those of the transaction log's records.
enum class TransactionStatus : std::int8_t {
  empty = 0,
  ongoing = 1,
  prepare_commit = 2,
  prepare_abort = 3,
  complete_commit = 4,
  complete_abort = 5,
  dead = 6,
  prepare_epoch_fence = 7,  // only ever pending, never written
};

// "PrepareCommit": as DescribeTransactions prints it.
std::string_view to_string(TransactionStatus status);
std::optional<TransactionStatus> parse_transaction_status(std::string_view name);
// Dead and PrepareEpochFence are not in the log.
std::optional<TransactionStatus> status_in_log(std::int8_t number);

constexpr std::int16_t producer_epoch_max = 32767;  // never handed to a client

// The transaction protocol that a transition was made under (feature transaction.version).
constexpr std::int16_t transaction_version_0 = 0;
constexpr std::int16_t transaction_version_2 = 2;

// The part of the metadata that a transition replaces and a log record holds.
struct TransactionValues {
  std::int64_t producer_id = -1;
  std::int64_t previous_producer_id = -1;
  // Reserved when Prepare* is written at the last epoch (TV2); Complete* moves on to it.
  std::int64_t next_producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int16_t last_producer_epoch = -1;
  Duration timeout{};
  TransactionStatus status = TransactionStatus::empty;
  std::set<TopicPartition> partitions = {};
  std::optional<Instant> started = {};
  Instant last_update{};
  std::int16_t client_transaction_version = transaction_version_0;
  bool operator==(const TransactionValues&) const = default;
};

// At 32766: the next bump would hand out 32767, or overflow.
bool is_epoch_exhausted(std::int16_t producer_epoch);

class TransactionMetadata {
 public:
  TransactionMetadata() = default;
  explicit TransactionMetadata(TransactionValues values) : values_(std::move(values)) {}

  const TransactionValues& values() const { return values_; }
  std::optional<TransactionStatus> pending() const { return pending_; }
  bool has_failed_epoch_fence() const { return has_failed_epoch_fence_; }
  bool is_epoch_exhausted() const {
    return transaction::is_epoch_exhausted(values_.producer_epoch);
  }

  // Each prepare_ returns what to write and makes its status the pending one; at most one can be
  // pending.

  // InitProducerId: a new epoch of the same producer id; `expected_epoch` is what the client named.
  // Nothing when that epoch is neither the current nor the last one: the client is fenced.
  std::optional<TransactionValues> prepare_epoch_bump(Duration timeout,
                                                      std::optional<std::int16_t> expected_epoch,
                                                      Instant now);
  // InitProducerId at the last epoch: a new producer id with epoch 0.
  TransactionValues prepare_producer_id_rotation(std::int64_t producer_id, Duration timeout,
                                                 bool remembers_last_epoch, Instant now);
  TransactionValues prepare_add_partitions(const std::set<TopicPartition>& partitions,
                                           std::int16_t transaction_version, Instant now);
  // Raises the epoch before the coordinator aborts by itself; once, however often the append fails
  // (KAFKA-9666). Nothing is written before the abort.
  TransactionValues prepare_epoch_fence();
  // PrepareCommit or PrepareAbort. Version 2 raises the epoch; `next_producer_id` is set when that
  // epoch cannot be handed out. `is_empty_abort`: nothing was added since the last transaction.
  TransactionValues prepare_end(TransactionStatus status, std::int16_t transaction_version,
                                std::optional<std::int64_t> next_producer_id, bool is_empty_abort,
                                Instant now);
  // All markers are written: CompleteCommit or CompleteAbort.
  TransactionValues prepare_complete(Instant now);
  TransactionValues prepare_dead();

  // The log has the prepared values. Dies when the step is not one that a transaction can take.
  void complete(const TransactionValues& prepared);
  // In memory alone; see Era::forgets_start_when_empty.
  void remember_start(std::optional<Instant> started) { values_.started = started; }
  // The fence becomes part of the abort that follows: the epoch is raised before it is written.
  void raise_to_fenced_epoch(std::int16_t fenced_epoch);
  void clear_pending() { pending_.reset(); }
  void set_failed_epoch_fence() { has_failed_epoch_fence_ = true; }
  void remove_partition(const TopicPartition& partition) { values_.partitions.erase(partition); }

  void add_to(Digest& digest) const;

 private:
  TransactionValues prepare(TransactionValues values);

  TransactionValues values_;
  std::optional<TransactionStatus> pending_;
  bool has_failed_epoch_fence_ = false;
};

}  // namespace fencepost::minibroker::transaction
