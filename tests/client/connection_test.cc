// One connection: versions, pipelining, and what is known when an answer does not come.
#include "client/connection.h"

#include "protocol/messages/api_versions.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/heartbeat.h"
#include "tests/catch.h"
#include "tests/client/world.h"

using namespace fencepost;
using namespace fencepost::client;
using protocol::ApiKey;
using protocol::ErrorCode;
using protocol::HeartbeatRequest;
using protocol::HeartbeatResponse;

namespace {

HeartbeatRequest heartbeat(std::int32_t generation) {
  HeartbeatRequest request;
  request.group_id = "g";
  request.member_id = "m";
  request.generation_id = generation;
  return request;
}

// Answers each heartbeat with its generation as throttle time.
void echo_heartbeats(ScriptedBroker& broker) {
  broker.on<HeartbeatRequest>([](const HeartbeatRequest& request, int) {
    HeartbeatResponse response;
    response.throttle_time_ms = request.generation_id;
    return std::optional(response);
  });
}

}  // namespace

TEST_CASE("A connection offers ApiVersions v4 and learns versions and features", "[client]") {
  World world;
  world.broker.offer(ApiKey::heartbeat, 1, 3);
  world.broker.set_feature("transaction.version", 2);
  const auto connection = world.connect();
  CHECK(world.broker.received.at(0).version == 4);
  CHECK(connection->versions_of(ApiKey::heartbeat) == protocol::between(1, 3));
  CHECK(connection->feature_level("transaction.version") == 2);
  CHECK(connection->feature_level("no.such.feature") == 0);
  CHECK(connection->address() == "b:1");
}

TEST_CASE("A broker that refuses ApiVersions v4 is asked in a version that it names", "[client]") {
  World world;
  world.broker.offer(ApiKey::api_versions, 0, 2);
  world.connect();
  REQUIRE(world.broker.received.size() == 2);
  CHECK(world.broker.received.at(0).version == 4);
  CHECK(world.broker.received.at(1).version == 2);
}

TEST_CASE("A broker that refuses ApiVersions without naming a version is asked in v0", "[client]") {
  World world;
  int asked = 0;
  world.broker.on_raw(ApiKey::api_versions, [&asked](const ReceivedRequest& request) {
    protocol::ApiVersionsResponse response;
    if (++asked == 1) response.error_code = ErrorCode::unsupported_version;
    return ScriptedBroker::framed(
        request, protocol::Codec<protocol::ApiVersionsResponse>::encode(response, 0).value());
  });
  world.connect();
  CHECK(world.broker.received.at(1).version == 0);
}

TEST_CASE("A call takes the highest version that both sides and the caller allow", "[client]") {
  World world;
  echo_heartbeats(world.broker);
  world.broker.offer(ApiKey::heartbeat, 1, 9);
  const auto connection = world.connect();
  CallOptions capped;
  capped.version_max = 2;
  REQUIRE(world.run(connection->call(heartbeat(5))).ok());
  REQUIRE(world.run(connection->call(heartbeat(5), capped)).ok());
  CHECK(world.broker.received.at(1).version == 4);
  CHECK(world.broker.received.at(2).version == 2);
}

TEST_CASE("A version that Kafka calls unstable is used only when it is named", "[client]") {
  World world;
  const auto connection = world.connect();
  CHECK(connection->choose_version(ApiKey::init_producer_id, std::nullopt).value() == 5);
  CHECK(connection->choose_version(ApiKey::init_producer_id, 6).value() == 6);
}

TEST_CASE("A call without a common version is refused before anything is sent", "[client]") {
  World world;
  world.broker.offer(ApiKey::heartbeat, 3, 4);
  world.broker.withdraw(ApiKey::end_txn);
  const auto connection = world.connect();
  CallOptions capped;
  capped.version_max = 2;
  const auto too_old = world.run(connection->call(heartbeat(5), capped));
  CHECK(too_old.error().kind == ErrorKind::unsupported_version);
  CHECK(too_old.error().text == "Heartbeat: b:1 offers versions 3 to 4, this client 0 to 2");
  const auto not_offered = world.run(connection->call(protocol::EndTxnRequest()));
  CHECK(not_offered.error().text == "EndTxn: b:1 does not offer it");
  CHECK(world.broker.received.size() == 1);
}

TEST_CASE("Several requests in flight get their own answers", "[client]") {
  World world;
  echo_heartbeats(world.broker);
  const auto connection = world.connect();
  const auto first = world.start(connection->call(heartbeat(1)));
  const auto second = world.start(connection->call(heartbeat(2)));
  const auto third = world.start(connection->call(heartbeat(3)));
  world.settle();
  CHECK((*first)->value().throttle_time_ms == 1);
  CHECK((*second)->value().throttle_time_ms == 2);
  CHECK((*third)->value().throttle_time_ms == 3);
  CHECK(world.broker.received.at(3).correlation_id == 3);
}

