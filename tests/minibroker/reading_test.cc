// Reading from a cluster: fetch sessions, limits of bytes, and what ListOffsets and
// OffsetForLeaderEpoch say.
#include "minibroker/cluster.h"

#include "protocol/messages/delete_topics.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/offset_for_leader_epoch.h"
#include "protocol/messages/produce.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using namespace protocol;

namespace {

ClusterSettings settings_of(int broker_count = 1, int slots = 1000) {
  ClusterSettings settings;
  settings.broker_count = broker_count;
  settings.start = Instant(std::chrono::hours(24 * 365 * 50));
  settings.max_incremental_fetch_session_cache_slots = slots;
  settings.topics = {{"a", 2, 1, {}}, {"b", 1, 1, {}}};
  return settings;
}

// The words of a client that produces and reads, by name up to version 12, by id from 13 on.
struct Client {
  explicit Client(ClusterSettings settings) : world(std::move(settings)) {}

  void produce(const std::string& topic, int partition, std::int64_t timestamp = -2,
               std::size_t value_bytes = 3) {
    const NewRecord record{timestamp == -2 ? to_timestamp(world.now) : timestamp,
                           SharedBytes::copy_of(std::string_view("k")),
                           SharedBytes::copy_of(std::string(value_bytes, 'v'))};
    ProduceRequest request;
    request.acks = 1;
    request.topic_data = {{topic, {}, {{partition, Records{build_batch({}, {record})}, {}}}, {}}};
    const auto answer = world.call(1, request, 9);
    REQUIRE(answer.responses.at(0).partition_responses.at(0).error_code == ErrorCode::none);
  }
  Uuid id_of(const std::string& topic) {
    MetadataRequest request;
    request.topics.emplace().emplace_back().name = topic;
    return world.call(1, request, 12).topics.at(0).topic_id;
  }
  FetchRequest asking(int session_id, int session_epoch) {
    FetchRequest request;
    request.session_id = session_id;
    request.session_epoch = session_epoch;
    request.max_bytes = 1 << 20;
    return request;
  }
  void ask(FetchRequest& request, const std::string& topic, int partition, std::int64_t offset,
           int bytes_max = 1 << 20) {
    auto& wanted = request.topics.emplace_back();
    wanted.topic = topic;
    wanted.topic_id = version >= 13 ? id_of(topic) : Uuid();
    auto& it = wanted.partitions.emplace_back();
    it.partition = partition;
    it.fetch_offset = offset;
    it.partition_max_bytes = bytes_max;
  }
  FetchResponse send(const FetchRequest& request) { return world.call(1, request, version); }
  // A session for a-0 from offset 0.
  FetchResponse open() {
    FetchRequest request = asking(0, 0);
    ask(request, "a", 0, 0);
    return send(request);
  }
  ListOffsetsResponse::ListOffsetsPartitionResponse list(std::int64_t timestamp, int at = 11) {
    ListOffsetsRequest request;
    request.replica_id = -1;
    request.topics = {{"a", {{0, -1, timestamp, {}}}, {}}};
    return world.call(1, request, at).topics.at(0).partitions.at(0);
  }

  ClusterFixture world;
  int version = 12;
};

std::size_t partition_count(const FetchResponse& response) {
  std::size_t count = 0;
  for (const auto& topic : response.responses) count += topic.partitions.size();
  return count;
}

const FetchResponse::PartitionData& first(const FetchResponse& response) {
  return response.responses.at(0).partitions.at(0);
}

}  // namespace

TEST_CASE("A session answers only what is new", "[fetch][session]") {
  Client client(settings_of());
  client.version = GENERATE(7, 12, 13, 18);
  client.produce("a", 0);
  FetchRequest request = client.asking(0, 0);
  client.ask(request, "a", 0, 0);
  client.ask(request, "b", 0, 0);
  const FetchResponse opened = client.send(request);
  REQUIRE(opened.session_id != 0);
  CHECK(partition_count(opened) == 2);
  request = client.asking(opened.session_id, 1);
  client.ask(request, "a", 0, 1);
  CHECK(partition_count(client.send(request)) == 0);
  client.produce("b", 0);
  const FetchResponse news = client.send(client.asking(opened.session_id, 2));
  CHECK(news.session_id == opened.session_id);
  REQUIRE(partition_count(news) == 1);
  CHECK(first(news).high_watermark == 1);
}

TEST_CASE("A forgotten partition is not asked for again; with the last one the session ends",
          "[fetch][session]") {
  Client client(settings_of());
  const std::int32_t session = client.open().session_id;
  FetchRequest request = client.asking(session, 1);
  client.ask(request, "b", 0, 0);
  request.forgotten_topics_data = {{"a", {}, {0}, {}}};
  CHECK(client.send(request).responses.at(0).topic == "b");
  request = client.asking(session, 2);
  request.forgotten_topics_data = {{"b", {}, {0}, {}}};
  const FetchResponse closed = client.send(request);
  CHECK(closed.error_code == ErrorCode::none);
  CHECK(closed.session_id == 0);
  CHECK(client.send(client.asking(session, 3)).error_code == ErrorCode::fetch_session_id_not_found);
}

