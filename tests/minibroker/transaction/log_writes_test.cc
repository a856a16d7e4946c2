// What the failures of the coordinator's log mean for requests, and leadership that changes while a
// write is under way.
#include "tests/minibroker/transaction/fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

TEST_CASE("A failed append is answered in the coordinator's terms", "[transaction][log_writes]") {
  struct Row {
    ErrorCode append;
    ErrorCode answer;
  };
  Row row = GENERATE(
      Row{ErrorCode::unknown_topic_or_partition, ErrorCode::coordinator_not_available},
      Row{ErrorCode::not_enough_replicas, ErrorCode::coordinator_not_available},
      Row{ErrorCode::not_enough_replicas_after_append, ErrorCode::coordinator_not_available},
      Row{ErrorCode::request_timed_out, ErrorCode::coordinator_not_available},
      Row{ErrorCode::not_leader_or_follower, ErrorCode::not_coordinator},
      Row{ErrorCode::kafka_storage_error, ErrorCode::not_coordinator},
      Row{ErrorCode::message_too_large, ErrorCode::unknown_server_error},
      Row{ErrorCode::record_list_too_large, ErrorCode::unknown_server_error},
      Row{ErrorCode::corrupt_message, ErrorCode::corrupt_message});
  Fixture f;
  f.ask_init("t");
  f.log_fails(row.append);
  CHECK(f.init_answer() == refused(row.answer));
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 0}});
}

TEST_CASE("A write waits as long as its transaction may last", "[transaction][log_writes]") {
  Fixture f;
  f.timeout_ms = 12'345;
  f.ask_init("t");
  std::vector<LogWrite> writes = f.coordinator.take_log_writes();
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].timeout == milliseconds(12'345));
  CHECK(writes[0].partition == TopicPartition{"__transaction_state", 0});
}

TEST_CASE("Written after the leadership was lost: NOT_COORDINATOR", "[transaction][log_writes]") {
  Fixture f;
  f.init("t");
  f.ask_add("t", {1000, 0}, {{"A", 0}});
  f.open_writes();
  f.coordinator.unload(0);
  f.log_ok();
  CHECK(f.add_answer() == ErrorCode::not_coordinator);
}

TEST_CASE("Written while the partition is loaded again: wait", "[transaction][log_writes]") {
  Fixture f;
  f.init("t");
  f.ask_add("t", {1000, 0}, {{"A", 0}});
  f.open_writes();
  f.coordinator.begin_loading(0);
  f.log_ok();
  CHECK(f.add_answer() == ErrorCode::coordinator_load_in_progress);
}

TEST_CASE("A decision that was written before a reload is answered NOT_COORDINATOR and holds",
          "[transaction][log_writes]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.ask_end("t", {1000, 0}, true);
  f.open_writes();
  f.move_coordinator();
  f.log_ok();
  CHECK(f.end_answer() == refused(ErrorCode::not_coordinator));
  CHECK(f.status("t") == "Ongoing");  // loaded before the record was there
  f.move_coordinator();
  CHECK(f.status("t") == "PrepareCommit");
}

TEST_CASE("A write that failed before a reload does not touch what was loaded",
          "[transaction][log_writes]") {
  Fixture f;
  f.init("t");
  f.ask_add("t", {1000, 0}, {{"A", 0}});
  f.open_writes();
  f.move_coordinator();
  f.ask_init("t");
  f.log_fails();
  CHECK(f.add_answer() == ErrorCode::coordinator_not_available);
  CHECK(f.init_answer() == refused(ErrorCode::coordinator_not_available));
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 1}});
}

// ---- leadership

TEST_CASE("Requests for a partition that is loading are told so", "[transaction][leadership]") {
  Fixture f;
  f.coordinator.begin_loading(0);
  CHECK(f.init("t") == refused(ErrorCode::coordinator_load_in_progress));
  CHECK(f.add("t", {1, 0}, {{"A", 0}}) == ErrorCode::coordinator_load_in_progress);
  CHECK(f.end("t", {1, 0}, true) == refused(ErrorCode::coordinator_load_in_progress));
}

TEST_CASE("Requests for a partition of another broker are told so", "[transaction][leadership]") {
  Fixture f;
  f.coordinator.unload(0);
  CHECK(f.init("t") == refused(ErrorCode::not_coordinator));
  CHECK(f.add("t", {1, 0}, {{"A", 0}}) == ErrorCode::not_coordinator);
  CHECK(f.end("t", {1, 0}, true) == refused(ErrorCode::not_coordinator));
}

TEST_CASE("A move keeps ids, epochs and open transactions", "[transaction][leadership]") {
  Fixture f;
  f.init("t");
  f.init("u");
  f.add("t", {1000, 0}, {{"A", 0}});
  std::vector<TransactionState> before = f.coordinator.states();
  f.move_coordinator();
  CHECK(f.coordinator.states() == before);
  CHECK(f.end("t", {1000, 0}, true) == Answer{ErrorCode::none, {1000, 1}});
}

TEST_CASE("After a move the repeat of a bump is fenced: the last epoch is not in the log",
          "[transaction][leadership]") {
  Fixture f;
  f.init("t");
  f.init("t", {1000, 0});
  f.move_coordinator();
  CHECK(f.init("t", {1000, 0}) == refused(ErrorCode::producer_fenced));
}

TEST_CASE("Equal histories have equal digests, and a copy goes its own way",
          "[transaction][digest]") {
  auto digest = [](const Fixture& f) {
    Digest it;
    f.coordinator.add_to(it);
    return it.value();
  };
  Fixture f;
  Fixture g;
  f.init("t");
  g.init("t");
  CHECK(digest(f) == digest(g));
  Fixture copy = f;
  copy.add("t", {1000, 0}, {{"A", 0}});
  CHECK(digest(copy) != digest(f));
  CHECK(digest(f) == digest(g));
}

}  // namespace fencepost::minibroker::transaction