TEST_CASE("A request without an answer in time has an unknown outcome", "[client]") {
  World world;
  ConnectionOptions options;
  options.request_timeout = std::chrono::seconds(7);
  const auto connection = world.connect(options);
  const Instant begin = world.clock.now();
  const auto waiting = world.start(connection->call(heartbeat(1)));
  const auto behind = world.start(connection->call(heartbeat(2)));
  const auto result = world.finish(waiting);
  CHECK(result.error().kind == ErrorKind::unknown_outcome);
  CHECK(result.error().text == "Heartbeat v4 to b:1 has no answer: nothing came within 7000 ms");
  CHECK(world.clock.now() - begin == std::chrono::seconds(7));
  CHECK_FALSE(connection->is_open());
  CHECK(world.finish(behind).error().kind == ErrorKind::unknown_outcome);
}

TEST_CASE("A call may set its own timeout", "[client]") {
  World world;
  const auto connection = world.connect();
  const Instant begin = world.clock.now();
  CallOptions options;
  options.timeout = milliseconds(20);
  const auto result = world.run(connection->call(heartbeat(1), options));
  CHECK(result.error().kind == ErrorKind::unknown_outcome);
  CHECK(world.clock.now() - begin == milliseconds(20));
}

TEST_CASE("A connection lost after sending leaves an unknown outcome, before it closed",
          "[client]") {
  World world;
  world.broker.on_raw(ApiKey::heartbeat, [](const ReceivedRequest&) {
    return Answer{std::nullopt, true};
  });
  const auto connection = world.connect();
  CHECK(world.run(connection->call(heartbeat(1))).error().kind == ErrorKind::unknown_outcome);
  const auto after = world.run(connection->call(heartbeat(2)));
  CHECK(after.error().kind == ErrorKind::closed);
  CHECK(world.broker.count(ApiKey::heartbeat) == 1);
}

TEST_CASE("Closing a connection ends what is in flight at once", "[client]") {
  World world;
  const auto connection = world.connect();
  const auto waiting = world.start(connection->call(heartbeat(1)));
  world.settle();
  connection->close();
  world.settle();
  REQUIRE(waiting->has_value());
  CHECK((*waiting)->error().kind == ErrorKind::unknown_outcome);
}

TEST_CASE("An answer with another correlation id ends the connection", "[client]") {
  World world;
  world.broker.on_raw(ApiKey::heartbeat, [](ReceivedRequest request) {
    request.correlation_id += 40;
    return ScriptedBroker::framed(
        request, protocol::Codec<HeartbeatResponse>::encode(HeartbeatResponse(), 4).value());
  });
  const auto connection = world.connect();
  const auto result = world.run(connection->call(heartbeat(1)));
  CHECK(result.error().kind == ErrorKind::unknown_outcome);
  CHECK(result.error().text.find("correlation id 41 where 1 was due") != std::string::npos);
  CHECK_FALSE(connection->is_open());
}

TEST_CASE("An answer whose body is garbage is malformed and ends the connection", "[client]") {
  World world;
  world.broker.on_raw(ApiKey::heartbeat, [](const ReceivedRequest& request) {
    return ScriptedBroker::framed(request, Frame(SharedBytes::copy_of("xyz")));
  });
  const auto connection = world.connect();
  const auto result = world.run(connection->call(heartbeat(1)));
  CHECK(result.error().kind == ErrorKind::malformed);
  CHECK(result.error().text.find("the answer of b:1 to Heartbeat v4") == 0);
  CHECK_FALSE(connection->is_open());
}

TEST_CASE("An answer too short for its header ends the connection", "[client]") {
  World world;
  world.broker.on_raw(ApiKey::heartbeat,
                      [](const ReceivedRequest&) { return Answer{SharedBytes::copy_of("ab")}; });
  const auto connection = world.connect();
  const auto result = world.run(connection->call(heartbeat(1)));
  CHECK(result.error().kind == ErrorKind::unknown_outcome);
  CHECK_FALSE(connection->is_open());
}

TEST_CASE("Garbage instead of ApiVersions means that there is no connection", "[client]") {
  World world;
  world.broker.on_raw(ApiKey::api_versions, [](const ReceivedRequest& request) {
    return ScriptedBroker::framed(request, Frame(SharedBytes::copy_of("HTTP/1.1")));
  });
  const auto result = world.run(Connection::open(world.transport, world.clock, "b", 1, {}));
  CHECK(result.error().kind == ErrorKind::cannot_connect);
}

TEST_CASE("A broker that never answers ApiVersions cannot be connected to", "[client]") {
  World world;
  world.broker.on_raw(ApiKey::api_versions, [](const ReceivedRequest&) { return Answer{}; });
  const auto result = world.run(Connection::open(world.transport, world.clock, "b", 1, {}));
  CHECK(result.error().kind == ErrorKind::cannot_connect);
}

TEST_CASE("A value that the version cannot carry is refused and the connection lives on",
          "[client]") {
  World world;
  echo_heartbeats(world.broker);
  const auto connection = world.connect();
  HeartbeatRequest request = heartbeat(1);
  request.group_instance_id = "static";
  const auto refused = world.run(connection->call_exactly(request, 2));
  CHECK(refused.error().kind == ErrorKind::not_encodable);
  CHECK(world.run(connection->call(heartbeat(3))).ok());
}
