#include "minibroker/log/partition_log.h"

#include "tests/catch.h"
#include "tests/minibroker/log/log_bench.h"

namespace fencepost::minibroker {
namespace {

using protocol::ControlType;
using protocol::ErrorCode;
using protocol::RecordBatchView;

constexpr std::size_t no_limit = std::size_t{1} << 30;

std::vector<std::int64_t> base_offsets(const SharedBytes& bytes) {
  std::vector<std::int64_t> offsets;
  const auto batches = protocol::open_batches(bytes);
  REQUIRE(batches.ok());
  for (const RecordBatchView& batch : *batches) offsets.push_back(batch.header().base_offset);
  return offsets;
}

using Offsets = std::vector<std::int64_t>;

// ---- appending and reading

TEST_CASE("Offsets and the leader epoch are written into what is read", "[log][append]") {
  PartitionLog log;
  CHECK(append(log, plain({"a", "b"})).base_offset == 0);
  const AppendOutcome second = append(log, plain({"c", "d", "e"}));
  CHECK(second.base_offset == 2);
  CHECK(second.last_offset == 4);
  const auto batches = protocol::open_batches(everything(log));
  REQUIRE(batches.ok());
  REQUIRE(batches->size() == 2);
  CHECK(batches->at(1).header().base_offset == 2);
  CHECK(batches->at(1).header().partition_leader_epoch == test_leader_epoch);
  CHECK(batches->at(1).is_crc_valid());
  CHECK(batches->at(1).records()->at(2).offset == 4);
}

TEST_CASE("A read begins with the batch that holds its offset", "[log][read]") {
  PartitionLog log;
  append(log, plain({"a", "b"}));
  append(log, plain({"c", "d"}));
  CHECK(base_offsets(log.read(0, 4, no_limit, true)) == Offsets{0, 2});
  CHECK(base_offsets(log.read(1, 4, no_limit, true)) == Offsets{0, 2});
  CHECK(base_offsets(log.read(3, 4, no_limit, true)) == Offsets{2});
  CHECK(log.read(4, 4, no_limit, true).empty());
}

TEST_CASE("A read ends before its limit, with whole batches", "[log][read]") {
  PartitionLog log;
  append(log, plain({"a", "b"}));
  append(log, plain({"c", "d"}));
  CHECK(base_offsets(log.read(0, 2, no_limit, true)) == Offsets{0});
  CHECK(base_offsets(log.read(0, 3, no_limit, true)) == Offsets{0});
  CHECK(log.read(0, 1, no_limit, true).empty());
}

TEST_CASE("A read stays within its size, unless the first batch alone is larger", "[log][read]") {
  PartitionLog log;
  append(log, plain({"a"}));
  append(log, plain({"b"}));
  const std::size_t one = log.read(0, 1, no_limit, false).size();
  CHECK(log.read(0, 2, one - 1, false).empty());
  CHECK(base_offsets(log.read(0, 2, one - 1, true)) == Offsets{0});
  CHECK(base_offsets(log.read(0, 2, 2 * one - 1, true)) == Offsets{0});
  CHECK(base_offsets(log.read(0, 2, 2 * one, true)) == Offsets{0, 1});
}

TEST_CASE("Records deleted inside a batch of an open transaction leave the LSO at its beginning",
          "[log][lso]") {
  PartitionLog log;
  append(log, plain());
  append_verified(log, transactional(1, 0, 0, 2));
  log.advance_high_watermark(3);
  REQUIRE(log.delete_records_before(2) == protocol::ErrorCode::none);
  CHECK(log.log_start_offset() == 2);
  CHECK(log.last_stable_offset() == 1);
}

TEST_CASE("A read ends where a segment does", "[log][read]") {
  LogSettings settings;
  settings.segments.roll_after_ms = 500;
  PartitionLog log(settings);
  append(log, plain({"a"}, 1000));
  append(log, plain({"b"}, 1500));
  append(log, plain({"c"}, 1501));  // more than segment.ms younger than the first
  append(log, plain({"d"}, 1000));  // older than the first of its segment: no new one
  CHECK(protocol::open_batches(log.read(0, 4, 10000, true))->size() == 2);
  CHECK(protocol::open_batches(log.read(2, 4, 10000, true))->size() == 2);
  log.truncate_to(2);
  append(log, plain({"e"}, 1200));
  CHECK(protocol::open_batches(log.read(0, 3, 10000, true))->size() == 3);
}

TEST_CASE("A batch that its producer's state refuses still ends the segment", "[log][read]") {
  LogSettings settings;
  settings.segments.roll_after_ms = 500;
  PartitionLog log(settings);
  append(log, idempotent(1, 1, 0));
  TestBatch refused = idempotent(1, 0, 0);
  refused.timestamp = 2000;
  REQUIRE(append(log, refused).error == ErrorCode::invalid_producer_epoch);
  append(log, idempotent(1, 1, 1));
  CHECK(protocol::open_batches(log.read(0, 2, 10000, true))->size() == 1);
}

TEST_CASE("A segment that is full is followed by another", "[log][read]") {
  LogSettings settings;
  settings.segments.bytes_max = static_cast<std::int64_t>(plain({"a"}).bytes().size()) * 2;
  PartitionLog log(settings);
  for (int i = 0; i < 3; ++i) append(log, plain({"a"}));
  CHECK(protocol::open_batches(log.read(0, 3, 10000, true))->size() == 2);
}

TEST_CASE("What is read does not depend on where chunks end", "[log][read]") {
  PartitionLog log;
  ByteVector expected;
  for (int i = 0; i < 200; ++i) {  // several chunks: the first holds a kilobyte
    append(log, plain({std::string(static_cast<std::size_t>(i), 'x')}));
    const SharedBytes last = log.read(i, i + 1, no_limit, true);
    expected.insert(expected.end(), last.view().begin(), last.view().end());
  }
  CHECK(everything(log) == SharedBytes(expected));
  CHECK(log.size_bytes() == expected.size());
  for (std::int64_t from = 0; from < 197; from += 7)
    CHECK(base_offsets(log.read(from, from + 3, no_limit, true)) ==
          Offsets{from, from + 1, from + 2});
}

TEST_CASE("Neighbouring batches are read without being copied", "[log][read]") {
  PartitionLog log;
  append(log, plain({"a"}));
  append(log, plain({"b"}));
  const SharedBytes both = log.read(0, 2, no_limit, true);
  CHECK(log.read(0, 1, no_limit, true).data() == both.data());
  CHECK(log.read(1, 2, no_limit, true).data() == both.data() + both.size() / 2);
}

// ---- copies

TEST_CASE("A copy and its original go different ways", "[log][copy]") {
  PartitionLog log;
  append(log, plain({"shared"}));
  PartitionLog copy = log;
  append(log, plain({"left"}));
  append(copy, plain({"right"}));
  append(copy, plain({"more"}));
  append(log, plain({"last"}));
  CHECK(log.summarize()[1].records == std::vector<std::string>{"k=left"});
  CHECK(log.summarize()[2].records == std::vector<std::string>{"k=last"});
  CHECK(copy.summarize()[1].records == std::vector<std::string>{"k=right"});
  CHECK(copy.summarize()[2].records == std::vector<std::string>{"k=more"});
  CHECK(copy.summarize()[0] == log.summarize()[0]);
}

TEST_CASE("Bytes that were read stay as they are after truncation", "[log][copy]") {
  PartitionLog log;
  append(log, plain({"a"}));
  append(log, plain({"b"}));
  const SharedBytes read = everything(log);
  const ByteVector before(read.view().begin(), read.view().end());
  log.truncate_to(1);
  append(log, plain({"c"}));
  CHECK(read == SharedBytes(before));
  CHECK(log.summarize()[1].records == std::vector<std::string>{"k=c"});
}

TEST_CASE("Logs with the same history have the same digest, others do not", "[log][digest]") {
  PartitionLog log;
  append(log, idempotent(1, 0, 0));
  PartitionLog same = log;
  CHECK(digest_of(same) == digest_of(log));
  append(same, plain({"b"}));
  CHECK(digest_of(same) != digest_of(log));
  append(log, plain({"c"}));
  CHECK(digest_of(same) != digest_of(log));
}

TEST_CASE("High watermark and verifications are part of the digest", "[log][digest]") {
  PartitionLog log;
  append(log, plain());
  PartitionLog other = log;
  other.advance_high_watermark(1);
  CHECK(digest_of(other) != digest_of(log));
  other = log;
  other.begin_verification(1, 0, 0, false, test_start);
  CHECK(digest_of(other) != digest_of(log));
}

// ---- high watermark and last stable offset

TEST_CASE("The high watermark neither falls nor passes the log end", "[log][high_watermark]") {
  PartitionLog log;
  append(log, plain({"a", "b"}));
  log.advance_high_watermark(1);
  log.advance_high_watermark(0);
  CHECK(log.high_watermark() == 1);
  log.advance_high_watermark(9);
  CHECK(log.high_watermark() == 2);
}

TEST_CASE("An open transaction holds the last stable offset back", "[log][last_stable_offset]") {
  PartitionLog log;
  append(log, plain());
  append_verified(log, transactional(1, 0, 0));
  append(log, plain());
  CHECK(log.last_stable_offset() == 0);  // nothing is replicated
  replicate_all(log);
  CHECK(log.last_stable_offset() == 1);
}

TEST_CASE("A transaction ends for readers when its marker is replicated",
          "[log][last_stable_offset]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  replicate_all(log);
  commit(log, 1, 0);
  CHECK(log.last_stable_offset() == 0);
  log.advance_high_watermark(1);  // everything but the marker
  CHECK(log.last_stable_offset() == 0);
  log.advance_high_watermark(2);
  CHECK(log.last_stable_offset() == 2);
}

TEST_CASE("The earliest of several transactions bounds the last stable offset",
          "[log][last_stable_offset]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  append_verified(log, transactional(2, 0, 0));
  commit(log, 1, 0);
  replicate_all(log);
  CHECK(log.last_stable_offset() == 1);
  append_verified(log, transactional(1, 0, 1));
  commit(log, 2, 0);
  replicate_all(log);
  CHECK(log.last_stable_offset() == 3);
}

TEST_CASE("An unreplicated marker below an open transaction bounds first",
          "[log][last_stable_offset]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  append_verified(log, transactional(2, 0, 0));
  replicate_all(log);
  commit(log, 1, 0);
  CHECK(log.last_stable_offset() == 0);
}

TEST_CASE("The last stable offset is never below the batch of the log start",
          "[log][last_stable_offset]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0, 2));
  append_verified(log, transactional(1, 0, 2));
  replicate_all(log);
  REQUIRE(log.delete_records_before(2) == ErrorCode::none);
  CHECK(log.last_stable_offset() == 2);
}

// ---- aborted transactions

TEST_CASE("Aborted transactions come in the order of their markers", "[log][aborted]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  append_verified(log, transactional(2, 0, 0));
  abort(log, 2, 0);
  abort(log, 1, 0);
  CHECK(log.aborted_transactions(0, 4) ==
        std::vector<AbortedTransaction>{{2, 1, 2, 0}, {1, 0, 3, 4}});
}

TEST_CASE("Committed transactions are not listed", "[log][aborted]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  commit(log, 1, 0);
  CHECK(log.aborted_transactions(0, 100).empty());
}

TEST_CASE("Only transactions that overlap the fetch are listed", "[log][aborted]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));       // 0
  abort(log, 1, 0);                                   // 1
  append(log, plain());                               // 2
  append_verified(log, transactional(2, 0, 0));       // 3
  abort(log, 2, 0);                                   // 4
  CHECK(log.aborted_transactions(1, 3).size() == 1);  // the fetch begins at the marker
  CHECK(log.aborted_transactions(2, 3).empty());
  CHECK(log.aborted_transactions(2, 4).size() == 1);
  CHECK(log.aborted_transactions(0, 5).size() == 2);
}

TEST_CASE("Deleted aborted transactions are forgotten", "[log][aborted]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  abort(log, 1, 0);
  append(log, plain());
  replicate_all(log);
  log.delete_records_before(1);
  CHECK(log.aborted_transactions(0, 9).size() == 1);
  log.delete_records_before(2);
  CHECK(log.aborted_transactions(0, 9).empty());
}

// ---- deleting records

TEST_CASE("Records above the high watermark cannot be deleted", "[log][delete_records]") {
  PartitionLog log;
  append(log, plain({"a", "b"}));
  log.advance_high_watermark(1);
  CHECK(log.delete_records_before(2) == ErrorCode::offset_out_of_range);
  CHECK(log.log_start_offset() == 0);
}

TEST_CASE("Deleting into an open transaction moves the LSO: to the batch, or the very record",
          "[log][delete_records]") {
  const bool is_of_batch = GENERATE(false, true);
  LogSettings settings;
  settings.stable_offset_is_of_batch = is_of_batch;
  PartitionLog log(settings);
  append_verified(log, transactional(1, 0, 0, 3));
  replicate_all(log);
  REQUIRE(log.delete_records_before(2) == ErrorCode::none);
  CHECK(log.last_stable_offset() == (is_of_batch ? 0 : 2));
}

TEST_CASE("Behind deleted batches a summary still says how the next transaction ended",
          "[log][delete_records]") {
  PartitionLog log;
  append(log, plain());
  append_verified(log, transactional(1, 0, 0));
  commit(log, 1, 0);
  replicate_all(log);
  REQUIRE(log.delete_records_before(1) == ErrorCode::none);
  const std::vector<BatchSummary> summary = log.summarize();
  REQUIRE(summary.size() == 2);
  CHECK(summary[0].state == BatchState::committed);
  CHECK(summary[1].state == BatchState::commit_marker);
}

TEST_CASE("Deleting never moves the start back, and drops whole segments",
          "[log][delete_records]") {
  LogSettings settings;
  settings.segments.bytes_max = 1;
  PartitionLog log(settings);
  append(log, plain({"a", "b"}));
  append(log, plain({"c", "d"}));
  replicate_all(log);
  CHECK(log.delete_records_before(3) == ErrorCode::none);
  CHECK(log.log_start_offset() == 3);
  CHECK(base_offsets(everything(log)) == Offsets{2});
  CHECK(log.size_bytes() == everything(log).size());
  CHECK(log.delete_records_before(1) == ErrorCode::none);
  CHECK(log.log_start_offset() == 3);
  CHECK(log.delete_records_before(4) == ErrorCode::none);
  CHECK(everything(log).empty());
  CHECK(append(log, plain()).base_offset == 4);
}

TEST_CASE("Producers outlive their deleted records, and a truncation after that",
          "[log][delete_records][truncate]") {
  PartitionLog log;
  append(log, idempotent(1, 0, 0, 2));
  append(log, plain());
  replicate_all(log);
  log.delete_records_before(2);
  append(log, plain());
  log.truncate_to(3);
  CHECK(log.producers().at(1).last_sequence() == 1);
  CHECK(append(log, idempotent(1, 0, 2)).ok());
}

// ---- truncating

TEST_CASE("Truncation leaves the log as if the rest had never been", "[log][truncate]") {
  PartitionLog log;
  append(log, idempotent(7, 0, 0));
  append_verified(log, transactional(1, 0, 0));
  append_verified(log, transactional(2, 0, 0));
  abort(log, 2, 0);
  log.advance_high_watermark(2);
  const std::vector<BatchSummary> summary = log.summarize();
  const ProducerEntries producers = log.producers();
  const std::int64_t last_stable_offset = log.last_stable_offset();

  abort(log, 1, 1);
  append_verified(log, transactional(1, 1, 0));
  append(log, idempotent(7, 1, 0));
  log.truncate_to(4);
  CHECK(log.summarize() == summary);
  CHECK(log.producers() == producers);
  CHECK(log.last_stable_offset() == last_stable_offset);
  CHECK(log.aborted_transactions(0, 9) == std::vector<AbortedTransaction>{{2, 2, 3, 1}});
  CHECK(log.log_end_offset() == 4);
}

TEST_CASE("An epoch that wrote nothing is forgotten by a truncation that cuts nothing off",
          "[log][truncate]") {
  PartitionLog log;
  log.begin_leader_epoch(test_leader_epoch);
  append(log, TestBatch{});
  log.begin_leader_epoch(test_leader_epoch + 1);
  log.truncate_to(log.log_end_offset());
  CHECK(log.leader_epochs().latest() == test_leader_epoch);
  CHECK(log.log_end_offset() == 1);
}

TEST_CASE("Truncating a marker opens its transaction again", "[log][truncate]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  abort(log, 1, 1);
  log.advance_high_watermark(1);
  log.truncate_to(1);
  CHECK(log.has_ongoing_transaction(1, 0));
  CHECK(log.producers().at(1).producer_epoch == 0);
  CHECK(log.aborted_transactions(0, 9).empty());
  CHECK(log.last_stable_offset() == 0);
}

TEST_CASE("Truncation takes the high watermark with it", "[log][truncate]") {
  PartitionLog log;
  append(log, plain({"a"}));
  append(log, plain({"b"}));
  replicate_all(log);
  log.truncate_to(1);
  CHECK(log.high_watermark() == 1);
}

TEST_CASE("A batch is truncated as a whole", "[log][truncate]") {
  PartitionLog log;
  append(log, plain({"a"}));
  append(log, plain({"b", "c", "d"}));
  log.truncate_to(2);
  CHECK(log.log_end_offset() == 1);
  CHECK(append(log, plain()).base_offset == 1);
}

TEST_CASE("Truncation at or above the log end changes nothing", "[log][truncate]") {
  PartitionLog log;
  append(log, plain({"a", "b"}));
  const std::uint64_t before = digest_of(log);
  log.truncate_to(2);
  log.truncate_to(99);
  CHECK(digest_of(log) == before);
}

TEST_CASE("Truncation below the log start begins an empty log there", "[log][truncate]") {
  PartitionLog log;
  append(log, idempotent(1, 0, 0));
  append(log, plain());
  replicate_all(log);
  log.delete_records_before(2);
  log.truncate_to(1);
  CHECK(log.log_start_offset() == 1);
  CHECK(log.high_watermark() == 1);
  CHECK(log.producers().empty());
  CHECK(append(log, plain()).base_offset == 1);
}

TEST_CASE("A follower that is too far behind starts anew", "[log][truncate]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0));
  log.truncate_fully_and_start_at(50);
  CHECK(log.log_start_offset() == 50);
  CHECK(log.log_end_offset() == 50);
  CHECK(log.last_stable_offset() == 50);
  CHECK(log.size_bytes() == 0);
  CHECK(log.summarize().empty());
}

// ---- followers

PartitionLog leader_with_history() {
  PartitionLog log;
  append(log, plain({"a", "b"}));
  append_verified(log, transactional(1, 0, 0));
  append_verified(log, transactional(2, 0, 0));
  abort(log, 1, 1);
  append(log, idempotent(3, 0, 5));
  return log;
}

TEST_CASE("A follower that copies the leader's bytes becomes its equal", "[log][follower]") {
  PartitionLog leader = leader_with_history();
  PartitionLog follower;
  CHECK(follower.append_as_follower(leader.read(0, 3, no_limit, true), test_leader_epoch) ==
        ErrorCode::none);
  CHECK(follower.append_as_follower(leader.read(3, 99, no_limit, true), test_leader_epoch) ==
        ErrorCode::none);
  CHECK(everything(follower) == everything(leader));
  CHECK(follower.producers() == leader.producers());
  replicate_all(leader);
  replicate_all(follower);
  CHECK(follower.last_stable_offset() == leader.last_stable_offset());
  CHECK(follower.aborted_transactions(0, 99) == leader.aborted_transactions(0, 99));
  CHECK(append(follower, idempotent(3, 0, 5)).is_duplicate);
}

TEST_CASE("A follower accepts what its own checks would refuse", "[log][follower]") {
  const auto at = [](const TestBatch& batch, std::int64_t offset) {
    return protocol::with_offset(*RecordBatchView::open(batch.bytes()), offset, 0);
  };
  PartitionLog follower;
  CHECK(follower.append_as_follower(at(transactional(1, 5, 9), 0), 0) == ErrorCode::none);
  CHECK(follower.append_as_follower(at(transactional(1, 4, 3), 1), 0) == ErrorCode::none);
  CHECK(follower.producers().at(1).producer_epoch == 4);
  CHECK(follower.log_end_offset() == 2);
}

TEST_CASE("A follower stops at a batch of a newer epoch", "[log][follower]") {
  PartitionLog leader;
  append(leader, plain());
  leader.append_as_leader(plain().bytes(), AppendOrigin::client, test_leader_epoch + 1, no_guard,
                          test_start);
  PartitionLog follower;
  CHECK(follower.append_as_follower(everything(leader), test_leader_epoch) == ErrorCode::none);
  CHECK(follower.log_end_offset() == 1);
}

TEST_CASE("A follower refuses offsets that it has, and damage", "[log][follower]") {
  PartitionLog leader = leader_with_history();
  PartitionLog follower;
  const SharedBytes bytes = everything(leader);
  CHECK(follower.append_as_follower(bytes, test_leader_epoch) == ErrorCode::none);
  CHECK(follower.append_as_follower(bytes, test_leader_epoch) == ErrorCode::offset_out_of_range);
  ByteVector damaged(bytes.view().begin(), bytes.view().end());
  damaged[70] ^= 1;
  PartitionLog other;
  CHECK(other.append_as_follower(SharedBytes(damaged), test_leader_epoch) ==
        ErrorCode::corrupt_message);
  CHECK(other.log_end_offset() == 0);
}

TEST_CASE("A batch that is cut off at the end is left out", "[log][follower]") {
  PartitionLog leader = leader_with_history();
  PartitionLog follower;
  const SharedBytes bytes = everything(leader);
  CHECK(follower.append_as_follower(bytes.slice(0, bytes.size() - 1), test_leader_epoch) ==
        ErrorCode::none);
  CHECK(follower.log_end_offset() == leader.log_end_offset() - 1);
}

TEST_CASE("A follower's marker takes the guard of its producer", "[log][follower]") {
  PartitionLog leader;
  commit(leader, 1, 0);
  PartitionLog follower;
  const VerificationGuard guard = follower.begin_verification(1, 0, 0, false, test_start);
  follower.append_as_follower(everything(leader), test_leader_epoch);
  CHECK(append(follower, transactional(1, 0, 0), guard).error == ErrorCode::invalid_txn_state);
}

TEST_CASE("Leader epochs follow the batches and end with them", "[log][epochs]") {
  PartitionLog log;
  log.begin_leader_epoch(1);
  log.append_as_leader(plain().bytes(), AppendOrigin::client, 1, no_guard, test_start);
  log.begin_leader_epoch(4);
  CHECK(log.leader_epochs().start_offset_of(4) == 1);
  log.append_as_leader(plain().bytes(), AppendOrigin::client, 4, no_guard, test_start);
  CHECK(log.end_offset_for_epoch(1) == EpochEndOffset{1, 1});
  CHECK(log.end_offset_for_epoch(2) == EpochEndOffset{1, 1});
  CHECK(log.end_offset_for_epoch(4) == EpochEndOffset{4, 2});
  log.truncate_to(1);
  CHECK(log.end_offset_for_epoch(4) == EpochEndOffset{-1, -1});
}

// ---- timestamps

TEST_CASE("A timestamp leads to the first record that is not older", "[log][timestamp]") {
  PartitionLog log;
  append(log, plain({"a"}, 100));
  append(log, plain({"b", "c"}, 300));
  append(log, plain({"d"}, 200));
  CHECK(log.offset_for_timestamp(0, 4) == TimestampAndOffset{100, 0, test_leader_epoch});
  CHECK(log.offset_for_timestamp(101, 4) == TimestampAndOffset{300, 1, test_leader_epoch});
  CHECK_FALSE(log.offset_for_timestamp(301, 4).has_value());
  CHECK_FALSE(log.offset_for_timestamp(300, 1).has_value());  // not replicated, or not stable
}

TEST_CASE("Records below the log start are not found by their timestamp", "[log][timestamp]") {
  PartitionLog log;
  append(log, plain({"a", "b", "c"}, 100));
  replicate_all(log);
  log.delete_records_before(2);
  CHECK(log.offset_for_timestamp(50, 9)->offset == 2);
}

TEST_CASE("The largest timestamp names its first record", "[log][timestamp]") {
  PartitionLog log;
  CHECK_FALSE(log.offset_of_max_timestamp(9).has_value());
  append(log, plain({"a"}, 100));
  append(log, plain({"b", "c"}, 300));
  append(log, plain({"d"}, 300));
  CHECK(log.offset_of_max_timestamp(4) == TimestampAndOffset{300, 1, test_leader_epoch});
  CHECK_FALSE(log.offset_of_max_timestamp(1).has_value());
}

// ---- for coordinators and people

TEST_CASE("Replay gives every batch below the limit, markers too", "[log][replay]") {
  PartitionLog log;
  append_verified(log, transactional(1, 0, 0, 2));
  commit(log, 1, 0);
  append(log, plain());
  const std::vector<ReplayedBatch> replayed = log.replay(3);
  REQUIRE(replayed.size() == 2);
  CHECK(replayed[0].records.size() == 2);
  CHECK(replayed[0].records[1].offset == 1);
  CHECK(replayed[1].header.is_control_batch());
  CHECK(log.replay(2).size() == 1);
}

TEST_CASE("A summary says how each transaction ended", "[log][summary]") {
  PartitionLog log;
  append(log, plain({"p"}));
  append_verified(log, transactional(1, 0, 0));
  append_verified(log, transactional(2, 0, 0));
  append_verified(log, transactional(3, 0, 0));
  commit(log, 1, 0);
  abort(log, 2, 0);
  append_verified(log, transactional(1, 0, 1));
  std::vector<BatchState> states;
  for (const BatchSummary& batch : log.summarize()) states.push_back(batch.state);
  using enum BatchState;
  CHECK(states == std::vector<BatchState>{plain, committed, aborted, open, commit_marker,
                                          abort_marker, open});
}

TEST_CASE("A summary prints records as text where it can", "[log][summary]") {
  PartitionLog log;
  const SharedBytes key = SharedBytes::copy_of(std::string_view("k1"));
  const SharedBytes binary = SharedBytes::copy_of(std::string_view("\x01\xff", 2));
  const SharedBytes batch = protocol::build_batch({}, {{0, key, binary}, {0, key, {}}});
  log.append_as_leader(batch, AppendOrigin::client, 0, no_guard, test_start);
  CHECK(log.summarize()[0].records == std::vector<std::string>{"k1=0x01ff", "k1=null"});
}

}  // namespace
}  // namespace fencepost::minibroker
