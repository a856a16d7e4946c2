// Reading on: what the requests name, and how records that a leader lost are noticed. A scripted
// broker shows the requests, the minibroker loses records.
#include "client/partition_reader.h"

#include "protocol/messages/fetch.h"
#include "protocol/messages/offset_for_leader_epoch.h"
#include "protocol/records/record_batch.h"
#include "tests/catch.h"
#include "tests/client/world.h"
#include "tests/simulated_cluster.h"

using namespace fencepost;
using namespace fencepost::client;
using protocol::ApiKey;
using protocol::ErrorCode;
using protocol::FetchRequest;
using protocol::FetchResponse;
using protocol::OffsetForLeaderEpochRequest;

namespace {

const TopicPartition in_0{"in", 0};

// A broker that gives one record an answer, up to `end`, and remembers one session.
struct ReaderWorld : World {
  ReaderWorld() {
    serve();
    broker.on<FetchRequest>([this](const FetchRequest& request, int version) {
      requests.push_back(request);
      versions.push_back(version);
      FetchResponse response = answer(request);
      if (version < 7) response.session_id = 0;  // before KIP-227
      return std::optional(response);
    });
    broker.on<OffsetForLeaderEpochRequest>([this](const OffsetForLeaderEpochRequest& request, int) {
      validations.push_back(request);
      protocol::OffsetForLeaderEpochResponse response;
      auto& topic = response.topics.emplace_back();
      topic.topic = "in";
      auto& partition = topic.partitions.emplace_back();
      partition.error_code = validation_error;
      partition.leader_epoch = 0;
      partition.end_offset = epoch_end;
      return std::optional(response);
    });
  }
  void serve() {
    broker.on<protocol::MetadataRequest>([this](const auto&, int) {
      protocol::MetadataResponse response;
      auto& node = response.brokers.emplace_back();
      node.node_id = 1;
      node.host = "b";
      node.port = 1;
      auto& topic = response.topics.emplace_back();
      topic.name = "in";
      topic.topic_id = Uuid{{7}};
      auto& partition = topic.partitions.emplace_back();
      partition.leader_id = 1;
      partition.leader_epoch = leader_epoch;
      return std::optional(response);
    });
  }
  FetchResponse answer(const FetchRequest& request) {
    FetchResponse response;
    response.error_code = std::exchange(session_error, ErrorCode::none);
    if (response.error_code != ErrorCode::none) return response;
    response.session_id = 33;
    if (!request.topics.empty()) offset = request.topics.at(0).partitions.at(0).fetch_offset;
    const bool is_quiet =
        offset >= end && request.session_epoch > 0 && partition_error == ErrorCode::none;
    if (is_quiet) return response;
    auto& topic = response.responses.emplace_back();
    topic.topic_id = Uuid{{7}};
    topic.topic = "in";
    auto& partition = topic.partitions.emplace_back();
    partition.high_watermark = end;
    partition.error_code = std::exchange(partition_error, ErrorCode::none);
    if (diverging >= 0 && request.session_epoch >= 0) {
      partition.diverging_epoch.epoch = 0;
      partition.diverging_epoch.end_offset = diverging;
    } else if (offset < end && partition.error_code == ErrorCode::none) {
      protocol::NewRecord record;
      record.value = SharedBytes::copy_of(std::string_view("v"));
      const SharedBytes batch = protocol::build_batch({}, {record});
      partition.records = protocol::Records{protocol::with_offset(
          protocol::RecordBatchView::open(batch).value(), offset, leader_epoch)};
    }
    return response;
  }
  Fetched poll(PartitionReader& reader) { return run(reader.poll()).value(); }

  std::vector<FetchRequest> requests;
  std::vector<int> versions;
  std::vector<OffsetForLeaderEpochRequest> validations;
  std::int32_t leader_epoch = 3;
  std::int64_t end = 2;
  std::int64_t offset = 0;
  std::int64_t epoch_end = 100;
  std::int64_t diverging = -1;
  ErrorCode session_error = ErrorCode::none;
  ErrorCode partition_error = ErrorCode::none;
  ErrorCode validation_error = ErrorCode::none;
};

const FetchRequest::FetchPartition& asked(const FetchRequest& request) {
  return request.topics.at(0).partitions.at(0);
}

}  // namespace

TEST_CASE("A reader's later requests name only what has changed", "[client]") {
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  for (int i = 0; i < 4; ++i) world.poll(reader);
  REQUIRE(world.requests.size() == 4);
  CHECK(world.requests[0].session_epoch == 0);
  CHECK(world.requests[1].session_id == 33);
  CHECK(asked(world.requests[1]).fetch_offset == 1);
  CHECK(asked(world.requests[2]).fetch_offset == 2);
  CHECK(world.requests[3].topics.empty());
  CHECK(world.requests[3].session_epoch == 3);
  CHECK(reader.position() == 2);
}

