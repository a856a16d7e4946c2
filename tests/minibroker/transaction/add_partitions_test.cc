// AddPartitionsToTxn and AddOffsetsToTxn from clients, and what brokers ask: verify and add.
#include "tests/minibroker/transaction/fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

TEST_CASE("The first partition opens a transaction", "[transaction][add]") {
  Fixture f;
  f.init("t");
  f.pass(milliseconds(5));
  CHECK(f.add("t", {1000, 0}, {{"A", 0}, {"B", 1}}) == ErrorCode::none);
  CHECK(f.status("t") == "Ongoing");
  CHECK(f.state("t").started == f.now);
  CHECK(f.state("t").partitions == std::vector<std::string>{"A-0", "B-1"});
}

TEST_CASE("Later partitions join it and leave its start alone", "[transaction][add]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  Instant started = f.now;
  f.pass(milliseconds(5));
  CHECK(f.add("t", {1000, 0}, {{"B", 1}}) == ErrorCode::none);
  CHECK(f.state("t").started == started);
  CHECK(f.state("t").partitions.size() == 2);
}

TEST_CASE("Partitions that are in it already write nothing", "[transaction][add]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.ask_add("t", {1000, 0}, {{"A", 0}});
  CHECK(f.open_writes() == 0);
  CHECK(f.add_answer() == ErrorCode::none);
}

TEST_CASE("The next transaction starts anew", "[transaction][add]") {
  Fixture f;
  f.init("t");
  f.run_transaction("t", {1000, 0}, true);
  f.pass(milliseconds(5));
  CHECK(f.add("t", {1000, 1}, {{"B", 1}}) == ErrorCode::none);
  CHECK(f.state("t").started == f.now);
  CHECK(f.state("t").partitions == std::vector<std::string>{"B-1"});
}

TEST_CASE("AddOffsetsToTxn adds the offsets partition", "[transaction][add]") {
  Fixture f;
  f.init("t");
  CHECK(f.add_offsets("t", {1000, 0}) == ErrorCode::none);
  CHECK(f.state("t").partitions == std::vector<std::string>{"__consumer_offsets-7"});
  CHECK(f.add_offsets("t", {1000, 9}) == ErrorCode::producer_fenced);
  CHECK(f.add_offsets("t", {1000, 9}, 1) == ErrorCode::invalid_producer_epoch);
}

TEST_CASE("An addition without transactional.id is no request", "[transaction][add]") {
  Fixture f;
  CHECK(f.add("", {1000, 0}, {{"A", 0}}) == ErrorCode::invalid_request);
}

TEST_CASE("An addition to an unknown id or producer id is mapped to nobody", "[transaction][add]") {
  Fixture f;
  CHECK(f.add("t", {1000, 0}, {{"A", 0}}) == ErrorCode::invalid_producer_id_mapping);
  f.init("t");
  CHECK(f.add("t", {999, 0}, {{"A", 0}}) == ErrorCode::invalid_producer_id_mapping);
}

TEST_CASE("An epoch that is lower or higher is fenced", "[transaction][add]") {
  Fixture f;
  f.init("t");
  f.init("t");
  CHECK(f.add("t", {1000, 0}, {{"A", 0}}) == ErrorCode::producer_fenced);
  CHECK(f.add("t", {1000, 2}, {{"A", 0}}) == ErrorCode::producer_fenced);
  CHECK(f.add("t", {1000, 0}, {{"A", 0}}, 1) == ErrorCode::invalid_producer_epoch);
}

TEST_CASE("A pending change answers CONCURRENT_TRANSACTIONS", "[transaction][add]") {
  Fixture f;
  f.init("t");
  f.ask_add("t", {1000, 0}, {{"A", 0}});
  f.ask_add("t", {1000, 0}, {{"B", 0}});
  CHECK(f.add_answer() == ErrorCode::concurrent_transactions);
}

TEST_CASE("Whether pending or the producer id is looked at first is a matter of the era",
          "[transaction][add]") {
  Fixture newest;
  newest.init("t");
  newest.ask_init("t");
  newest.ask_add("t", {999, 0}, {{"A", 0}});
  CHECK(newest.add_answer() == ErrorCode::concurrent_transactions);

  Fixture classic(classic_era());
  classic.init("t");
  classic.ask_init("t");
  classic.ask_add("t", {999, 0}, {{"A", 0}});
  CHECK(classic.add_answer() == ErrorCode::invalid_producer_id_mapping);
}

TEST_CASE("While markers are out nothing is added", "[transaction][add]") {
  Fixture f(classic_era());
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.end("t", {1000, 0}, true, 4);
  CHECK(f.add("t", {1000, 0}, {{"A", 0}}) == ErrorCode::concurrent_transactions);
  f.markers_ok();
  CHECK(f.add("t", {1000, 0}, {{"A", 0}}) == ErrorCode::none);
}

