// A transaction through a whole cluster: coordinator, partition leaders, markers and readers, with
// one broker and with three.
#include "minibroker/cluster.h"

#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/produce.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using namespace protocol;

namespace {

constexpr int partition_leader = 1;

ClusterSettings settings_of(int broker_count, Era era = era_4_4()) {
  ClusterSettings settings;
  settings.broker_count = broker_count;
  settings.era = std::move(era);
  settings.start = Instant(std::chrono::hours(24 * 365 * 50));
  settings.latency = milliseconds(1);
  settings.topics = {{"state", 1, broker_count, {}}};
  return settings;
}

// The words of a transactional producer, each one request.
struct Producer {
  ClusterFixture& world;
  std::string id;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t next_sequence = 0;

  int coordinator() const {
    FindCoordinatorRequest request;
    request.key_type = 1;
    request.coordinator_keys = {id};
    return world.call(1, request, 4).coordinators.at(0).node_id;
  }
  ErrorCode init() {
    InitProducerIdRequest request;
    request.transactional_id = id;
    request.transaction_timeout_ms = 60000;
    const auto response = world.call(coordinator(), request, 4);
    producer_id = response.producer_id;
    producer_epoch = response.producer_epoch;
    next_sequence = 0;
    return response.error_code;
  }
  ErrorCode add() {
    AddPartitionsToTxnRequest request;
    request.v3_and_below_transactional_id = id;
    request.v3_and_below_producer_id = producer_id;
    request.v3_and_below_producer_epoch = producer_epoch;
    request.v3_and_below_topics = {{"state", {0}, {}}};
    const auto response = world.call(coordinator(), request, 3);
    return response.results_by_topic_v3_and_below.at(0)
        .results_by_partition.at(0)
        .partition_error_code;
  }
  ProduceRequest batch(const std::string& key, const std::string& value) {
    RecordBatchOptions options;
    options.producer_id = producer_id;
    options.producer_epoch = producer_epoch;
    options.base_sequence = next_sequence++;
    options.is_transactional = true;
    const NewRecord record{to_timestamp(world.now), SharedBytes::copy_of(key),
                           SharedBytes::copy_of(value)};
    ProduceRequest request;
    request.transactional_id = id;
    request.acks = -1;
    request.timeout_ms = 30000;
    auto& topic = request.topic_data.emplace_back();
    topic.name = "state";
    topic.partition_data.push_back({0, Records{build_batch(options, {record})}, {}});
    return request;
  }
  ErrorCode produce(const std::string& key, const std::string& value, int version) {
    const auto response = world.call(partition_leader, batch(key, value), version);
    return response.responses.at(0).partition_responses.at(0).error_code;
  }
  ErrorCode end(bool is_commit, int version) {
    EndTxnRequest request{id, producer_id, producer_epoch, is_commit, {}};
    const auto response = world.call(coordinator(), request, version);
    if (response.error_code == ErrorCode::none && version >= 5) {
      producer_id = response.producer_id;
      producer_epoch = response.producer_epoch;
      next_sequence = 0;
    }
    return response.error_code;
  }
};

std::int64_t latest(ClusterFixture& world, std::int8_t isolation_level) {
  ListOffsetsRequest request;
  request.replica_id = -1;
  request.isolation_level = isolation_level;
  request.topics = {{"state", {{0, -1, -1, {}}}, {}}};
  return world.call(partition_leader, request, 8).topics.at(0).partitions.at(0).offset;
}

PartitionState state_of(ClusterFixture& world) {
  return *world.cluster.partition("state", 0);
}

}  // namespace

TEST_CASE("A committed transaction is read by both isolation levels", "[minibroker][cluster]") {
  const int broker_count = GENERATE(1, 3);
  ClusterFixture world(settings_of(broker_count));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  REQUIRE(producer.produce("k", "v", 12) == ErrorCode::none);
  CHECK(latest(world, 0) == 1);
  CHECK(latest(world, 1) == 0);
  REQUIRE(producer.end(true, 5) == ErrorCode::none);
  world.settle();
  CHECK(latest(world, 0) == 2);
  CHECK(latest(world, 1) == 2);
  const PartitionState state = state_of(world);
  REQUIRE(state.batches.size() == 2);
  CHECK(state.batches[0].state == BatchState::committed);
  CHECK(state.batches[1].state == BatchState::commit_marker);
}

