// The transaction coordinator of one broker, for all partitions of __transaction_state that it
// leads. A plain value: requests, outcomes and the time go in; replies, log writes, markers and the
// next deadline come out.
//
//   What                                                                   File
//   the states of a transactional.id, what may follow what, epochs transaction_metadata.{h,cc}
//   InitProducerId: new producer, epoch bump, takeover, producer ids       init_producer_id.cc
//   AddPartitionsToTxn, AddOffsetsToTxn, verification (KIP-890 part 1)     add_partitions.cc
//   EndTxn, and the abort that the coordinator starts itself               end_txn.cc
//   markers: fan-out, retries, completion                                  markers.{h,cc}
//   timeouts of transactions, expiry of ids, deadlines                     expiration.cc
//   log writes and what follows when they succeed or fail                  log_writes.cc
//   answers, and the error codes that depend on the version                replies.cc
//   the records of __transaction_state; loading and unloading              transaction_log.{h,cc},
//   load.cc DescribeTransactions, ListTransactions, snapshots                      describe.cc
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "minibroker/effects.h"
#include "minibroker/era.h"
#include "minibroker/events.h"
#include "minibroker/transaction/markers.h"
#include "minibroker/transaction/transaction_metadata.h"
#include "protocol/messages/add_offsets_to_txn.h"
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/describe_transactions.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/list_transactions.h"

namespace fencepost::minibroker::transaction {

struct TransactionSettings {
  int partition_count = 50;  // of __transaction_state
  Duration max_timeout = std::chrono::minutes(15);
  Duration abort_sweep_interval = std::chrono::seconds(10);
  Duration expiration = std::chrono::hours(24 * 7);
  Duration expiration_sweep_interval = std::chrono::hours(1);
  Duration marker_retry_backoff = milliseconds(100);
  std::int16_t first_producer_epoch = 0;  // of a new transactional.id
};

class TransactionCoordinator {
 public:
  using AddPartitionsResult = protocol::AddPartitionsToTxnResponse::AddPartitionsToTxnResult;

  // The sweeps run first one interval after `start`.
  TransactionCoordinator(TransactionSettings settings, Era era, Instant start);

  // ---- leadership of a partition of __transaction_state

  // From here to load() requests for it answer COORDINATOR_LOAD_IN_PROGRESS.
  void begin_loading(std::int32_t partition);
  // `batches` is the whole log of that partition, oldest first; `coordinator_epoch` its leader
  // epoch. What was decided and not completed sends its markers again, in that epoch.
  void load(std::int32_t partition, std::int32_t coordinator_epoch,
            const std::vector<ReplayedBatch>& batches, Instant now);
  // Forgets the partition. Writes under way keep waiting for their outcome and then answer
  // NOT_COORDINATOR.
  void unload(std::int32_t partition);

  // ---- requests; who may do what has been looked at. Each is answered once in take_replies().

  void init_producer_id(const RequestContext& context,
                        const protocol::InitProducerIdRequest& request, Instant now);
  // Versions 0-3: every partition exists and may be written. Versions 4 and up, from brokers: the
  // transactions for which that does not hold are not in `request` but, answered, in `refused`. The
  // answer is given when all its transactions have theirs.
  void add_partitions_to_txn(const RequestContext& context,
                             const protocol::AddPartitionsToTxnRequest& request, Instant now,
                             std::vector<AddPartitionsResult> refused = {});
  // `offsets_partition` is where the group's offsets are.
  void add_offsets_to_txn(const RequestContext& context,
                          const protocol::AddOffsetsToTxnRequest& request,
                          const TopicPartition& offsets_partition, Instant now);
  void end_txn(const RequestContext& context, const protocol::EndTxnRequest& request, Instant now);
  void describe_transactions(const RequestContext& context,
                             const protocol::DescribeTransactionsRequest& request);
  void list_transactions(const RequestContext& context,
                         const protocol::ListTransactionsRequest& request, Instant now);