TEST_CASE("After an overflow the coming producer id waits and then works", "[transaction][add]") {
  Fixture f;
  TransactionValues values;
  values.producer_id = 7;
  values.producer_epoch = 32766;
  values.timeout = milliseconds(60'000);
  f.given("t", values);
  f.add("t", {7, 32766}, {{"A", 0}});
  Answer answer = f.end("t", {7, 32766}, true);
  CHECK(answer == Answer{ErrorCode::none, {1000, 0}});
  CHECK(f.add("t", answer.producer, {{"A", 0}}, 4) == ErrorCode::concurrent_transactions);
  f.markers_ok();
  CHECK(f.add("t", answer.producer, {{"A", 0}}, 4) == ErrorCode::none);
}

TEST_CASE("A refused append leaves the id usable", "[transaction][add]") {
  Fixture f;
  f.init("t");
  f.ask_add("t", {1000, 0}, {{"A", 0}});
  f.log_fails();
  CHECK(f.add_answer() == ErrorCode::coordinator_not_available);
  CHECK(f.status("t") == "Empty");
  CHECK(f.add("t", {1000, 0}, {{"A", 0}}) == ErrorCode::none);
}

// ---- brokers

TEST_CASE("Verification tells what is in the transaction from what is not",
          "[transaction][verify]") {
  Fixture f(classic_era());
  f.init("t");
  CHECK(f.verify("t", {1000, 0}, {{"A", 0}}) == std::vector{ErrorCode::transaction_abortable});
  f.add("t", {1000, 0}, {{"A", 0}});
  CHECK(f.verify("t", {1000, 0}, {{"A", 0}, {"B", 0}}) ==
        std::vector{ErrorCode::none, ErrorCode::transaction_abortable});
  CHECK(f.open_writes() == 0);
}

TEST_CASE("Verification does not mind a pending change", "[transaction][verify]") {
  Fixture f(classic_era());
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.ask_end("t", {1000, 0}, true, 4);
  CHECK(f.verify("t", {1000, 0}, {{"A", 0}}) == std::vector{ErrorCode::none});
  f.log_ok();
  f.end_answer();
  CHECK(f.verify("t", {1000, 0}, {{"A", 0}}) == std::vector{ErrorCode::concurrent_transactions});
  f.markers_ok();
  CHECK(f.verify("t", {1000, 0}, {{"A", 0}}) == std::vector{ErrorCode::transaction_abortable});
}

TEST_CASE("Verification knows who owns the id", "[transaction][verify]") {
  Fixture f(classic_era());
  CHECK(f.verify("", {1000, 0}, {{"A", 0}}) == std::vector{ErrorCode::invalid_request});
  CHECK(f.verify("t", {1000, 0}, {{"A", 0}}) ==
        std::vector{ErrorCode::invalid_producer_id_mapping});
  f.init("t");
  CHECK(f.verify("t", {999, 0}, {{"A", 0}}) == std::vector{ErrorCode::invalid_producer_id_mapping});
  CHECK(f.verify("t", {1000, 1}, {{"A", 0}}) == std::vector{ErrorCode::producer_fenced});
  f.coordinator.unload(0);
  CHECK(f.verify("t", {1000, 0}, {{"A", 0}}) == std::vector{ErrorCode::not_coordinator});
}

TEST_CASE("Several transactions are answered together, when all are written",
          "[transaction][verify]") {
  Fixture f;
  f.init("t");
  f.init("u");
  auto request = Fixture::add_request("t", {1000, 0}, {{"A", 0}}, 4);
  request.transactions.push_back(
      Fixture::add_request("u", {1001, 0}, {{"B", 0}}, 4).transactions[0]);
  request.transactions.push_back(
      Fixture::add_request("v", {1002, 0}, {{"C", 0}}, 4).transactions[0]);
  TransactionCoordinator::AddPartitionsResult refused;
  refused.transactional_id = "w";
  refused.topic_results.emplace_back().results_by_partition.emplace_back().partition_error_code =
      ErrorCode::unknown_topic_or_partition;
  f.coordinator.add_partitions_to_txn(Fixture::context(ApiKey::add_partitions_to_txn, 4), request,
                                      f.now, {refused});
  CHECK(f.open_writes() == 2);
  CHECK_FALSE(f.is_answered());
  f.log_ok();
  auto response = f.reply<protocol::AddPartitionsToTxnResponse>();
  CHECK(Fixture::codes_of(response) == std::vector{ErrorCode::unknown_topic_or_partition,
                                                   ErrorCode::none, ErrorCode::none,
                                                   ErrorCode::invalid_producer_id_mapping});
  CHECK(response.results_by_transaction[1].transactional_id == "t");
  CHECK_FALSE(f.is_answered());
}

TEST_CASE("A request without transactions has an empty answer", "[transaction][verify]") {
  Fixture f;
  f.coordinator.add_partitions_to_txn(Fixture::context(ApiKey::add_partitions_to_txn, 4), {},
                                      f.now);
  CHECK(f.reply<protocol::AddPartitionsToTxnResponse>().results_by_transaction.empty());
}

}  // namespace fencepost::minibroker::transaction