TEST_CASE("The era of one epoch needs AddPartitionsToTxn first", "[minibroker][cluster]") {
  ClusterFixture world(settings_of(1, era_3_9()));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  CHECK(producer.produce("k", "v", 9) == ErrorCode::invalid_txn_state);
  CHECK(producer.produce("k", "v", 11) == ErrorCode::transaction_abortable);
  REQUIRE(producer.add() == ErrorCode::none);
  producer.next_sequence = 0;
  CHECK(producer.produce("k", "v", 11) == ErrorCode::none);
  CHECK(producer.end(false, 4) == ErrorCode::none);
  world.settle();
  CHECK(state_of(world).batches.at(0).state == BatchState::aborted);
}

TEST_CASE("EndTxn answers before the markers are written", "[minibroker][cluster]") {
  const int broker_count = GENERATE(1, 3);
  ClusterFixture world(settings_of(broker_count));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  REQUIRE(producer.produce("k", "v", 12) == ErrorCode::none);
  sim::FaultRule rule;
  rule.name = "markers";
  rule.api_key = ApiKey::write_txn_markers;
  world.cluster.faults().add(rule);
  REQUIRE(producer.end(true, 5) == ErrorCode::none);
  world.settle();
  CHECK(world.cluster.held_count("markers") == 1);
  CHECK(latest(world, 1) == 0);
  REQUIRE(world.cluster.release("markers", world.now));
  world.settle();
  CHECK(latest(world, 1) == 2);
}

TEST_CASE("A late produce hangs the partition only where nobody verifies",
          "[minibroker][cluster]") {
  const bool verifies = GENERATE(false, true);
  ClusterFixture world(settings_of(1, verifies ? era_3_9() : era_3_5()));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  REQUIRE(producer.add() == ErrorCode::none);
  sim::FaultRule rule;
  rule.name = "late";
  rule.api_key = ApiKey::produce;
  world.cluster.faults().add(rule);
  world.send(world.cluster.connect(partition_leader, "127.0.0.1"), producer.batch("k", "v"), 9);
  REQUIRE(producer.end(false, 3) == ErrorCode::none);
  world.settle();
  REQUIRE(world.cluster.release("late", world.now));
  world.settle();
  const PartitionState state = state_of(world);
  CHECK(state.batches.size() == (verifies ? 1 : 2));
  CHECK((state.last_stable_offset == state.high_watermark) == verifies);
}

TEST_CASE("A produce that adds its partition does so also where nobody verifies",
          "[minibroker][cluster]") {
  Era era = era_4_4();
  era.verifies_partitions = false;
  ClusterFixture world(settings_of(1, era));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  REQUIRE(producer.produce("k", "v", 12) == ErrorCode::none);
  REQUIRE(producer.end(true, 5) == ErrorCode::none);
  world.settle();
  CHECK(state_of(world).batches.at(0).state == BatchState::committed);
}

TEST_CASE("Where nobody verifies, a hanging transaction does not hold the next one back",
          "[minibroker][cluster]") {
  Era era = era_4_4();
  era.verifies_partitions = false;
  ClusterFixture world(settings_of(1, era));
  Producer hanging{world, "t"};
  REQUIRE(hanging.init() == ErrorCode::none);
  REQUIRE(hanging.produce("k", "v", 9) == ErrorCode::none);
  Producer next{world, "t"};
  REQUIRE(next.init() == ErrorCode::none);
  CHECK(next.produce("k", "v2", 12) == ErrorCode::none);
}

TEST_CASE("A leader tells a stale epoch before it asks the coordinator", "[minibroker][cluster]") {
  Era era = era_4_4();
  era.transaction_version = 0;
  ClusterFixture world(settings_of(1, era));
  Producer stale{world, "t"};
  REQUIRE(stale.init() == ErrorCode::none);
  Producer owner{world, "t"};
  REQUIRE(owner.init() == ErrorCode::none);
  REQUIRE(owner.add() == ErrorCode::none);
  REQUIRE(owner.produce("k", "new", 9) == ErrorCode::none);
  sim::FaultRule rule;
  rule.action = sim::FaultAction::drop;
  rule.name = "questions";
  rule.api_key = ApiKey::add_partitions_to_txn;
  world.cluster.faults().add(rule);
  CHECK(stale.produce("k", "old", 9) == ErrorCode::invalid_producer_epoch);
}

