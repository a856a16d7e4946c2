// DescribeTransactions and ListTransactions with their filters.
#include "tests/minibroker/transaction/fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

namespace {

protocol::DescribeTransactionsResponse describe(Fixture& f, std::vector<std::string> ids) {
  protocol::DescribeTransactionsRequest request;
  request.transactional_ids = std::move(ids);
  f.coordinator.describe_transactions(Fixture::context(ApiKey::describe_transactions, 0), request);
  return f.reply<protocol::DescribeTransactionsResponse>();
}

protocol::ListTransactionsResponse list(Fixture& f,
                                        const protocol::ListTransactionsRequest& request) {
  f.coordinator.list_transactions(Fixture::context(ApiKey::list_transactions, 2), request, f.now);
  return f.reply<protocol::ListTransactionsResponse>();
}

std::vector<std::string> ids(const protocol::ListTransactionsResponse& response) {
  std::vector<std::string> all;
  for (const auto& it : response.transaction_states) all.push_back(it.transactional_id);
  return all;
}

// "idle" is Empty with producer 1000, "open" is Ongoing with producer 1001 and, B-0.
Fixture two_ids() {
  Fixture f;
  f.init("idle");
  f.init("open");
  f.add("open", {1001, 0}, {{"A", 0}, {"A", 1}, {"B", 0}});
  return f;
}

}  // namespace

TEST_CASE("DescribeTransactions shows state, owner, times and partitions",
          "[transaction][describe]") {
  Fixture f = two_ids();
  auto response = describe(f, {"open"});
  REQUIRE(response.transaction_states.size() == 1);
  const auto& state = response.transaction_states[0];
  CHECK(state.error_code == ErrorCode::none);
  CHECK(state.transaction_state == "Ongoing");
  CHECK(state.producer_id == 1001);
  CHECK(state.producer_epoch == 0);
  CHECK(state.transaction_timeout_ms == 60'000);
  CHECK(state.transaction_start_time_ms == to_timestamp(f.now));
  REQUIRE(state.topics.size() == 2);
  CHECK(state.topics[0].topic == "A");
  CHECK(state.topics[0].partitions == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("DescribeTransactions answers each id for itself", "[transaction][describe]") {
  Fixture f = two_ids();
  auto response = describe(f, {"", "nobody", "idle"});
  REQUIRE(response.transaction_states.size() == 3);
  CHECK(response.transaction_states[0].error_code == ErrorCode::invalid_request);
  CHECK(response.transaction_states[1].error_code == ErrorCode::transactional_id_not_found);
  CHECK(response.transaction_states[2].transaction_start_time_ms == -1);
  f.coordinator.unload(0);
  CHECK(describe(f, {"idle"}).transaction_states[0].error_code == ErrorCode::not_coordinator);
}

TEST_CASE("ListTransactions without filters lists everything", "[transaction][describe]") {
  Fixture f = two_ids();
  auto response = list(f, {});
  CHECK(ids(response) == std::vector<std::string>{"idle", "open"});
  CHECK(response.transaction_states[1].transaction_state == "Ongoing");
  CHECK(response.transaction_states[1].producer_id == 1001);
}

TEST_CASE("ListTransactions filters by state and names the states it does not know",
          "[transaction][describe]") {
  Fixture f = two_ids();
  protocol::ListTransactionsRequest request;
  request.state_filters = {"Ongoing", "Asleep"};
  auto response = list(f, request);
  CHECK(ids(response) == std::vector<std::string>{"open"});
  CHECK(response.unknown_state_filters == std::vector<std::string>{"Asleep"});
  request.state_filters = {"Asleep"};
  CHECK(ids(list(f, request)).empty());
}

TEST_CASE("ListTransactions filters by producer id", "[transaction][describe]") {
  Fixture f = two_ids();
  protocol::ListTransactionsRequest request;
  request.producer_id_filters = {1000, 5};
  CHECK(ids(list(f, request)) == std::vector<std::string>{"idle"});
}

TEST_CASE("ListTransactions filters by age, longer than the filter", "[transaction][describe]") {
  Fixture f = two_ids();
  protocol::ListTransactionsRequest request;
  request.state_filters = {"Ongoing"};
  request.duration_filter = 1000;
  f.pass(milliseconds(1000));
  CHECK(ids(list(f, request)).empty());
  f.pass(milliseconds(1));
  CHECK(ids(list(f, request)) == std::vector<std::string>{"open"});
}

TEST_CASE("ListTransactions filters by a pattern of the whole id", "[transaction][describe]") {
  Fixture f = two_ids();
  protocol::ListTransactionsRequest request;
  request.transactional_id_pattern = "op.*";
  CHECK(ids(list(f, request)) == std::vector<std::string>{"open"});
  request.transactional_id_pattern = "op";
  CHECK(ids(list(f, request)).empty());
  request.transactional_id_pattern = "";
  CHECK(ids(list(f, request)).size() == 2);
}

TEST_CASE("A pattern that is none, or far too long, is refused", "[transaction][describe]") {
  Fixture f = two_ids();
  protocol::ListTransactionsRequest request;
  request.transactional_id_pattern = "(";
  CHECK(list(f, request).error_code == ErrorCode::invalid_regular_expression);
  request.transactional_id_pattern = std::string(20'000, '(');
  CHECK(list(f, request).error_code == ErrorCode::invalid_regular_expression);
}

TEST_CASE("A pattern cannot make a long id expensive", "[transaction][describe]") {
  Fixture f;
  f.init(std::string(30'000, 'a'));
  protocol::ListTransactionsRequest request;
  request.transactional_id_pattern = "(a*)*b";
  CHECK(ids(list(f, request)).empty());
}

TEST_CASE("While any partition is loading, nothing is listed", "[transaction][describe]") {
  Fixture f = two_ids();
  f.coordinator.begin_loading(0);
  auto response = list(f, {});
  CHECK(response.error_code == ErrorCode::coordinator_load_in_progress);
  CHECK(response.transaction_states.empty());
}

}  // namespace fencepost::minibroker::transaction
