// Routing: which broker is asked, and what is remembered of the answer.
#include "client/cluster_client.h"

#include "client/reader.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/metadata.h"
#include "tests/catch.h"
#include "tests/client/world.h"

using namespace fencepost;
using namespace fencepost::client;
using protocol::ApiKey;
using protocol::ErrorCode;
using protocol::FindCoordinatorRequest;
using protocol::ListOffsetsRequest;
using protocol::MetadataRequest;
using protocol::MetadataResponse;

namespace {

const TopicPartition state_0{"state", 0};

// Brokers 1 to 3 at b:1 to b:3; `leader` leads state-0.
std::optional<MetadataResponse> three_brokers(int leader) {
  MetadataResponse response;
  for (int node = 1; node <= 3; ++node) {
    auto& broker = response.brokers.emplace_back();
    broker.node_id = node;
    broker.host = "b";
    broker.port = node;
  }
  auto& topic = response.topics.emplace_back();
  topic.name = "state";
  auto& partition = topic.partitions.emplace_back();
  partition.leader_id = leader;
  if (leader < 0) partition.error_code = ErrorCode::leader_not_available;
  return response;
}

void answer_offset(ScriptedBroker& broker, ErrorCode code, std::int64_t offset) {
  broker.on<ListOffsetsRequest>([code, offset](const ListOffsetsRequest& request, int) {
    protocol::ListOffsetsResponse response;
    auto& topic = response.topics.emplace_back();
    topic.name = request.topics.at(0).name;
    auto& partition = topic.partitions.emplace_back();
    partition.partition_index = request.topics.at(0).partitions.at(0).partition_index;
    partition.error_code = code;
    partition.offset = offset;
    return std::optional(response);
  });
}

Result<ListedOffset> list_end(World& world, CallOptions options = {}) {
  return world.run(list_offset(world.cluster, state_0, latest_timestamp,
                               IsolationLevel::read_uncommitted, options));
}

Result<protocol::EndTxnResponse> end_transaction(World& world, CallOptions options = {}) {
  return world.run(world.cluster.call_coordinator(CoordinatorType::transaction, "t",
                                                  protocol::EndTxnRequest(), options));
}

}  // namespace

TEST_CASE("A request for a partition goes to its leader, looked up once", "[client]") {
  World world;
  world.broker.on<MetadataRequest>([](const auto&, int) { return three_brokers(2); });
  answer_offset(world.broker, ErrorCode::none, 5);
  CHECK(list_end(world)->offset == 5);
  CHECK(list_end(world)->offset == 5);
  CHECK(world.broker.count(ApiKey::metadata) == 1);
  CHECK(world.broker.received.back().address == "b:2");
}

TEST_CASE("A fresh look-up finds the new leader", "[client]") {
  World world;
  int leader = 2;
  world.broker.on<MetadataRequest>([&leader](const auto&, int) { return three_brokers(leader); });
  answer_offset(world.broker, ErrorCode::not_leader_or_follower, -1);
  CHECK(list_end(world)->error_code == ErrorCode::not_leader_or_follower);
  leader = 3;
  CHECK(list_end(world).ok());
  CHECK(world.broker.received.back().address == "b:2");
  CallOptions fresh;
  fresh.fresh_lookup = true;
  CHECK(list_end(world, fresh).ok());
  CHECK(world.broker.received.back().address == "b:3");
}

TEST_CASE("A leader that cannot be connected to is looked up again", "[client]") {
  World world;
  int leader = 2;
  world.broker.on<MetadataRequest>([&leader](const auto&, int) { return three_brokers(leader); });
  answer_offset(world.broker, ErrorCode::none, 5);
  world.broker.unreachable.insert("b:2");
  CHECK(list_end(world).error().kind == ErrorKind::cannot_connect);
  leader = 3;
  CHECK(list_end(world)->offset == 5);
  CHECK(world.broker.received.back().address == "b:3");
}

TEST_CASE("A leader that has hung up is looked up again", "[client]") {
  World world;
  int leader = 2;
  world.broker.on<MetadataRequest>([&leader](const auto&, int) { return three_brokers(leader); });
  world.broker.on_raw(ApiKey::list_offsets, [](const ReceivedRequest&) {
    return Answer{std::nullopt, true};
  });
  CHECK(list_end(world).error().kind == ErrorKind::unknown_outcome);
  leader = 3;
  answer_offset(world.broker, ErrorCode::none, 5);
  CHECK(list_end(world)->offset == 5);
  CHECK(world.broker.received.back().address == "b:3");
}

TEST_CASE("A partition without a leader is asked about until it has one", "[client]") {
  World world;
  int asked = 0;
  world.broker.on<MetadataRequest>(
      [&asked](const auto&, int) { return three_brokers(++asked < 4 ? -1 : 2); });
  answer_offset(world.broker, ErrorCode::none, 5);
  CHECK(list_end(world)->offset == 5);
  CHECK(asked == 4);
}

