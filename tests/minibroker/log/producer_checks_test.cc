#include <limits>

#include "minibroker/log/partition_log.h"
#include "tests/catch.h"
#include "tests/minibroker/log/log_bench.h"

namespace fencepost::minibroker {
namespace {

using protocol::ControlType;
using protocol::ErrorCode;

PartitionLog log_without_verification() {
  LogSettings settings;
  settings.verifies_transactions = false;
  return PartitionLog(settings);
}

// ---- duplicates

TEST_CASE("A batch that is sent again is answered with its first offsets", "[log][duplicate]") {
  PartitionLog log;
  append(log, plain());
  append(log, idempotent(1, 0, 0, 3));
  const AppendOutcome again = append(log, idempotent(1, 0, 0, 3));
  CHECK(again.ok());
  CHECK(again.is_duplicate);
  CHECK(again.base_offset == 1);
  CHECK(again.last_offset == 3);
  CHECK(again.log_append_time_ms == 1000);
  CHECK(log.log_end_offset() == 4);
}

TEST_CASE("A duplicate is recognised although its transaction was aborted", "[log][duplicate]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  abort(log, 1, 0);
  const AppendOutcome again = append(log, transactional(1, 0, 0));
  CHECK(again.ok());
  CHECK(again.is_duplicate);
  CHECK(log.log_end_offset() == 2);
  CHECK_FALSE(log.has_ongoing_transaction(1, 0));
}

TEST_CASE("The five last batches are remembered, the sixth last is out of order",
          "[log][duplicate]") {
  PartitionLog log;
  for (std::int32_t sequence = 0; sequence < 6; ++sequence) append(log, idempotent(1, 0, sequence));
  for (std::int32_t sequence = 1; sequence < 6; ++sequence)
    CHECK(append(log, idempotent(1, 0, sequence)).is_duplicate);
  CHECK(append(log, idempotent(1, 0, 0)).error == ErrorCode::out_of_order_sequence_number);
}

TEST_CASE("A batch of the same first but another last sequence is no duplicate",
          "[log][duplicate]") {
  PartitionLog log;
  append(log, idempotent(1, 0, 0, 3));
  CHECK(append(log, idempotent(1, 0, 0, 2)).error == ErrorCode::out_of_order_sequence_number);
}

TEST_CASE("The same sequences in an older epoch are fenced, not repeated", "[log][duplicate]") {
  PartitionLog log;
  append(log, idempotent(1, 4, 0));
  append(log, idempotent(1, 5, 0));
  CHECK(append(log, idempotent(1, 4, 0)).error == ErrorCode::invalid_producer_epoch);
}

TEST_CASE("A duplicate that wraps around the largest sequence is recognised", "[log][duplicate]") {
  PartitionLog log;
  const std::int32_t last = std::numeric_limits<std::int32_t>::max();
  append(log, idempotent(1, 0, last, 3));
  CHECK(append(log, idempotent(1, 0, last, 3)).is_duplicate);
  CHECK(append(log, idempotent(1, 0, 2)).base_offset == 3);
}

// ---- guard and epoch

TEST_CASE("A transactional batch that nobody verified is refused", "[log][verification]") {
  PartitionLog log;
  CHECK(append(log, transactional(1, 0, 0)).error == ErrorCode::invalid_txn_state);
  CHECK(append(log, transactional(1, 0, 0), VerificationGuard{77}).error ==
        ErrorCode::invalid_txn_state);
  CHECK(log.log_end_offset() == 0);
}

TEST_CASE("Without verification a late batch opens a transaction that hangs",
          "[log][verification]") {
  PartitionLog log = log_without_verification();
  append(log, transactional(1, 0, 0));
  abort(log, 1, 0);
  CHECK(append(log, transactional(1, 0, 1)).ok());
  CHECK(log.has_ongoing_transaction(1, 0));
}

TEST_CASE("A second batch of an open transaction needs no guard", "[log][verification]") {
  PartitionLog log;
  CHECK(append_verified(log, transactional(1, 0, 0)).ok());
  CHECK(log.begin_verification(1, 1, 0, false, test_start) == no_guard);
  CHECK(append(log, transactional(1, 0, 1)).ok());
}

TEST_CASE("A fenced producer hears of its epoch first, before 3.9 of its transaction",
          "[log][epoch]") {
  for (const bool looks_at_epoch_first : {true, false}) {
    LogSettings settings;
    settings.looks_at_epoch_before_guard = looks_at_epoch_first;
    PartitionLog log(settings);
    append_verified(log, transactional(1, 0, 0));
    abort(log, 1, 1);  // the coordinator's own, with a bumped epoch
    CHECK(
        append(log, transactional(1, 0, 1)).error ==
        (looks_at_epoch_first ? ErrorCode::invalid_producer_epoch : ErrorCode::invalid_txn_state));
  }
}

TEST_CASE("A verified batch of an old epoch is fenced all the same", "[log][epoch]") {
  PartitionLog log;
  abort(log, 1, 1);
  CHECK(append_verified(log, transactional(1, 0, 0)).error == ErrorCode::invalid_producer_epoch);
}

TEST_CASE("A leader accepts an epoch higher than the stored one", "[log][epoch]") {
  PartitionLog log;
  append(log, idempotent(1, 0, 0));
  CHECK(append(log, idempotent(1, 7, 0)).ok());
  CHECK(log.producers().at(1).producer_epoch == 7);
}

TEST_CASE("An epoch below -1 is fenced by a partition that knows nothing", "[log][epoch]") {
  PartitionLog log;
  CHECK(append(log, idempotent(1, -2, 0)).error == ErrorCode::invalid_producer_epoch);
  CHECK(append(log, idempotent(1, -1, 0)).ok());
}

// ---- sequences

TEST_CASE("A gap in the sequence is refused and leaves no trace", "[log][sequence]") {
  PartitionLog log;
  append(log, idempotent(1, 0, 0));
  const std::uint64_t before = digest_of(log);
  CHECK(append(log, idempotent(1, 0, 2)).error == ErrorCode::out_of_order_sequence_number);
  CHECK(digest_of(log) == before);
}

TEST_CASE("A new epoch begins with sequence 0", "[log][sequence]") {
  PartitionLog log;
  append(log, idempotent(1, 0, 0));
  CHECK(append(log, idempotent(1, 1, 1)).error == ErrorCode::out_of_order_sequence_number);
  CHECK(append(log, idempotent(1, 1, 0)).ok());
}

TEST_CASE("Sequence 0 follows 2147483647", "[log][sequence]") {
  PartitionLog log;
  const std::int32_t last = std::numeric_limits<std::int32_t>::max();
  append(log, idempotent(1, 0, last));
  CHECK(append(log, idempotent(1, 0, 0)).base_offset == 1);
  CHECK_FALSE(is_in_sequence(last - 1, 0));
  CHECK_FALSE(is_in_sequence(last, 1));
}

TEST_CASE("A producer that is not known may begin with any sequence", "[log][sequence]") {
  PartitionLog log;
  CHECK(append(log, idempotent(1, 0, 17)).ok());
  log.expire_producers(test_start + std::chrono::hours(24), std::chrono::hours(24));
  CHECK(append(log, idempotent(1, 0, 99)).ok());
}

TEST_CASE("With an epoch for each transaction an unknown producer begins with 0",
          "[log][sequence]") {
  PartitionLog log;
  CHECK(append_verified(log, transactional(1, 0, 5), true).error ==
        ErrorCode::out_of_order_sequence_number);
  PartitionLog older;
  CHECK(append_verified(older, transactional(1, 0, 5), false).ok());
}

TEST_CASE("A batch does not pass one that waits for the same verification", "[log][sequence]") {
  PartitionLog log;
  const VerificationGuard guard = log.begin_verification(1, 3, 0, false, test_start);
  CHECK(log.begin_verification(1, 5, 0, false, test_start) == guard);
  CHECK(append(log, transactional(1, 0, 5), guard).error ==
        ErrorCode::out_of_order_sequence_number);
  CHECK(append(log, transactional(1, 0, 3), guard).ok());
}

TEST_CASE("After a marker that raised the epoch the next batch has sequence 0",
          "[log][sequence][marker]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  commit(log, 1, 1);
  CHECK(log.producers().at(1).last_sequence() == protocol::no_sequence);
  CHECK(append_verified(log, transactional(1, 1, 1)).error ==
        ErrorCode::out_of_order_sequence_number);
  CHECK(append_verified(log, transactional(1, 1, 0)).ok());
}

TEST_CASE("After a marker of the same epoch the sequence goes on", "[log][sequence][marker]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0, 2));
  commit(log, 1, 0);
  CHECK(append_verified(log, transactional(1, 0, 2)).ok());
}

TEST_CASE("Records deleted under an open transaction leave its sequence known",
          "[log][sequence][delete_records]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0, 5));
  replicate_all(log);
  REQUIRE(log.delete_records_before(5) == ErrorCode::none);
  CHECK(log.last_stable_offset() == 5);
  commit(log, 1, 0);
  replicate_all(log);
  CHECK(append_verified(log, transactional(1, 0, 5)).ok());
  CHECK(log.last_stable_offset() == 6);
}

// ---- inside and outside of transactions

TEST_CASE("A batch outside the producer's open transaction is refused", "[log][transaction]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  CHECK(append(log, idempotent(1, 0, 1)).error == ErrorCode::invalid_txn_state);
  commit(log, 1, 0);
  CHECK(append(log, idempotent(1, 0, 1)).ok());
}

TEST_CASE("A coordinator's batch has no sequence, but needs guard and epoch",
          "[log][transaction]") {
  PartitionLog log;
  const SharedBytes offsets = transactional(1, 2, protocol::no_sequence).bytes();
  const auto append_offsets = [&](VerificationGuard guard) {
    return log.append_as_leader(offsets, AppendOrigin::coordinator, 0, guard, test_start).error;
  };
  CHECK(append_offsets(no_guard) == ErrorCode::invalid_txn_state);
  CHECK(append_offsets(log.begin_verification(1, -1, 2, false, test_start)) == ErrorCode::none);
  CHECK(append_offsets(no_guard) == ErrorCode::none);  // no duplicate: it is appended again
  CHECK(log.log_end_offset() == 2);
  abort(log, 1, 3);
  CHECK(append_offsets(no_guard) == ErrorCode::invalid_producer_epoch);
}

// ---- verification

TEST_CASE("A guard from before the marker proves nothing", "[log][verification]") {
  PartitionLog log;
  const VerificationGuard first = log.begin_verification(1, 0, 0, false, test_start);
  abort(log, 1, 0);
  const VerificationGuard second = log.begin_verification(1, 0, 0, false, test_start);
  CHECK(second != first);
  CHECK(append(log, transactional(1, 0, 0), first).error == ErrorCode::invalid_txn_state);
  CHECK(append(log, transactional(1, 0, 0), second).ok());
}

TEST_CASE("The first batch uses the guard up", "[log][verification]") {
  PartitionLog log;
  const VerificationGuard guard = log.begin_verification(1, 0, 0, false, test_start);
  append(log, transactional(1, 0, 0), guard);
  commit(log, 1, 0);
  CHECK(append(log, transactional(1, 0, 1), guard).error == ErrorCode::invalid_txn_state);
}

TEST_CASE("A refused batch leaves the guard as it is", "[log][verification]") {
  PartitionLog log;
  const VerificationGuard guard = log.begin_verification(1, 0, 0, false, test_start);
  CHECK(append(log, transactional(1, 0, 1), guard).error ==
        ErrorCode::out_of_order_sequence_number);
  CHECK(append(log, transactional(1, 0, 0), guard).ok());
}

TEST_CASE("A transaction of an older epoch that is still open is told apart",
          "[log][verification]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  CHECK(log.has_ongoing_transaction(1, 0));
  CHECK_FALSE(log.has_older_transaction(1, 0));
  CHECK_FALSE(log.has_ongoing_transaction(1, 1));
  CHECK(log.has_older_transaction(1, 1));
  CHECK_FALSE(log.has_older_transaction(2, 1));

  LogSettings before_4;
  before_4.holds_back_before_marker = false;
  log.change_settings(before_4);
  CHECK(log.has_ongoing_transaction(1, 1));
}

TEST_CASE("A higher epoch replaces the lowest sequence, a lower sequence lowers it",
          "[log][verification]") {
  Verifications verifications;
  const VerificationGuard guard = verifications.begin(1, 4, 0, false, test_start);
  verifications.begin(1, 2, 0, false, test_start);
  verifications.begin(1, 3, 0, false, test_start);
  CHECK(verifications.find(1)->lowest_sequence == 2);
  CHECK(verifications.begin(1, 9, 1, false, test_start) == guard);
  CHECK(verifications.find(1)->lowest_sequence == 9);
  CHECK(verifications.find(1)->producer_epoch == 1);
  verifications.begin(1, 0, 0, false, test_start);  // an older one changes nothing
  CHECK(verifications.find(1)->lowest_sequence == 9);
}

TEST_CASE("Verifications without answer expire", "[log][verification]") {
  PartitionLog log;
  const VerificationGuard guard = log.begin_verification(1, 0, 0, false, test_start);
  log.expire_producers(test_start + std::chrono::hours(1), std::chrono::hours(1));
  CHECK(append(log, transactional(1, 0, 0), guard).error == ErrorCode::invalid_txn_state);
}

TEST_CASE("A producer with an open transaction does not expire", "[log][producers]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  append(log, idempotent(2, 0, 0));
  log.expire_producers(Instant{} + milliseconds(1999), milliseconds(1000));
  CHECK(log.producers().size() == 2);
  log.expire_producers(Instant{} + milliseconds(2000), milliseconds(1000));
  CHECK(log.producers().size() == 1);
  CHECK(log.producers().contains(1));
}

TEST_CASE("A producer whose records say that they are old is known until the next look",
          "[log][producers]") {
  PartitionLog log;
  log.expire_producers(Instant{} + std::chrono::hours(1), milliseconds(1000));
  append(log, idempotent(2, 0, 0));
  log.expire_producers(Instant{} + std::chrono::hours(1), milliseconds(1000));
  CHECK(log.producers().contains(2));
  log.expire_producers(Instant{} + std::chrono::hours(2), milliseconds(1000));
  CHECK_FALSE(log.producers().contains(2));
}

// ---- markers

TEST_CASE("A marker of an older epoch is refused", "[log][marker]") {
  PartitionLog log;
  append_verified(log, transactional(1, 5, 0));
  CHECK(commit(log, 1, 4).error == ErrorCode::invalid_producer_epoch);
  CHECK(log.has_ongoing_transaction(1, 5));
  CHECK(commit(log, 1, 5).ok());
}

TEST_CASE("A marker of an older coordinator is refused", "[log][marker]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  end_transaction(log, ControlType::commit, 1, 0, 4);
  append_verified(log, transactional(1, 0, 1));
  CHECK(end_transaction(log, ControlType::commit, 1, 0, 3).error ==
        ErrorCode::transaction_coordinator_fenced);
  CHECK(log.has_ongoing_transaction(1, 0));
  CHECK(end_transaction(log, ControlType::commit, 1, 0, 4).ok());
}

TEST_CASE("A late copy of a marker does not end the next transaction", "[log][marker]") {
  for (const bool demands_newer : {true, false}) {
    LogSettings settings;
    settings.demands_newer_marker_epoch = demands_newer;
    PartitionLog log(settings);
    append_verified(log, transactional(1, 5, 0), true);
    CHECK(end_transaction(log, ControlType::commit, 1, 6, 0, 2).ok());
    // With nothing open it is a repeat, and good.
    CHECK(end_transaction(log, ControlType::commit, 1, 6, 0, 2).ok());
    append_verified(log, transactional(1, 6, 0), true);
    const AppendOutcome copy = end_transaction(log, ControlType::commit, 1, 6, 0, 2);
    CHECK(copy.error == (demands_newer ? ErrorCode::invalid_producer_epoch : ErrorCode::none));
    CHECK(log.has_ongoing_transaction(1, 6) == demands_newer);
  }
}

TEST_CASE("A marker without bumped epoch may equal the stored one", "[log][marker]") {
  PartitionLog log;
  append_verified(log, transactional(1, 5, 0));
  CHECK(end_transaction(log, ControlType::abort, 1, 5, 0, 1).ok());
  // It fences nothing: the same epoch goes on.
  CHECK(append_verified(log, transactional(1, 5, 1)).ok());
}

TEST_CASE("A marker for an unknown producer fences what comes late", "[log][marker]") {
  PartitionLog log;
  CHECK(end_transaction(log, ControlType::abort, 1, 3, 7).ok());
  const ProducerEntry& entry = log.producers().at(1);
  CHECK(entry.producer_epoch == 3);
  CHECK(entry.coordinator_epoch == 7);
  CHECK(entry.last_timestamp == to_timestamp(test_start));
  CHECK(append_verified(log, transactional(1, 2, 0)).error == ErrorCode::invalid_producer_epoch);
  replicate_all(log);
  CHECK(log.last_stable_offset() == 1);
  CHECK(log.aborted_transactions(0, 100).empty());
}

}  // namespace
TEST_CASE("A batch of an older epoch is not let off its verification by a newer transaction",
          "[log][verification]") {
  PartitionLog log;
  append_verified(log, transactional(1, 1, 0));
  CHECK(log.has_ongoing_transaction(1, 1));
  CHECK_FALSE(log.has_ongoing_transaction(1, 0));
  CHECK(log.begin_verification(1, 1, 0, false, test_start) != no_guard);
}

}  // namespace fencepost::minibroker