TEST_CASE("An answer without the partition has nothing new and keeps the watermark", "[client]") {
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  for (int i = 0; i < 2; ++i) world.poll(reader);
  const Fetched fetched = world.poll(reader);
  CHECK(fetched.error_code == ErrorCode::none);
  CHECK(fetched.records.empty());
  CHECK(fetched.position == 2);
  CHECK(fetched.high_watermark == 2);
}

TEST_CASE("A session that is gone is begun anew within the same poll", "[client]") {
  const ErrorCode code =
      GENERATE(ErrorCode::fetch_session_id_not_found, ErrorCode::invalid_fetch_session_epoch);
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  world.poll(reader);
  world.session_error = code;
  const Fetched fetched = world.poll(reader);
  CHECK(fetched.error_code == ErrorCode::none);
  CHECK(fetched.records.size() == 1);
  REQUIRE(world.requests.size() == 3);
  CHECK(world.requests[2].session_epoch == 0);
  CHECK(world.requests[2].topics.size() == 1);
}

TEST_CASE("A closed reader tells the broker that its session is over", "[client]") {
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  world.poll(reader);
  asio::co_spawn(world.io, reader.close(), asio::detached);
  world.settle();
  REQUIRE(world.requests.size() == 2);
  CHECK(world.requests[1].session_id == 33);
  CHECK(world.requests[1].session_epoch == -1);
}

TEST_CASE("A single fetch begins no session", "[client]") {
  ReaderWorld world;
  CHECK(world.run(fetch(world.cluster, in_0, 0)).value().records.size() == 1);
  CHECK(world.requests.at(0).session_id == 0);
  CHECK(world.requests.at(0).session_epoch == -1);
}

TEST_CASE("A reader says by which leader epoch it asks and what it read last", "[client]") {
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  for (int i = 0; i < 2; ++i) world.poll(reader);
  CHECK(asked(world.requests[0]).current_leader_epoch == 3);
  CHECK(asked(world.requests[0]).last_fetched_epoch == -1);
  CHECK(asked(world.requests[1]).last_fetched_epoch == 3);
  CHECK(world.validations.empty());
}

TEST_CASE("After FENCED_LEADER_EPOCH the leader is looked up and the position checked",
          "[client]") {
  const ErrorCode code = GENERATE(ErrorCode::fenced_leader_epoch, ErrorCode::unknown_leader_epoch,
                                  ErrorCode::not_leader_or_follower);
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  world.poll(reader);
  world.leader_epoch = 4;
  world.partition_error = code;
  CHECK(world.poll(reader).error_code == code);
  CHECK(reader.position() == 1);
  CHECK(world.poll(reader).records.size() == 1);
  REQUIRE(world.validations.size() == 1);
  const auto& validated = world.validations[0].topics.at(0).partitions.at(0);
  CHECK(world.validations[0].replica_id == -1);
  CHECK(validated.leader_epoch == 3);
  CHECK(validated.current_leader_epoch == 4);
  CHECK(asked(world.requests.back()).current_leader_epoch == 4);
  world.poll(reader);
  CHECK(world.validations.size() == 1);
}

TEST_CASE("A position behind the end of its epoch is reported as truncated until a seek",
          "[client]") {
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  reader.seek(5, 1);
  world.epoch_end = 4;
  for (int i = 0; i < 2; ++i) {
    const Fetched fetched = world.poll(reader);
    CHECK(fetched.error_code == ErrorCode::offset_out_of_range);
    CHECK(fetched.position == 5);
    REQUIRE(fetched.truncation == Truncation{5, 1, 4, 0});
    CHECK(to_string(*fetched.truncation) ==
          "it was read up to offset 5 in leader epoch 1, the log parts from that at 4");
  }
  CHECK(world.validations.size() == 1);
  CHECK(world.requests.empty());
  reader.seek(1);
  const Fetched fetched = world.poll(reader);
  CHECK(fetched.records.size() == 1);
  CHECK_FALSE(fetched.truncation.has_value());
}

TEST_CASE("A refused check of the position is an answer, and repeated", "[client]") {
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  reader.seek(1, 1);
  world.validation_error = ErrorCode::unknown_leader_epoch;
  CHECK(world.poll(reader).error_code == ErrorCode::unknown_leader_epoch);
  CHECK(world.requests.empty());
  world.validation_error = ErrorCode::none;
  CHECK(world.poll(reader).records.size() == 1);
}

TEST_CASE("The epoch in which a fetch diverges is a truncation too", "[client]") {
  ReaderWorld world;
  PartitionReader reader(world.cluster, in_0);
  for (int i = 0; i < 2; ++i) world.poll(reader);
  world.diverging = 1;
  world.end = 3;
  CHECK(world.poll(reader).truncation == Truncation{2, 3, 1, 0});
  CHECK(world.validations.empty());
}