TEST_CASE("A partition that never has a leader is an error that says why", "[client]") {
  World world;
  world.broker.on<MetadataRequest>([](const auto&, int) { return three_brokers(-1); });
  const auto result = list_end(world);
  CHECK(result.error().kind == ErrorKind::cannot_connect);
  CHECK(result.error().text == "no leader of state-0: LEADER_NOT_AVAILABLE");
}

TEST_CASE("A topic that is refused for good is not asked for again", "[client]") {
  World world;
  world.broker.on<MetadataRequest>([](const auto&, int) {
    std::optional<MetadataResponse> response = three_brokers(1);
    response->topics.front().partitions.clear();
    response->topics.front().error_code = ErrorCode::topic_authorization_failed;
    return response;
  });
  const Result<ListedOffset> result = list_end(world);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().kind == ErrorKind::stalled);
  CHECK(result.error().text ==
        "no leader of state-0: TOPIC_AUTHORIZATION_FAILED (the user lacks an ACL for the topic)");
  CHECK(world.broker.count(ApiKey::metadata) == 1);
}

TEST_CASE("A cluster that cannot be reached is an error with the address", "[client]") {
  World world;
  world.broker.unreachable = {"b:1"};
  CHECK(list_end(world).error().text == "cannot connect to b:1");
}

TEST_CASE("Another known broker is asked when the first is gone", "[client]") {
  World world;
  world.broker.on<MetadataRequest>([](const auto&, int) { return three_brokers(2); });
  answer_offset(world.broker, ErrorCode::none, 5);
  REQUIRE(list_end(world).ok());
  world.cluster.close();
  world.broker.unreachable = {"b:1"};
  CallOptions fresh;
  fresh.fresh_lookup = true;
  CHECK(list_end(world, fresh)->offset == 5);
}

TEST_CASE("The coordinator has a connection of its own, looked up once", "[client]") {
  World world;
  world.serve_topic("state", 1);
  world.broker.on<protocol::EndTxnRequest>(
      [](const auto&, int) { return std::optional(protocol::EndTxnResponse()); });
  REQUIRE(end_transaction(world).ok());
  REQUIRE(end_transaction(world).ok());
  CHECK(world.broker.count(ApiKey::find_coordinator) == 1);
  // One to ask for the coordinator, one to the coordinator, both at the same broker.
  CHECK(world.broker.connected == std::vector<std::string>{"b:1", "b:1"});
}

TEST_CASE("A call on a connection of its own opens another one", "[client]") {
  World world;
  world.serve_topic("state", 1);
  answer_offset(world.broker, ErrorCode::none, 5);
  REQUIRE(list_end(world).ok());
  CallOptions own;
  own.own_connection = true;
  REQUIRE(list_end(world, own).ok());
  CHECK(world.broker.connected.size() == 2);
}

TEST_CASE("A coordinator that is not available yet is asked for again", "[client]") {
  World world;
  int asked = 0;
  world.broker.on<FindCoordinatorRequest>([&asked](const FindCoordinatorRequest& request, int) {
    CHECK(request.key_type == 1);
    protocol::FindCoordinatorResponse response;
    auto& coordinator = response.coordinators.emplace_back();
    coordinator.host = "b";
    coordinator.port = 1;
    if (++asked < 3) coordinator.error_code = ErrorCode::coordinator_not_available;
    return std::optional(response);
  });
  world.broker.on<protocol::EndTxnRequest>(
      [](const auto&, int) { return std::optional(protocol::EndTxnResponse()); });
  CHECK(end_transaction(world).ok());
  CHECK(asked == 3);
}

TEST_CASE("A coordinator that hangs up, or cannot be connected to, is looked up again",
          "[client]") {
  World world;
  int coordinator = 2;
  world.broker.on<FindCoordinatorRequest>([&coordinator](const FindCoordinatorRequest&, int) {
    protocol::FindCoordinatorResponse response;
    auto& answer = response.coordinators.emplace_back();
    answer.host = "b";
    answer.port = coordinator;
    return std::optional(response);
  });
  world.broker.on_raw(ApiKey::end_txn, [](const ReceivedRequest&) {
    return Answer{std::nullopt, true};
  });
  CHECK(end_transaction(world).error().kind == ErrorKind::unknown_outcome);
  coordinator = 3;
  world.broker.unreachable.insert("b:3");
  CHECK(end_transaction(world).error().kind == ErrorKind::cannot_connect);
  coordinator = 4;
  world.broker.on<protocol::EndTxnRequest>([](const protocol::EndTxnRequest&, int) {
    return std::optional(protocol::EndTxnResponse());
  });
  CHECK(end_transaction(world).ok());
  CHECK(world.broker.received.back().address == "b:4");
}