TEST_CASE("Partitions that had records go to the end of their session", "[fetch][session]") {
  Client client(settings_of());
  FetchRequest request = client.asking(0, 0);
  client.ask(request, "a", 0, 0);
  client.ask(request, "b", 0, 0);
  const std::int32_t session = client.send(request).session_id;
  client.produce("a", 0);
  CHECK(partition_count(client.send(client.asking(session, 1))) == 1);
  client.produce("b", 0);
  const FetchResponse both = client.send(client.asking(session, 2));
  REQUIRE(both.responses.size() == 2);
  CHECK(both.responses.at(0).topic == "b");
}

TEST_CASE("A session refuses wrong epochs and ids", "[fetch][session]") {
  Client client(settings_of());
  const std::int32_t session = client.open().session_id;
  CHECK(client.send(client.asking(session, 2)).error_code ==
        ErrorCode::invalid_fetch_session_epoch);
  CHECK(client.send(client.asking(session + 1, 1)).error_code ==
        ErrorCode::fetch_session_id_not_found);
  client.version = 13;
  CHECK(client.send(client.asking(session, 1)).error_code ==
        ErrorCode::fetch_session_topic_id_error);
  // The refusal changed nothing.
  client.version = 12;
  CHECK(client.send(client.asking(session, 1)).error_code == ErrorCode::none);
}

TEST_CASE("A full request closes the session that it names", "[fetch][session]") {
  Client client(settings_of());
  const std::int32_t session = client.open().session_id;
  FetchRequest request = client.asking(session, -1);
  client.ask(request, "a", 0, 0);
  CHECK(client.send(request).session_id == 0);
  CHECK(client.send(client.asking(session, 1)).error_code == ErrorCode::fetch_session_id_not_found);
}

TEST_CASE("Without a slot there is no session, until an old one gives way", "[fetch][session]") {
  Client client(settings_of(1, 1));
  const std::int32_t session = client.open().session_id;
  REQUIRE(session != 0);
  CHECK(client.open().session_id == 0);
  client.world.advance(std::chrono::minutes(2));
  CHECK(client.open().session_id == 0);
  client.world.advance(milliseconds(1));
  CHECK(client.open().session_id != 0);
  CHECK(client.send(client.asking(session, 1)).error_code == ErrorCode::fetch_session_id_not_found);
}

TEST_CASE("A topic that was created anew is not the session's topic", "[fetch][session]") {
  Client client(settings_of());
  client.version = 13;
  const std::int32_t session = client.open().session_id;
  DeleteTopicsRequest request;
  request.topic_names = {"a"};
  client.world.call(1, request, 5);
  const FetchResponse gone = client.send(client.asking(session, 1));
  CHECK(first(gone).error_code == ErrorCode::unknown_topic_or_partition);
  client.id_of("a");  // creates it
  CHECK(first(client.send(client.asking(session, 2))).error_code ==
        ErrorCode::inconsistent_topic_id);
}

TEST_CASE("An unknown partition does not end the wait for the others", "[fetch]") {
  Client client(settings_of());
  FetchRequest request = client.asking(0, -1);
  client.ask(request, "a", 7, 0);
  client.ask(request, "a", 0, 0);
  request.max_wait_ms = 300;
  request.min_bytes = 1;
  const Instant start = client.world.now;
  const FetchResponse response = client.send(request);
  CHECK(client.world.now - start == milliseconds(300));
  // What there is not comes last.
  REQUIRE(partition_count(response) == 2);
  CHECK(first(response).partition_index == 0);
  CHECK(response.responses.at(0).partitions.at(1).error_code ==
        ErrorCode::unknown_topic_or_partition);
}

TEST_CASE("The last batch of a fetch may be cut off, the first is whole or not there", "[fetch]") {
  Client client(settings_of());
  client.produce("a", 0, -2, 100);
  client.produce("a", 0, -2, 100);
  const auto read = [&](int bytes_max) {
    FetchRequest request = client.asking(0, -1);
    client.ask(request, "a", 0, 0, bytes_max);
    client.ask(request, "b", 0, 0, bytes_max);
    return first(client.send(request)).records->bytes.size();
  };
  const std::size_t both = read(1000);
  CHECK(read(static_cast<int>(both - 10)) == both - 10);
  CHECK(read(0) == both / 2);
  CHECK(read(10) == both / 2);
}

