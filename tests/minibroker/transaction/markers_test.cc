// Markers: fan-out, the reaction to every answer of a leader, completion, fail-over.
#include "minibroker/transaction/markers.h"

#include "tests/minibroker/transaction/fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

namespace {

// Committed in epoch 0 -> 1 with A-0 and B-0; their markers are asked for.
Fixture committed() {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}, {"B", 0}});
  f.end("t", {1000, 0}, true);
  return f;
}

}  // namespace

TEST_CASE("One marker names every partition of the transaction", "[transaction][markers]") {
  Fixture f = committed();
  REQUIRE(f.markers().size() == 1);
  CHECK(
      f.markers()[0] ==
      MarkerRequest{"t", 1000, 1, true, Fixture::first_coordinator_epoch, 2, {{"A", 0}, {"B", 0}}});
}

TEST_CASE("Complete is written when the last partition has its marker, in any order",
          "[transaction][markers]") {
  Fixture f = committed();
  MarkerRequest marker = f.markers()[0];
  f.marker_result(marker, {"B", 0});
  CHECK(f.open_writes() == 0);
  CHECK(f.state("t").partitions == std::vector<std::string>{"A-0"});
  f.marker_result(marker, {"A", 0});
  CHECK(f.open_writes() == 1);
  f.log_ok();
  CHECK(f.status("t") == "CompleteCommit");
  CHECK_FALSE(f.state("t").has_pending_change);
}

TEST_CASE("An answer that comes twice counts once", "[transaction][markers]") {
  Fixture f = committed();
  MarkerRequest marker = f.markers()[0];
  f.marker_result(marker, {"A", 0});
  f.marker_result(marker, {"A", 0});
  CHECK(f.open_writes() == 0);
}

TEST_CASE("The last answer that comes twice writes Complete once", "[transaction][markers]") {
  Fixture f = committed();
  MarkerRequest marker = f.markers()[0];
  f.marker_result(marker, {"A", 0});
  f.marker_result(marker, {"B", 0});
  f.marker_result(marker, {"B", 0});
  CHECK(f.open_writes() == 1);
}

TEST_CASE("A passing error is asked again after a backoff", "[transaction][markers]") {
  ErrorCode error =
      GENERATE(ErrorCode::unknown_topic_or_partition, ErrorCode::not_leader_or_follower,
               ErrorCode::not_enough_replicas, ErrorCode::not_enough_replicas_after_append,
               ErrorCode::request_timed_out, ErrorCode::kafka_storage_error);
  Fixture f = committed();
  MarkerRequest marker = f.markers()[0];
  f.markers().clear();
  f.marker_result(marker, {"A", 0}, error);
  f.marker_result(marker, {"B", 0});
  CHECK(f.markers().empty());
  CHECK(f.coordinator.next_deadline() == f.now + milliseconds(100));
  f.pass(milliseconds(100));
  REQUIRE(f.markers().size() == 1);
  CHECK(f.markers()[0].partitions == std::vector<TopicPartition>{{"A", 0}});
  f.markers_ok();
  CHECK(f.status("t") == "CompleteCommit");
}

TEST_CASE("A leader that is short of replicas keeps the id busy until it recovers",
          "[transaction][markers]") {
  Fixture f = committed();
  for (int i = 0; i < 3; ++i) {
    f.markers_answer(ErrorCode::not_enough_replicas);
    CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
    f.pass(milliseconds(100));
  }
  f.markers_ok();
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("What a leader cannot hold counts as done", "[transaction][markers]") {
  ErrorCode error =
      GENERATE(ErrorCode::unsupported_for_message_format, ErrorCode::unsupported_version);
  Fixture f = committed();
  f.markers_answer(error);
  f.log_ok();
  CHECK(f.status("t") == "CompleteCommit");
}

TEST_CASE("A deleted partition counts as done", "[transaction][markers]") {
  Fixture f = committed();
  MarkerRequest marker = f.markers()[0];
  f.marker_result(marker, {"A", 0});
  f.coordinator.on_marker_result({"t",
                                  1000,
                                  1,
                                  marker.coordinator_epoch,
                                  {"B", 0},
                                  ErrorCode::unknown_topic_or_partition,
                                  true},
                                 f.now);
  f.log_ok();
  CHECK(f.status("t") == "CompleteCommit");
}

TEST_CASE("A fenced marker is given up and the id stays prepared until the coordinator moves",
          "[transaction][markers]") {
  ErrorCode error =
      GENERATE(ErrorCode::invalid_producer_epoch, ErrorCode::transaction_coordinator_fenced);
  Fixture f = committed();
  f.markers_answer(error);
  f.pass(std::chrono::minutes(1));
  CHECK(f.markers().empty());
  CHECK(f.open_writes() == 0);
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  f.move_coordinator();
  f.markers_ok();
  CHECK(f.status("t") == "CompleteCommit");
}

TEST_CASE("An answer that makes no sense leaves the transaction prepared",
          "[transaction][markers]") {
  Fixture f = committed();
  f.markers_answer(ErrorCode::corrupt_message);
  f.pass(std::chrono::minutes(1));
  CHECK(f.markers().empty());
  CHECK(f.status("t") == "PrepareCommit");
}

TEST_CASE("Complete is written again until the log takes it", "[transaction][markers]") {
  Fixture f = committed();
  f.markers_answer(ErrorCode::none);
  f.log_fails();
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  CHECK(f.coordinator.next_deadline() == f.now + milliseconds(100));
  f.pass(milliseconds(100));
  f.log_fails();
  f.pass(milliseconds(100));
  f.log_ok();
  CHECK(f.status("t") == "CompleteCommit");
}

// ---- fail-over

TEST_CASE("A new coordinator sends the markers of what was decided again",
          "[transaction][markers]") {
  Fixture f = committed();
  f.move_coordinator();
  REQUIRE(f.markers().size() == 1);
  CHECK(f.markers()[0].coordinator_epoch == Fixture::first_coordinator_epoch + 1);
  CHECK(f.markers()[0].is_commit);
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  f.markers_ok();
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("An answer to the markers of an earlier coordinator epoch is not counted",
          "[transaction][markers]") {
  Fixture f = committed();
  MarkerRequest old = f.markers()[0];
  f.move_coordinator();
  f.marker_result(old, {"A", 0}, ErrorCode::transaction_coordinator_fenced);
  f.marker_result(old, {"B", 0});
  f.markers_ok();
  CHECK(f.status("t") == "CompleteCommit");
}

TEST_CASE("An answer to an earlier transaction is not counted", "[transaction][markers]") {
  Fixture f = committed();
  MarkerRequest old = f.markers()[0];
  f.markers_ok();
  f.add("t", {1000, 1}, {{"A", 0}});
  f.end("t", {1000, 1}, false);
  f.marker_result(old, {"A", 0});
  CHECK(f.state("t").partitions == std::vector<std::string>{"A-0"});
}

TEST_CASE("A coordinator that has resigned sends nothing more", "[transaction][markers]") {
  Fixture f = committed();
  f.markers_answer(ErrorCode::not_leader_or_follower);
  f.coordinator.unload(0);
  f.pass(milliseconds(100));
  CHECK(f.markers().empty());
  CHECK_FALSE(f.coordinator.next_deadline() == f.now + milliseconds(100));
}

}  // namespace fencepost::minibroker::transaction
