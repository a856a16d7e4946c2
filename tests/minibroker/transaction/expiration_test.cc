// The abort sweep and the expiry of ids, in virtual time.
#include "tests/minibroker/transaction/fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

using std::chrono::hours;
using std::chrono::seconds;

TEST_CASE("A transaction past its timeout is aborted by the next sweep", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.pass(seconds(1));
  f.add("t", {1000, 0}, {{"A", 0}});
  f.pass(seconds(59));  // a sweep, one second too early
  CHECK(f.status("t") == "Ongoing");
  CHECK(f.coordinator.next_deadline() == f.now + seconds(10));
  f.pass(seconds(9));
  CHECK(f.open_writes() == 0);
  f.pass(seconds(1));
  f.log_ok();
  CHECK(f.status("t") == "PrepareAbort");
  f.markers_ok();
  CHECK(f.status("t") == "CompleteAbort");
  CHECK(f.producer("t") == Producer{1000, 1});
}

TEST_CASE("The sweep runs first one interval after the start", "[transaction][time]") {
  Fixture f;
  f.timeout_ms = 1;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  CHECK(f.coordinator.next_deadline() == f.now + seconds(10));
  f.pass(milliseconds(9'999));
  CHECK(f.open_writes() == 0);
  f.pass(milliseconds(1));
  CHECK(f.open_writes() == 1);
}

TEST_CASE("At exactly its timeout a transaction lives", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.pass(seconds(60));
  CHECK(f.open_writes() == 0);
  CHECK(f.coordinator.next_deadline() == f.now + seconds(10));
}

TEST_CASE("A timeout raises the epoch, so that the slow producer is fenced",
          "[transaction][time]") {
  Era era = GENERATE(newest_era(), classic_era());
  Fixture f(era);
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.pass(seconds(70));
  f.log_ok();
  CHECK(f.markers()[0].producer_epoch == 1);
  f.markers_ok();
  CHECK(f.add("t", {1000, 0}, {{"A", 0}}) == ErrorCode::producer_fenced);
  CHECK(f.end("t", {1000, 0}, true, 4) == refused(ErrorCode::producer_fenced));
}

TEST_CASE("A transaction that is being decided is not aborted", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.ask_end("t", {1000, 0}, true);
  f.pass(seconds(70));
  CHECK(f.open_writes() == 1);
  f.log_ok();
  CHECK(f.status("t") == "PrepareCommit");
}

TEST_CASE("The sweep tries again when the log refuses", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.pass(seconds(70));
  f.log_fails();
  CHECK(f.status("t") == "Ongoing");
  f.pass(seconds(10));
  f.log_ok();
  f.markers_ok();
  CHECK(f.producer("t") == Producer{1000, 1});
}

TEST_CASE("An old transaction is aborted after a fail-over as well", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.move_coordinator();
  f.pass(seconds(70));
  f.log_ok();
  CHECK(f.status("t") == "PrepareAbort");
}

TEST_CASE("What another broker coordinates now is not swept here", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.coordinator.unload(0);
  CHECK(f.coordinator.next_deadline() != f.now + seconds(70));
  f.pass(seconds(70));
  CHECK(f.open_writes() == 0);
}

TEST_CASE("Nothing is due while nothing is known", "[transaction][time]") {
  Fixture f;
  CHECK(f.coordinator.next_deadline() == std::nullopt);
}

// ---- ids

TEST_CASE("An id that nobody used for a week is forgotten", "[transaction][time]") {
  Fixture f;
  f.init("t");
  CHECK(f.coordinator.next_deadline() == f.now + hours(168));
  f.pass(hours(167));
  CHECK(f.open_writes() == 0);
  f.pass(hours(1));
  f.log_ok();
  CHECK(f.status("t").empty());
  CHECK_FALSE(f.log.records.back().value.has_value());
  CHECK(f.add("t", {1000, 0}, {{"A", 0}}) == ErrorCode::invalid_producer_id_mapping);
  CHECK(f.init("t") == Answer{ErrorCode::none, {1001, 0}});
  f.move_coordinator();
  CHECK(f.producer("t") == Producer{1001, 0});
}

TEST_CASE("An id that is in use stays", "[transaction][time]") {
  Fixture f;
  f.timeout_ms = 15 * 60 * 1000;
  f.init("t");
  f.pass(hours(100));
  f.run_transaction("t", {1000, 0}, true);
  f.pass(hours(68));
  CHECK(f.open_writes() == 0);
  CHECK(f.coordinator.next_deadline() == f.now + hours(100));
}

TEST_CASE("While an id is being forgotten it is busy", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.pass(hours(168));
  f.ask_init("t");
  CHECK(f.init_answer() == refused(ErrorCode::concurrent_transactions));
}

TEST_CASE("An id that is being used at that moment is not forgotten", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.ask_init("t");
  f.pass(hours(168));
  CHECK(f.open_writes() == 1);
  f.log_ok();
  CHECK(f.init_answer() == Answer{ErrorCode::none, {1000, 1}});
}

TEST_CASE("A refused tombstone leaves the id in use", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.pass(hours(168));
  f.log_fails();
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 1}});
}

TEST_CASE("Ids that expire together share one batch", "[transaction][time]") {
  Fixture f;
  f.init("t");
  f.init("u");
  f.pass(hours(168));
  CHECK(f.open_writes() == 1);
  f.log_ok();
  CHECK(f.coordinator.states().empty());
}

}  // namespace fencepost::minibroker::transaction