TEST_CASE("A wrong leader epoch is told before anything else", "[fetch]") {
  Client client(settings_of());
  FetchRequest request = client.asking(0, -1);
  client.ask(request, "a", 0, 99);
  auto& wanted = request.topics.at(0).partitions.at(0);
  wanted.current_leader_epoch = 1;
  CHECK(first(client.send(request)).error_code == ErrorCode::unknown_leader_epoch);
  wanted.current_leader_epoch = 0;
  CHECK(first(client.send(request)).error_code == ErrorCode::offset_out_of_range);
}

TEST_CASE("A reader of an unknown epoch of the log is out of range, a longer log is cut off",
          "[fetch]") {
  Client client(settings_of());
  client.produce("a", 0);
  FetchRequest request = client.asking(0, -1);
  client.ask(request, "a", 0, 5);
  auto& wanted = request.topics.at(0).partitions.at(0);
  wanted.last_fetched_epoch = 3;
  CHECK(first(client.send(request)).error_code == ErrorCode::offset_out_of_range);
  wanted.last_fetched_epoch = 0;
  const FetchResponse response = client.send(request);
  CHECK(first(response).error_code == ErrorCode::none);
  CHECK(first(response).diverging_epoch.end_offset == 1);
}

TEST_CASE("Who leads is told to a client that asks another broker", "[fetch]") {
  ClusterSettings settings = settings_of(2);
  settings.topics = {{"a", 2, 1, {}}};
  Client client(settings);
  client.version = 16;
  FetchRequest request = client.asking(0, -1);
  client.ask(request, "a", 0, 0);
  client.ask(request, "a", 1, 0);
  const FetchResponse response = client.send(request);
  const auto& partitions = response.responses.at(0).partitions;
  REQUIRE(partitions.size() == 2);
  CHECK(partitions.at(0).error_code == ErrorCode::none);
  CHECK(partitions.at(1).error_code == ErrorCode::not_leader_or_follower);
  CHECK(partitions.at(1).current_leader.leader_id == 2);
  CHECK(response.node_endpoints.at(0).node_id == 2);
}

TEST_CASE("ListOffsets knows its special timestamps by version", "[list_offsets]") {
  Client client(settings_of());
  client.produce("a", 0, 500);
  client.produce("a", 0, 900);
  client.produce("a", 0, 700);
  CHECK(client.list(-1).offset == 3);
  CHECK(client.list(-2).offset == 0);
  CHECK(client.list(-3).offset == 1);
  CHECK(client.list(-3).timestamp == 900);
  CHECK(client.list(-4).offset == 0);
  CHECK(client.list(-5).offset == -1);
  CHECK(client.list(-6).offset == -1);
  CHECK(client.list(600).offset == 1);
  CHECK(client.list(901).offset == -1);
  CHECK(client.list(-3, 6).error_code == ErrorCode::unsupported_version);
  CHECK(client.list(-4, 7).error_code == ErrorCode::unsupported_version);
  CHECK(client.list(-5, 8).error_code == ErrorCode::unsupported_version);
  CHECK(client.list(-6, 10).error_code == ErrorCode::unsupported_version);
  CHECK(client.list(-7).error_code == ErrorCode::unsupported_version);
}

TEST_CASE("A partition that ListOffsets asks for twice is refused once", "[list_offsets]") {
  Client client(settings_of());
  ListOffsetsRequest request;
  request.replica_id = -1;
  request.topics = {{"a", {{0, -1, -1, {}}, {1, -1, -1, {}}, {0, -1, -2, {}}}, {}}};
  const auto response = client.world.call(1, request, 7);
  const auto& partitions = response.topics.at(0).partitions;
  REQUIRE(partitions.size() == 2);
  CHECK(partitions.at(0).error_code == ErrorCode::invalid_request);
  CHECK(partitions.at(1).error_code == ErrorCode::none);
}

TEST_CASE("A replica's epoch is looked at before its leadership", "[offset_for_leader_epoch]") {
  ClusterSettings settings = settings_of(2);
  settings.topics = {{"a", 2, 1, {}}, {"c", 1, 2, {}}};
  Client client(settings);
  OffsetForLeaderEpochRequest request;
  request.replica_id = -1;
  const auto ask = [&](const std::string& topic, int partition, int current, int epoch) {
    request.topics = {{topic, {{partition, current, epoch, {}}}, {}}};
    return client.world.call(1, request, 4).topics.at(0).partitions.at(0);
  };
  CHECK(ask("a", 0, -1, 0).end_offset == 0);
  CHECK(ask("a", 0, 0, 5).error_code == ErrorCode::none);
  CHECK(ask("a", 0, 0, 5).end_offset == -1);
  CHECK(ask("a", 0, 1, 0).error_code == ErrorCode::unknown_leader_epoch);
  CHECK(ask("a", 0, -2, 0).error_code == ErrorCode::fenced_leader_epoch);
  CHECK(ask("a", 1, 9, 0).error_code == ErrorCode::not_leader_or_follower);
  CHECK(ask("a", 9, -1, 0).error_code == ErrorCode::unknown_topic_or_partition);
}

}  // namespace fencepost::minibroker