TEST_CASE("A produce that comes before the marker of the last transaction is told to wait",
          "[minibroker][cluster]") {
  ClusterFixture world(settings_of(1));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  REQUIRE(producer.produce("k", "v", 12) == ErrorCode::none);
  sim::FaultRule rule;
  rule.name = "markers";
  rule.api_key = ApiKey::write_txn_markers;
  world.cluster.faults().add(rule);
  REQUIRE(producer.end(true, 5) == ErrorCode::none);
  CHECK(producer.produce("k", "v2", 12) == ErrorCode::concurrent_transactions);
  REQUIRE(world.cluster.release("markers", world.now));
  world.settle();
  producer.next_sequence = 0;
  CHECK(producer.produce("k", "v2", 12) == ErrorCode::none);
}

TEST_CASE("An open transaction is aborted by timeout and sweep", "[minibroker][cluster]") {
  ClusterFixture world(settings_of(3));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  REQUIRE(producer.produce("k", "v", 12) == ErrorCode::none);
  world.advance(std::chrono::seconds(59));
  CHECK(state_of(world).batches.size() == 1);
  world.advance(std::chrono::seconds(12));
  world.settle();
  CHECK(state_of(world).batches.at(0).state == BatchState::aborted);
}

TEST_CASE("A lost reply closes the connection after the request took effect",
          "[minibroker][cluster]") {
  ClusterFixture world(settings_of(1));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  sim::FaultRule rule;
  rule.action = sim::FaultAction::lose_reply;
  rule.api_key = ApiKey::produce;
  world.cluster.faults().add(rule);
  const std::int32_t id = world.send(world.cluster.connect(partition_leader, "127.0.0.1"),
                                     producer.batch("k", "v"), 12);
  world.settle();
  CHECK_FALSE(world.is_answered(id));
  CHECK(state_of(world).batches.size() == 1);
}

TEST_CASE("A produce of null records is never answered, as in Kafka", "[minibroker][cluster]") {
  ClusterFixture world(settings_of(1));
  Producer producer{world, "t"};
  REQUIRE(producer.init() == ErrorCode::none);
  ProduceRequest request = producer.batch("k", "v");
  request.topic_data.at(0).partition_data.at(0).records.reset();
  const ConnectionId connection = world.cluster.connect(partition_leader, "127.0.0.1");
  const std::int32_t produce = world.send(connection, request, 12);
  const std::int32_t next = world.send(connection, ApiVersionsRequest{"test", "1", {}}, 3);
  world.settle();
  CHECK_FALSE(world.is_answered(produce));
  CHECK_FALSE(world.is_answered(next));
  CHECK(state_of(world).batches.empty());
  world.cluster.disconnect(connection);
  CHECK(world.call(partition_leader, ApiVersionsRequest{"test", "1", {}}, 3).api_keys.size() > 30);

  request.topic_data.at(0).name = "absent";
  CHECK(world.call(partition_leader, request, 12)
            .responses.at(0)
            .partition_responses.at(0)
            .error_code == ErrorCode::unknown_topic_or_partition);
}

TEST_CASE("A version of ApiVersions that is too high gets version 0 and the error",
          "[minibroker][cluster]") {
  ClusterFixture world(settings_of(1));
  protocol::Writer writer;
  writer.int16(18);
  writer.int16(127);
  writer.int32(77);
  world.cluster.receive(world.to(1), writer.finish().flatten(), world.now);
  const auto response = world.answer<ApiVersionsResponse>(77, 0);
  CHECK(response.error_code == ErrorCode::unsupported_version);
  REQUIRE(response.api_keys.size() == 1);
  CHECK(response.api_keys[0].api_key == 18);
}

TEST_CASE("The same requests leave the same digest", "[minibroker][cluster]") {
  const auto run = [] {
    ClusterFixture world(settings_of(3));
    Producer producer{world, "t"};
    REQUIRE(producer.init() == ErrorCode::none);
    REQUIRE(producer.produce("k", "v", 12) == ErrorCode::none);
    REQUIRE(producer.end(true, 5) == ErrorCode::none);
    world.settle();
    return world.cluster.digest();
  };
  CHECK(run() == run());
}

TEST_CASE("Every API that an era offers is handled", "[minibroker][cluster]") {
  ClusterFixture world(settings_of(1));
  const auto response = world.call(1, ApiVersionsRequest{"test", "1", {}}, 3);
  for (const auto& version : response.api_keys) {
    const Api* api = find_api(static_cast<ApiKey>(version.api_key));
    REQUIRE(api != nullptr);
    INFO(api->name);
    CHECK(api->versions().contains(version.max_version));
  }
  CHECK(response.api_keys.size() >= 30);
}

}  // namespace fencepost::minibroker