TEST_CASE("A broker of FindCoordinator v3 is asked with a single key", "[client]") {
  World world;
  world.broker.offer(ApiKey::find_coordinator, 0, 3);
  world.broker.on<FindCoordinatorRequest>([](const FindCoordinatorRequest& request, int) {
    CHECK(request.key == "t");
    protocol::FindCoordinatorResponse response;
    response.error_code = ErrorCode::transactional_id_authorization_failed;
    return std::optional(response);
  });
  const auto result = end_transaction(world);
  CHECK(result.error().kind == ErrorKind::stalled);
  CHECK(result.error().text ==
        "no coordinator of t: TRANSACTIONAL_ID_AUTHORIZATION_FAILED (the user lacks an ACL for the "
        "transactional.id)");
}

TEST_CASE("Two calls to a broker that is not connected yet share one connection", "[client]") {
  World world;
  world.serve_topic("state", 1);
  answer_offset(world.broker, ErrorCode::none, 5);
  const auto first = world.start(
      list_offset(world.cluster, state_0, latest_timestamp, IsolationLevel::read_uncommitted));
  const auto second = world.start(
      list_offset(world.cluster, state_0, latest_timestamp, IsolationLevel::read_uncommitted));
  CHECK(world.finish(first).ok());
  CHECK(world.finish(second).ok());
  CHECK(world.broker.connected.size() == 1);
}

TEST_CASE("Fetch names the topic by its id where the cluster has ids, and by name where not",
          "[client]") {
  for (const bool has_ids : {true, false}) {
    World world;
    world.serve_topic("state", 1, has_ids ? Uuid{{7}} : Uuid());
    world.broker.on<protocol::FetchRequest>(
        [has_ids](const protocol::FetchRequest& request, int version) {
          CHECK(version == (has_ids ? 18 : 12));
          protocol::FetchResponse response;
          auto& topic = response.responses.emplace_back();
          topic.topic = request.topics.at(0).topic;
          topic.topic_id = request.topics.at(0).topic_id;
          topic.partitions.emplace_back().high_watermark = 9;
          return std::optional(response);
        });
    const auto fetched = world.run(fetch(world.cluster, state_0, 4));
    CHECK(fetched.value().high_watermark == 9);
    CHECK(fetched.value().position == 4);
  }
}

TEST_CASE("The name of a topic id is not forgotten while a broker does not know the topic",
          "[client]") {
  World world;
  Uuid id;
  id.bytes[15] = 7;
  bool is_known = true;
  world.broker.on<MetadataRequest>([&](const auto&, int) {
    std::optional<MetadataResponse> response = three_brokers(1);
    if (is_known) response->topics.front().topic_id = id;
    if (!is_known) response->topics.front().error_code = ErrorCode::unknown_topic_or_partition;
    return response;
  });
  for (const bool known : {true, false}) {
    is_known = known;
    REQUIRE(world.run(world.cluster.refresh_metadata(std::vector<std::string>{"state"})).ok());
    CHECK(world.cluster.topic_name(id) == "state");
    CHECK(world.cluster.topic_id("state").is_zero() == !known);
  }
}

TEST_CASE("An error of a fetch is handed back and does not move the position", "[client]") {
  World world;
  world.serve_topic("state", 1);
  world.broker.on<protocol::FetchRequest>([](const protocol::FetchRequest& request, int) {
    protocol::FetchResponse response;
    auto& topic = response.responses.emplace_back();
    topic.topic_id = request.topics.at(0).topic_id;
    topic.partitions.emplace_back().error_code = ErrorCode::offset_out_of_range;
    return std::optional(response);
  });
  const auto fetched = world.run(fetch(world.cluster, state_0, 4));
  CHECK(fetched.value().error_code == ErrorCode::offset_out_of_range);
  CHECK(fetched.value().position == 4);
}

TEST_CASE("An answer without the partition that was asked for is malformed", "[client]") {
  World world;
  world.serve_topic("state", 1);
  world.broker.on<ListOffsetsRequest>(
      [](const auto&, int) { return std::optional(protocol::ListOffsetsResponse()); });
  CHECK(list_end(world).error().kind == ErrorKind::malformed);
}

TEST_CASE("Closing the client ends every call", "[client]") {
  World world;
  world.serve_topic("state", 1);
  const auto waiting = world.start(
      list_offset(world.cluster, state_0, latest_timestamp, IsolationLevel::read_uncommitted));
  world.settle();
  world.cluster.close();
  world.settle();
  REQUIRE(waiting->has_value());
  CHECK((*waiting)->error().kind == ErrorKind::unknown_outcome);
}

TEST_CASE("Addresses are read as people write them", "[client]") {
  const auto both = parse_addresses("one:9092,[::1]:1").value();
  CHECK(both == std::vector<Address>{{"one", 9092}, {"::1", 1}});
  for (const char* wrong :
       {"", "host", ":1", "host:", "host:0", "host:65536", "host:1x", "a:1,", "::1:9092"})
    CHECK(parse_addresses(wrong).error().kind == ErrorKind::invalid_argument);
}