TEST_CASE("Brokers that cannot say where an epoch ended are read without the check", "[client]") {
  ReaderWorld world;
  world.broker.withdraw(ApiKey::offset_for_leader_epoch);
  world.broker.offer(ApiKey::fetch, 4, 6);
  PartitionReader reader(world.cluster, in_0);
  reader.seek(0, 1);
  world.poll(reader);
  CHECK(world.poll(reader).position == 2);
  CHECK(world.versions.at(1) == 6);
}

namespace {

// The only replica in sync acknowledges a record and loses it with its disk's tail.
void lose_second_record(tests::SimulatedCluster& world, TransactionalProducer& producer) {
  world.brokers().sync(1);
  world.brokers().sync(2);
  world.brokers().crash(2, minibroker::sim::Unsynced::kept, world.now());
  world.world->advance(std::chrono::seconds(10));
  producer.append({"log", 0}, tests::record("k", "second"));
  CHECK(world.run(producer.flush()).ok());
}

void crash_and_restart(tests::SimulatedCluster& world) {
  world.brokers().crash(1, minibroker::sim::Unsynced::lost, world.now());
  world.world->advance(std::chrono::seconds(10));
  world.brokers().restart(1, world.now());
  world.brokers().restart(2, world.now());
  world.world->advance(std::chrono::seconds(5));
}

// Polls until something else than "not now" comes.
Result<Fetched> settled(tests::SimulatedCluster& world, PartitionReader& reader) {
  for (int i = 0; i < 20; ++i) {
    Result<Fetched> fetched = world.run(reader.poll());
    const bool is_final =
        fetched.ok() && (fetched->error_code == ErrorCode::none || fetched->truncation.has_value());
    if (is_final) return fetched;
    world.world->advance(milliseconds(100));
  }
  return Error{ErrorKind::stalled, "never"};
}

}  // namespace

TEST_CASE("A reader notices that a leader lost what it had read, in every era", "[client]") {
  const std::string release = GENERATE("2.8", "3.5", "4.4");
  minibroker::ClusterSettings settings = tests::settings_of(release, 2);
  settings.topics.push_back({"log", 1, 2});
  tests::SimulatedCluster world(settings);
  TransactionalProducer producer(world.world->io().get_executor(), world.client, {});
  CHECK(world.run(producer.init()).ok());
  producer.append({"log", 0}, tests::record("k", "first"));
  CHECK(world.run(producer.flush()).ok());
  lose_second_record(world, producer);

  PartitionReader reader(world.client, {"log", 0});
  for (int polls = 0; polls < 20 && reader.position() < 2; ++polls)
    REQUIRE(settled(world, reader).ok());
  REQUIRE(reader.position() == 2);
  crash_and_restart(world);
  const Result<Fetched> lost = settled(world, reader);
  REQUIRE(lost.ok());
  CHECK(lost->error_code == ErrorCode::offset_out_of_range);
  REQUIRE(lost->truncation.has_value());
  CHECK(lost->truncation->position == 2);
  REQUIRE(lost->truncation->end_offset == 1);

  reader.seek(*lost->truncation->end_offset, lost->truncation->end_epoch);
  // To the old producer the log lacks a sequence.
  TransactionalProducer next(world.world->io().get_executor(), world.client, {});
  CHECK(world.run(next.init()).ok());
  next.append({"log", 0}, tests::record("k", "third"));
  REQUIRE(world.run(next.flush()).ok());
  std::vector<std::string> read;
  for (int polls = 0; polls < 20 && reader.position() < 2; ++polls) {
    const Result<Fetched> fetched = settled(world, reader);
    REQUIRE(fetched.ok());
    for (const protocol::Record& it : fetched->records) read.emplace_back(it.value->text());
  }
  CHECK(read == std::vector<std::string>{"third"});
}

TEST_CASE("A restarted broker has forgotten the session, and the reader reads on", "[client]") {
  tests::SimulatedCluster world(tests::settings_of("4.4"));
  TransactionalProducer producer(world.world->io().get_executor(), world.client, {});
  CHECK(world.run(producer.init()).ok());
  PartitionReader reader(world.client, {"state", 0});
  for (const char* value : {"a", "b", "c"}) {
    producer.append({"state", 0}, tests::record("k", value));
    CHECK(world.run(producer.flush()).ok());
    const Result<Fetched> fetched = settled(world, reader);
    REQUIRE(fetched.ok());
    REQUIRE(fetched->records.size() == 1);
    CHECK(fetched->records.at(0).value->text() == value);
    world.brokers().crash(1, minibroker::sim::Unsynced::kept, world.now());
    world.world->advance(std::chrono::seconds(10));
    world.brokers().restart(1, world.now());
    world.world->advance(std::chrono::seconds(5));
  }
}
