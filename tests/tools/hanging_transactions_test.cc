// Finding and ending hanging transactions, on simulated brokers of the releases that allow them.
#include "client/hanging_transactions.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include "client/reader.h"
#include "client/transactional_session.h"
#include "tests/catch.h"
#include "tools/scenario/world.h"

using namespace fencepost;
using client::TopicPartition;
using protocol::ErrorCode;

namespace {

const TopicPartition data_0{"data", 0};

minibroker::ClusterSettings cluster_of(const std::string& era) {
  minibroker::ClusterSettings settings;
  settings.era = minibroker::find_era(era).value();
  settings.topics.push_back({"data", 2, 1});
  return settings;
}

// One producer that writes to data-0, and an operator who looks.
struct HangingWorld {
  explicit HangingWorld(const std::string& era)
      : world(scenario::make_simulated_world(cluster_of(era))),
        cluster(world->network(), world->clock(), world->bootstrap()),
        producer(cluster, "t") {
    run(producer.init_producer_id(std::chrono::minutes(1)));
    // AddPartitionsToTxn is what a client of that era sends; the brokers know no better one.
    add();
  }

  template <class T>
  T run(client::Task<T> task) {
    std::optional<Result<T>> result;
    asio::co_spawn(world->io(), keep(std::move(task), &result), asio::detached);
    REQUIRE(world->run_until([&result] { return result.has_value(); }));
    if (!result->ok()) FAIL(result->error().text);
    return std::move(**result);
  }
  template <class T>
  static asio::awaitable<void> keep(client::Task<T> task, std::optional<Result<T>>* result) {
    result->emplace(co_await std::move(task));
  }

  void add() { run(producer.add_partitions_to_txn({data_0})); }
  void end(bool committed) {
    REQUIRE(run(producer.end_txn(committed)).error_code == ErrorCode::none);
    world->settle();
  }
  void produce() {
    client::ProduceCall call;
    call.partition = data_0;
    protocol::NewRecord record;
    record.key = SharedBytes::copy_of(std::string_view("k"));
    call.records.push_back(record);
    run(producer.produce(std::move(call)));
  }
  // The batch arrives after its transaction was aborted: nobody will end what it opens.
  void leave_hanging() {
    end(false);
    produce();
  }
  client::HangingSearch search(client::HangingScope scope = {}) {
    const auto now_ms = to_timestamp(world->clock().now());
    return run(client::find_hanging_transactions(cluster, scope, now_ms));
  }
  std::int64_t last_stable_offset() {
    return run(client::list_offset(cluster, data_0, client::latest_timestamp,
                                   client::IsolationLevel::read_committed))
        .offset;
  }

  std::unique_ptr<scenario::World> world;
  client::ClusterClient cluster;
  client::TransactionalSession producer;
};

}  // namespace

TEST_CASE("A transaction that no coordinator holds is found once it is old enough",
          "[client][hanging]") {
  HangingWorld world("3.5");
  world.leave_hanging();

  CHECK(world.search().found.empty());
  CHECK(world.search().open_transactions == 1);
  world.world->advance(std::chrono::minutes(16));
  const client::HangingSearch search = world.search();

  REQUIRE(search.found.size() == 1);
  const client::HangingTransaction& hanging = search.found.front();
  CHECK(hanging.partition == data_0);
  CHECK(hanging.producer.producer_id == world.producer.identity().id);
  CHECK(hanging.producer.current_txn_start_offset == world.last_stable_offset());
  CHECK(hanging.transactional_id == "t");
  CHECK(hanging.reason == "its transaction is CompleteAbort and does not hold the partition");
}

TEST_CASE("An abort marker with the epochs that the leader tells ends a hanging transaction",
          "[client][hanging]") {
  HangingWorld world("3.5");
  world.leave_hanging();
  world.world->advance(std::chrono::minutes(16));
  const auto hanging = world.search().found.at(0);
  const std::int64_t pinned = world.last_stable_offset();

  client::AbortMarker marker;
  marker.partition = hanging.partition;
  marker.producer_id = hanging.producer.producer_id;
  marker.producer_epoch = static_cast<std::int16_t>(hanging.producer.producer_epoch);
  marker.coordinator_epoch = hanging.producer.coordinator_epoch;
  CHECK(world.run(client::write_abort_marker(world.cluster, marker)) == ErrorCode::none);

  CHECK(world.last_stable_offset() == pinned + 2);
  CHECK(world.search().found.empty());
}

TEST_CASE("A long transaction that its coordinator holds is not called hanging",
          "[client][hanging]") {
  HangingWorld world("3.5");
  world.produce();
  client::HangingScope scope;
  scope.age_min = std::chrono::seconds(5);
  world.world->advance(std::chrono::seconds(20));

  CHECK(world.search(scope).found.empty());
  CHECK(world.search(scope).open_transactions == 1);
}

TEST_CASE("A search asks only the partitions in its scope", "[client][hanging]") {
  HangingWorld world("3.5");
  world.leave_hanging();
  world.world->advance(std::chrono::minutes(16));
  client::HangingScope scope;
  scope.topic = "data";
  scope.partition = 1;

  CHECK(world.search(scope).found.empty());
  CHECK(world.search(scope).partitions_searched == 1);
}

TEST_CASE("A coordinator that no longer knows the id leaves the transaction hanging",
          "[client][hanging]") {
  client::DescribedTransaction described;
  described.state.error_code = ErrorCode::transactional_id_not_found;

  CHECK(client::why_hanging(data_0, client::ActiveProducer(), described) ==
        "its coordinator answers TRANSACTIONAL_ID_NOT_FOUND");
}

TEST_CASE("A coordinator that gave the id a new producer id leaves the old one's hanging",
          "[client][hanging]") {
  client::DescribedTransaction described;
  described.state.producer_id = 8;
  client::ActiveProducer producer;
  producer.producer_id = 7;

  CHECK(client::why_hanging(data_0, producer, described) ==
        "its transactional.id has moved on to producer id 8");
}

TEST_CASE("Transactions are listed with their coordinator, and filtered by state",
          "[client][transaction_admin]") {
  HangingWorld world("3.9");
  world.produce();
  client::TransactionFilter ongoing;
  ongoing.states.push_back("Ongoing");
  client::TransactionFilter empty;
  empty.states.push_back("Empty");

  const auto listed = world.run(client::list_transactions(world.cluster, ongoing));
  REQUIRE(listed.size() == 1);
  REQUIRE(listed.front().transactions.size() == 1);
  CHECK(listed.front().transactions.front().transactional_id == "t");
  CHECK(world.run(client::list_transactions(world.cluster, empty)).at(0).transactions.empty());
}

TEST_CASE("A transaction is described with its coordinator and partitions",
          "[client][transaction_admin]") {
  HangingWorld world("3.9");
  const auto described = world.run(client::describe_transaction(world.cluster, "t"));

  CHECK(described.coordinator_id == 1);
  CHECK(described.state.transaction_state == "Ongoing");
  REQUIRE(described.state.topics.size() == 1);
  CHECK(described.state.topics.front().topic == "data");
}
