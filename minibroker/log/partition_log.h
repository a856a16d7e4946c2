// One replica's log of a partition, in memory, as a plain value: a copy is a second log that shares
// only bytes that never change. It decides by section and row what Kafka's leader answers; it knows
// no other replica, no ISR and no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/defects.h"
#include "minibroker/effects.h"
#include "minibroker/events.h"
#include "minibroker/log/batch_store.h"
#include "minibroker/log/batch_validation.h"
#include "minibroker/log/cleanup_rules.h"
#include "minibroker/log/leader_epochs.h"
#include "minibroker/log/log_changes.h"
#include "minibroker/log/producer_state.h"
#include "minibroker/log/segments.h"
#include "minibroker/log/transaction_index.h"
#include "minibroker/log/verification.h"
#include "protocol/base/bytes.h"
#include "protocol/base/digest.h"
#include "protocol/base/time.h"
#include "protocol/error_code.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

struct LogSettings {
  BatchRules rules;
  SegmentRules segments;
  CleanupRules cleanup;
  // KIP-890 part 1 on this partition: Era::verifies_partitions, or ..._offset_commits.
  bool verifies_transactions = true;
  // As the members of Era of the same name.
  bool looks_at_epoch_before_guard = true;
  bool holds_back_before_marker = true;
  bool demands_newer_marker_epoch = true;
  bool stable_offset_is_of_batch = true;
  Defect defect = Defect::none;
  bool operator==(const LogSettings&) const = default;
};

struct AppendOutcome {
  protocol::ErrorCode error = protocol::ErrorCode::none;
  std::string message;  // empty where Kafka puts no text into its answer
  std::vector<RecordError> record_errors;
  std::int64_t base_offset = -1;
  std::int64_t last_offset = -1;
  std::int64_t log_append_time_ms = protocol::no_timestamp;
  std::int64_t log_start_offset = -1;
  bool is_duplicate = false;  // appended before; the offsets are those of then

  bool ok() const { return error == protocol::ErrorCode::none; }
};

// The end of a transaction as its coordinator asks for it.
struct MarkerRequest {
  protocol::ControlType type = protocol::ControlType::abort;
  std::int64_t producer_id = protocol::no_producer_id;
  std::int16_t producer_epoch = protocol::no_producer_epoch;
  std::int32_t coordinator_epoch = 0;
  int transaction_version = 0;  // 2: the epoch has been bumped for it
};

struct TimestampAndOffset {
  std::int64_t timestamp = protocol::no_timestamp;
  std::int64_t offset = -1;
  std::int32_t leader_epoch = -1;
  bool operator==(const TimestampAndOffset&) const = default;
};

// What a reader is given of a log.
struct LogRead {
  SharedBytes records;     // the last batch may be cut off
  std::int64_t bound = 0;  // aborted transactions that begin below it are told with it
};

// What the cleaner makes of the first segments of a log, up to `end_offset`.
struct CleanedSegments {
  std::size_t segment_count = 0;  // that are replaced
  std::int64_t end_offset = 0;
  std::vector<Segment> segments;
  std::vector<SharedBytes> batches;  // of all of them, in order
  // Of the aborted transactions that ended there, those that readers are still told of.
  std::vector<AbortedTransaction> aborted;
};

class PartitionLog {
 public:
  explicit PartitionLog(LogSettings settings = {}) : settings_(std::move(settings)) {}

  const LogSettings& settings() const { return settings_; }
  void change_settings(LogSettings settings) { settings_ = std::move(settings); }

  // ---- writing

