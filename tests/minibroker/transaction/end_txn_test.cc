// EndTxn of both protocols: every cell of the tables by state, then the last epochs.
#include "tests/minibroker/transaction/fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

namespace {

constexpr bool commit = true;
constexpr bool abort = false;
constexpr std::int16_t classic = 4;

TransactionValues exhausted() {
  TransactionValues values;
  values.producer_id = 7;
  values.producer_epoch = 32766;
  values.timeout = milliseconds(60'000);
  values.status = TransactionStatus::ongoing;
  values.partitions = {{"A", 0}};
  values.started = Instant(std::chrono::seconds(1'700'000'000));
  return values;
}

// Epoch 0, one partition, decided; its markers are still out.
Fixture decided(Era era, bool is_commit, std::int16_t version) {
  Fixture f(std::move(era));
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.end("t", {1000, 0}, is_commit, version);
  return f;
}

Fixture completed(Era era, bool is_commit, std::int16_t version) {
  Fixture f = decided(std::move(era), is_commit, version);
  f.markers_ok();
  return f;
}

}  // namespace

TEST_CASE("EndTxn answers when the decision is replicated, before the markers",
          "[transaction][end]") {
  Fixture f(classic_era());
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.ask_end("t", {1000, 0}, commit, classic);
  CHECK_FALSE(f.is_answered());
  CHECK(f.markers().empty());
  f.log_ok();
  CHECK(f.end_answer() == refused(ErrorCode::none));
  CHECK(f.status("t") == "PrepareCommit");
  CHECK(f.markers().size() == 1);
}

TEST_CASE("A classic decision keeps the epoch, in the markers too", "[transaction][end]") {
  Fixture f = decided(classic_era(), abort, classic);
  CHECK(f.markers()[0].producer_epoch == 0);
  CHECK_FALSE(f.markers()[0].is_commit);
  CHECK(f.markers()[0].transaction_version == 0);
  f.markers_ok();
  CHECK(f.producer("t") == Producer{1000, 0});
}

TEST_CASE("EndTxn v5 raises the epoch and returns it", "[transaction][end]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  CHECK(f.end("t", {1000, 0}, commit) == Answer{ErrorCode::none, {1000, 1}});
  REQUIRE(f.markers().size() == 1);
  CHECK(f.markers()[0].producer_epoch == 1);
  CHECK(f.markers()[0].transaction_version == 2);
  f.markers_ok();
  CHECK(f.status("t") == "CompleteCommit");
  CHECK(f.producer("t") == Producer{1000, 1});
}

TEST_CASE("A classic client of a new cluster keeps the classic rules", "[transaction][end]") {
  Fixture f = completed(newest_era(), commit, classic);
  CHECK(f.producer("t") == Producer{1000, 0});
  CHECK(f.end("t", {1000, 0}, commit, classic) == refused(ErrorCode::none));
}

TEST_CASE("EndTxn needs an id that is known under this producer id", "[transaction][end]") {
  std::int16_t version = GENERATE(as<std::int16_t>{}, 4, 5);
  Fixture f;
  CHECK(f.end("", {1000, 0}, commit, version) == refused(ErrorCode::invalid_request));
  CHECK(f.end("t", {1000, 0}, commit, version) == refused(ErrorCode::invalid_producer_id_mapping));
  f.init("t");
  CHECK(f.end("t", {999, 0}, commit, version) == refused(ErrorCode::invalid_producer_id_mapping));
  f.coordinator.unload(0);
  CHECK(f.end("t", {1000, 0}, commit, version) == refused(ErrorCode::not_coordinator));
}

TEST_CASE("A wrong epoch is fenced, under the name that its version knows", "[transaction][end]") {
  Fixture f(classic_era());
  f.init("t");
  CHECK(f.end("t", {1000, 1}, commit, 2) == refused(ErrorCode::producer_fenced));
  CHECK(f.end("t", {1000, 1}, commit, 1) == refused(ErrorCode::invalid_producer_epoch));
}

TEST_CASE("The classic client is fenced before it is told to wait", "[transaction][end]") {
  Fixture f(classic_era());
  f.init("t");
  f.ask_init("t");
  f.ask_end("t", {1000, 5}, commit, classic);
  CHECK(f.end_answer() == refused(ErrorCode::producer_fenced));
  f.ask_end("t", {1000, 0}, commit, classic);
  CHECK(f.end_answer() == refused(ErrorCode::concurrent_transactions));
}

TEST_CASE("The new client is told to wait before it is fenced", "[transaction][end]") {
  Fixture f;
  f.init("t");
  f.ask_init("t");
  f.ask_end("t", {1000, 5}, commit);
  CHECK(f.end_answer() == refused(ErrorCode::concurrent_transactions));
}

TEST_CASE("Classic EndTxn of nothing is an invalid state", "[transaction][end]") {
  Fixture f(classic_era());
  f.init("t");
  CHECK(f.end("t", {1000, 0}, commit, classic) == refused(ErrorCode::invalid_txn_state));
  CHECK(f.end("t", {1000, 0}, abort, classic) == refused(ErrorCode::invalid_txn_state));
}

TEST_CASE("A classic decision can be repeated and not changed", "[transaction][end]") {
  bool decision = GENERATE(as<bool>{}, commit, abort);
  Fixture f = completed(classic_era(), decision, classic);
  CHECK(f.end("t", {1000, 0}, decision, classic) == refused(ErrorCode::none));
  CHECK(f.end("t", {1000, 0}, !decision, classic) == refused(ErrorCode::invalid_txn_state));
}

TEST_CASE("While its markers are out a decision answers CONCURRENT_TRANSACTIONS",
          "[transaction][end]") {
  Fixture f = decided(classic_era(), commit, classic);
  CHECK(f.end("t", {1000, 0}, commit, classic) == refused(ErrorCode::concurrent_transactions));
  Fixture g = decided(newest_era(), commit, 5);
  CHECK(g.end("t", {1000, 0}, commit) == refused(ErrorCode::concurrent_transactions));
}

TEST_CASE("Prepare without a pending completion tells a repeat from a change of mind",
          "[transaction][end]") {
  std::int16_t version = GENERATE(as<std::int16_t>{}, 4, 5);
  Fixture f = decided(version == classic ? classic_era() : newest_era(), commit, version);
  f.markers_answer(ErrorCode::none);
  f.log_fails(ErrorCode::not_leader_or_follower);  // Complete* is given up, not pending any more
  CHECK(f.status("t") == "PrepareCommit");
  CHECK_FALSE(f.state("t").has_pending_change);
  CHECK(f.end("t", {1000, 0}, commit, version) == refused(ErrorCode::concurrent_transactions));
  CHECK(f.end("t", {1000, 0}, abort, version) == refused(ErrorCode::invalid_txn_state));
  if (version == classic) return;
  CHECK(f.end("t", {1000, 1}, commit) == refused(ErrorCode::producer_fenced));
  CHECK(f.end("t", {1000, 1}, abort) == refused(ErrorCode::producer_fenced));
}

TEST_CASE("EndTxn v5 while Empty: only an abort of the current epoch", "[transaction][end]") {
  Fixture f;
  f.init("t");
  f.init("t");
  CHECK(f.end("t", {1000, 0}, abort) == refused(ErrorCode::producer_fenced));
  CHECK(f.end("t", {1000, 0}, commit) == refused(ErrorCode::producer_fenced));
  CHECK(f.end("t", {1000, 1}, commit) == refused(ErrorCode::invalid_txn_state));
  CHECK(f.end("t", {1000, 1}, abort) == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("EndTxn v5 while Ongoing: a repeat of the last decision is fenced",
          "[transaction][end]") {
  Fixture f = completed(newest_era(), commit, 5);
  f.add("t", {1000, 1}, {{"A", 0}});
  CHECK(f.end("t", {1000, 0}, commit) == refused(ErrorCode::producer_fenced));
  CHECK(f.end("t", {1000, 0}, abort) == refused(ErrorCode::producer_fenced));
  CHECK(f.end("t", {1000, 1}, abort) == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("EndTxn v5 after a commit", "[transaction][end]") {
  Fixture f = completed(newest_era(), commit, 5);
  CHECK(f.end("t", {1000, 0}, abort) == refused(ErrorCode::invalid_txn_state));
  CHECK(f.end("t", {1000, 0}, commit) == Answer{ErrorCode::none, {1000, 1}});
  CHECK(f.end("t", {1000, 1}, commit) == refused(ErrorCode::invalid_txn_state));
  CHECK(f.end("t", {1000, 2}, commit) == refused(ErrorCode::producer_fenced));
  CHECK(f.end("t", {1000, 1}, abort) == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("EndTxn v5 after an abort", "[transaction][end]") {
  Fixture f = completed(newest_era(), abort, 5);
  CHECK(f.end("t", {1000, 0}, abort) == Answer{ErrorCode::none, {1000, 1}});
  CHECK(f.end("t", {1000, 0}, commit) == refused(ErrorCode::invalid_txn_state));
  CHECK(f.end("t", {1000, 1}, commit) == refused(ErrorCode::invalid_txn_state));
  CHECK(f.end("t", {1000, 1}, abort) == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("An abort of nothing completes without markers", "[transaction][end]") {
  Fixture f;
  f.init("t");
  f.end("t", {1000, 0}, abort);
  CHECK(f.markers().empty());
  CHECK(f.open_writes() == 1);
  f.log_ok();
  CHECK(f.status("t") == "CompleteAbort");
  CHECK(f.state("t").started == f.now);
}

TEST_CASE("A refused decision changes nothing", "[transaction][end]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.ask_end("t", {1000, 0}, commit);
  f.log_fails(ErrorCode::request_timed_out);
  CHECK(f.end_answer() == refused(ErrorCode::coordinator_not_available));
  CHECK(f.status("t") == "Ongoing");
  CHECK(f.markers().empty());
  CHECK(f.end("t", {1000, 0}, abort) == Answer{ErrorCode::none, {1000, 1}});
}

// ---- the last epochs

TEST_CASE("At the last epoch EndTxn answers the producer id that comes", "[transaction][end]") {
  Fixture f;
  f.given("t", exhausted());
  CHECK(f.end("t", {7, 32766}, commit) == Answer{ErrorCode::none, {1000, 0}});
  CHECK(f.producer("t") == Producer{7, 32767});
  CHECK(f.markers()[0].producer_id == 7);
  CHECK(f.markers()[0].producer_epoch == 32767);
  f.markers_ok();
  CHECK(f.producer("t") == Producer{1000, 0});
}

TEST_CASE("The repeat of a decision that rotated the producer id", "[transaction][end]") {
  Fixture f;
  f.given("t", exhausted());
  f.end("t", {7, 32766}, commit);
  f.markers_ok();
  CHECK(f.end("t", {7, 32766}, commit) == Answer{ErrorCode::none, {1000, 0}});
  CHECK(f.end("t", {7, 32766}, abort) == refused(ErrorCode::invalid_txn_state));
  CHECK(f.end("t", {7, 32765}, commit) == refused(ErrorCode::invalid_producer_id_mapping));
}

TEST_CASE("The repeat is recognised after the coordinator has moved", "[transaction][end]") {
  Fixture f;
  f.given("t", exhausted());
  f.end("t", {7, 32766}, commit);
  f.markers_ok();
  f.move_coordinator();
  CHECK(f.end("t", {7, 32766}, commit) == Answer{ErrorCode::none, {1000, 0}});
}

TEST_CASE("The next producer id survives a move between decision and completion",
          "[transaction][end]") {
  Fixture f;
  f.given("t", exhausted());
  f.end("t", {7, 32766}, commit);
  f.move_coordinator();
  CHECK(f.markers()[0].producer_epoch == 32767);
  f.markers_ok();
  CHECK(f.producer("t") == Producer{1000, 0});
}

TEST_CASE("At the last epoch a decision waits for producer ids", "[transaction][end]") {
  Fixture f;
  f.given("t", exhausted());
  for (int i = 0; i < 1000; ++i) f.init("t" + std::to_string(i));
  CHECK(f.end("t", {7, 32766}, commit) == refused(ErrorCode::coordinator_load_in_progress));
  f.coordinator.add_producer_ids(5000, 1000);
  CHECK(f.end("t", {7, 32766}, commit) == Answer{ErrorCode::none, {5000, 0}});
}

}  // namespace fencepost::minibroker::transaction