  // ---- what becomes of what it asked for

  // Once for each write of take_log_writes().
  void on_log_write(const LogWriteOutcome& outcome, Instant now);
  // Once for each partition of each marker of take_markers().
  void on_marker_result(const MarkerResult& result, Instant now);

  // A new block of producer ids is wanted; ask the controller once and give it to
  // add_producer_ids(). Without any, InitProducerId answers COORDINATOR_LOAD_IN_PROGRESS.
  bool needs_producer_ids() const;
  void add_producer_ids(std::int64_t first, std::int64_t count);

  // Timers that are set go on; what comes next follows the new settings.
  void change_settings(TransactionSettings settings, Era era) {
    settings_ = std::move(settings);
    era_ = std::move(era);
  }

  // ---- time

  std::optional<Instant> next_deadline() const;
  void advance_to(Instant now);

  // ---- what it wants done; taking empties the list

  std::vector<Reply> take_replies() { return std::exchange(replies_, {}); }
  std::vector<LogWrite> take_log_writes() { return std::exchange(log_writes_, {}); }
  std::vector<MarkerRequest> take_markers() { return std::exchange(markers_, {}); }

  // ---- looking inside

  // The decision has its last marker; Complete* is not written yet, or not replicated.
  bool has_all_markers(const std::string& transactional_id);
  std::vector<TransactionState> states() const;
  void add_to(Digest& digest) const;

 private:
  using ErrorCode = protocol::ErrorCode;

  // A partition of __transaction_state that this broker leads.
  struct OwnedPartition {
    bool is_loading = true;
    std::int32_t coordinator_epoch = -1;
    std::map<std::string, TransactionMetadata> transactions = {};
  };
  // Where a transactional.id is; `error` is what to answer when this broker cannot say.
  // `metadata` is nothing when the id is unknown.
  struct Found {
    ErrorCode error = ErrorCode::none;
    std::int32_t partition = -1;
    std::int32_t coordinator_epoch = -1;
    TransactionMetadata* metadata = nullptr;
  };

  // Who is answered when a step is done.
  enum class Asker {
    nobody,  // the coordinator itself
    init_producer_id,
    init_producer_id_fencing,  // the step is the abort of what was open; success answers 51
    add_partitions,
    add_offsets,
    end_txn,
  };
  struct Waiter {
    Asker asker = Asker::nobody;
    RequestContext context = {};
    std::uint64_t addition = 0;   // add_partitions: which of open_additions_,
    std::size_t transaction = 0;  // and which of its transactions
  };
  // An AddPartitionsToTxn, of which some transactions are not answered yet.
  struct OpenAddition {
    RequestContext context;
    std::vector<AddPartitionsResult> results;
    std::size_t unanswered = 0;
    ErrorCode error = ErrorCode::none;  // of the whole request
  };
  // A write of the coordinator's log and the step that it makes durable.
  struct PendingWrite {
    std::int32_t partition = -1;
    std::int32_t coordinator_epoch = -1;
    std::string transactional_id;
    TransactionValues prepared;
    Waiter waiter = {};
    bool is_epoch_fence = false;
    std::vector<std::string> forgotten = {};  // a write of tombstones, instead of a step
  };
  struct ProducerIds {
    std::int64_t next = 0;
    std::int64_t end = 0;
  };

  Found find(const std::string& transactional_id);
  std::optional<std::int64_t> take_producer_id();
  // transaction.version of the cluster: what the coordinator does by itself follows it.
  std::int16_t cluster_transaction_version() const;

  // init_producer_id.cc
  void renew_producer(const std::string& transactional_id, const Found& found,
                      const protocol::InitProducerIdRequest& request, const Waiter& waiter,
                      Instant now);