  // This replica leads from here on: the epoch begins at the log end.
  void begin_leader_epoch(std::int32_t leader_epoch);
  // Appends the one batch in `records`, with the next offsets. Nothing is written when refused.
  AppendOutcome append_as_leader(const SharedBytes& records, AppendOrigin origin,
                                 std::int32_t leader_epoch, VerificationGuard guard, Instant now);
  // Appends a transaction marker; the producer need not be known.
  AppendOutcome append_marker(const MarkerRequest& marker, std::int32_t leader_epoch, Instant now);
  // Appends what the leader of `leader_epoch` sent, as it is; batches of a newer epoch end it.
  // Those before CORRUPT_MESSAGE (no batch) and OFFSET_OUT_OF_RANGE (below the log end) are
  // appended.
  protocol::ErrorCode append_as_follower(const SharedBytes& batches, std::int32_t leader_epoch);

  // Moves the high watermark up, at most to the log end; never down.
  void advance_high_watermark(std::int64_t offset);
  // Moves the log start up; producers stay known. OFFSET_OUT_OF_RANGE above the high watermark.
  protocol::ErrorCode delete_records_before(std::int64_t offset);
  // Retention: drops the segments that are too many or too old; whether there were any.
  bool delete_old_segments(Instant now);
  // When it will have something to do, if nothing more is appended; nothing when never.
  std::optional<Instant> deletion_due(Instant now) const;
  // Compaction: the log with its first segments replaced. What is known of producers stays.
  void replace_segments(CleanedSegments cleaned);
  // Drops everything from that offset on, whole batches, and forgets what only they said.
  void truncate_to(std::int64_t offset);
  // An empty log that begins at that offset.
  void truncate_fully_and_start_at(std::int64_t offset);
  // Forgets producers without open transaction, verifications without answer; once a moment.
  void expire_producers(Instant now, Duration expiration);

  // ---- verification (KIP-890)

  // A guard for a batch of a transaction that the coordinator is going to be asked about; none when
  // it need not be: the transaction is open here, or this partition does not verify.
  // `adds_partition`: Produce v12, TxnOffsetCommit v5, which ask also where nobody verifies.
  VerificationGuard begin_verification(std::int64_t producer_id, std::int32_t sequence,
                                       std::int16_t producer_epoch, bool adds_partition,
                                       Instant now);
  // After a crash: they live in memory only.
  void forget_verifications() { verifications_.clear(); }
  // An open transaction that a batch of this epoch may go on with.
  bool has_ongoing_transaction(std::int64_t producer_id, std::int16_t producer_epoch) const;
  // An open transaction of an older epoch: its marker is still to come.
  bool has_older_transaction(std::int64_t producer_id, std::int16_t producer_epoch) const;

  // ---- reading

  std::int64_t log_start_offset() const { return log_start_offset_; }
  std::int64_t high_watermark() const { return high_watermark_; }
  std::int64_t log_end_offset() const { return log_end_offset_; }
  // Where the first open transaction begins, or what is left of it begins.
  std::int64_t last_stable_offset() const;
  // Batches of one segment, from the one that holds `from_offset`, all below `limit_offset`. Not
  // more than `bytes_max`, as Kafka with the last batch cut off; but no batch at all when not even
  // the first fits, and that one whole when `at_least_one_batch`.
  LogRead fetch(std::int64_t from_offset, std::int64_t limit_offset, std::size_t bytes_max,
                bool at_least_one_batch) const;
  SharedBytes read(std::int64_t from_offset, std::int64_t limit_offset, std::size_t bytes_max,
                   bool at_least_one_batch) const {
    return fetch(from_offset, limit_offset, bytes_max, at_least_one_batch).records;
  }
  // How many bytes a reader that waits for more may count on, or nothing when `from_offset` and
  // `limit_offset` are in different segments: then it is not to wait any longer.
  std::optional<std::size_t> bytes_available(std::int64_t from_offset,
                                             std::int64_t limit_offset) const;
  // For read_committed; in the order of their markers. `upper_bound` is the end of what is
  // returned.
  std::vector<AbortedTransaction> aborted_transactions(std::int64_t fetch_offset,
                                                       std::int64_t upper_bound) const;
  // The first record below `limit_offset` whose timestamp is at least that.
  std::optional<TimestampAndOffset> offset_for_timestamp(std::int64_t timestamp,
                                                         std::int64_t limit_offset) const;
  // The first record with the largest timestamp; nothing when it is not below `limit_offset`.
  std::optional<TimestampAndOffset> offset_of_max_timestamp(std::int64_t limit_offset) const;
  EpochEndOffset end_offset_for_epoch(std::int32_t leader_epoch) const;
  const LeaderEpochs& leader_epochs() const { return leader_epochs_; }
  const ProducerEntries& producers() const { return state_.producers; }
  // Everything below `limit_offset`, decoded.
  std::vector<ReplayedBatch> replay(std::int64_t limit_offset) const;
  std::vector<BatchSummary> summarize() const;
  std::size_t size_bytes() const { return size_bytes_; }
  const Segments& segments() const { return segments_; }
  const BatchStore& batches() const { return batches_; }
  // What the cleaner has not seen yet begins here.
  std::int64_t first_dirty_offset() const { return first_dirty_offset_; }

  void add_to(Digest& digest) const;

  // ---- for its files (log_files.h, log_recovery.h)

  // Notes from now on what take_changes() is to tell.
  void follow_changes() { changes_.emplace(); }
  const LogChanges& changes() const;
  LogChanges take_changes();
  const TransactionIndex& transactions() const { return state_.transactions; }

  // Of an empty log: what comes begins at that offset, and these producers are known before it.
  // INVALID_TXN_STATE when their open transactions cannot be.
  protocol::ErrorCode restore_start(std::int64_t offset, ProducerEntries producers);
  // The batches that come now are of that segment.
  void restore_segment(std::int64_t base_offset);
  // A batch as it was stored, behind all others; `segment` holds the bytes of all of its segment.
  void restore_batch(const protocol::RecordBatchView& batch, std::shared_ptr<const void> segment);
  // All batches are there; both offsets are limited to what there is.
  void restore_end(std::int64_t log_start_offset, std::int64_t high_watermark,
                   const std::vector<LeaderEpochs::Entry>& epochs);

 private:
  // What follows from the batches alone.
  struct State {
    ProducerEntries producers;
    TransactionIndex transactions;
  };

  protocol::ErrorCode check_producer(const protocol::RecordBatchHeader& batch, AppendOrigin origin,
                                     VerificationGuard guard) const;
  bool is_verified(std::int64_t producer_id, VerificationGuard guard) const;
  const ProducerEntry* find_producer(std::int64_t producer_id) const;
  void write(const SharedBytes& batch, std::int32_t leader_epoch, Instant now,
             AppendOutcome& outcome);
  void note_stored(const protocol::RecordBatchView& batch);
  void make_room(const protocol::RecordBatchHeader& batch, std::int64_t offset);
  void note_truncation(std::int64_t offset);
  static void apply(State& state, const protocol::RecordBatchView& batch);
  void rebuild();
  std::optional<TimestampAndOffset> find_timestamp(std::size_t index, std::int64_t timestamp,
                                                   std::int64_t first_offset) const;
  void drop_segments_below(std::int64_t offset);
  bool delete_front(std::size_t segment_count);
  // What the batches up to there said, whether they are still there or not.
  std::size_t begin_rebuild(State& state) const;

  LogSettings settings_;
  BatchStore batches_;
  Segments segments_;
  std::int64_t log_start_offset_ = 0;
  std::int64_t high_watermark_ = 0;
  std::int64_t log_end_offset_ = 0;
  std::size_t size_bytes_ = 0;
  LeaderEpochs leader_epochs_;
  State state_;
  State before_start_;  // what the batches said that are no longer there
  // Compaction removes batches, not what they said: that is kept here, up to an offset.
  State cleaned_state_;
  std::int64_t cleaned_until_ = 0;
  std::int64_t first_dirty_offset_ = 0;
  Verifications verifications_;
  Instant producers_checked_ = Instant::min();
  std::optional<LogChanges> changes_;
};

}  // namespace fencepost::minibroker