  // add_partitions.cc
  void add_to_transaction(const std::string& transactional_id, std::int64_t producer_id,
                          std::int16_t producer_epoch, const std::set<TopicPartition>& partitions,
                          std::int16_t transaction_version, const Waiter& waiter, Instant now);
  ErrorCode addition_error(const TransactionMetadata& metadata, std::int64_t producer_id,
                           std::int16_t producer_epoch) const;
  ErrorCode verification_error(const std::string& transactional_id, std::int64_t producer_id,
                               std::int16_t producer_epoch);
  void verify_partitions(
      const protocol::AddPartitionsToTxnRequest::AddPartitionsToTxnTransaction& transaction,
      AddPartitionsResult& result);
  void finish_transaction_of(std::uint64_t addition);

  // end_txn.cc
  void end_classic(const std::string& transactional_id, const Found& found,
                   const protocol::EndTxnRequest& request, const Waiter& waiter, Instant now);
  void end_with_epoch_bump(const std::string& transactional_id, const Found& found,
                           const protocol::EndTxnRequest& request, const Waiter& waiter,
                           Instant now);
  void fence_and_abort(const std::string& transactional_id, const Found& found,
                       const Waiter& waiter, Instant now);
  void write_decision(const std::string& transactional_id, const Found& found,
                      TransactionStatus status, std::int16_t transaction_version,
                      const Waiter& waiter, Instant now, bool is_epoch_fence = false);

  // markers.cc
  void start_markers(const std::string& transactional_id, std::int32_t coordinator_epoch,
                     const TransactionMetadata& metadata, TransactionValues complete, Instant now);
  bool cannot_log_addition(const Waiter& waiter) const;
  void lose_addition(std::uint64_t number);
  void note_late_marker(const MarkerResult& result);
  void ask_for_markers(const MarkerRound& round, const std::set<TopicPartition>& partitions);
  void complete_when_marked(const std::string& transactional_id, Instant now);
  void retry_markers(Instant now);

  // expiration.cc
  void abort_timed_out(Instant now);
  void expire_ids(Instant now);
  // The first run of a sweep that is not before `earliest`.
  static Instant sweep_after(Instant earliest, Instant next_sweep, Duration interval);

  // log_writes.cc
  void write_step(const std::string& transactional_id, const Found& found,
                  const TransactionValues& prepared, const Waiter& waiter, Instant now,
                  bool is_epoch_fence = false);
  void on_step_written(const PendingWrite& write, TransactionMetadata& metadata, Instant now);
  void on_step_failed(const PendingWrite& write, ErrorCode error, Instant now);
  void on_forgotten(const PendingWrite& write, ErrorCode error);
  // The first moment at which the abort sweep takes it: a millisecond past the timeout.
  static Instant timed_out_at(const TransactionValues& values);
  // Keeps the indexes below in step with a status that has changed.
  void note_status(const std::string& transactional_id, const TransactionMetadata& metadata);

  // replies.cc
  void answer(const Waiter& waiter, ErrorCode error);
  void answer_producer(const Waiter& waiter, std::int64_t producer_id, std::int16_t producer_epoch);

  TransactionSettings settings_;
  Era era_;
  std::map<std::int32_t, OwnedPartition> partitions_;
  std::map<std::uint64_t, PendingWrite> writes_;
  std::map<std::uint64_t, OpenAddition> open_additions_;
  std::map<std::string, MarkerRound> rounds_;
  // The ids that the abort sweep has to look at, and from when on.
  std::map<std::string, Instant> ongoing_;
  std::deque<ProducerIds> producer_ids_;
  std::int64_t producer_id_block_size_ = 0;  // of the newest block
  Instant next_abort_sweep_;
  Instant next_expiration_sweep_;
  std::optional<Instant> earliest_expiry_;  // no id expires before it
  std::uint64_t next_number_ = 1;

  std::vector<Reply> replies_;
  std::vector<LogWrite> log_writes_;
  std::vector<MarkerRequest> markers_;
};

}  // namespace fencepost::minibroker::transaction
