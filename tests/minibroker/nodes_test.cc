// What befalls the nodes of a cluster: crashes, restarts, pauses, cut links, elections, and the
// crashes of coordinators between one record and the next.
#include "minibroker/cluster.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/produce.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using namespace protocol;
using sim::Party;
using sim::Unsynced;

namespace {

constexpr Duration session = std::chrono::seconds(9);

ClusterSettings settings_of(int broker_count) {
  ClusterSettings settings;
  settings.broker_count = broker_count;
  settings.start = Instant(std::chrono::hours(24 * 365 * 50));
  settings.latency = milliseconds(1);
  settings.topics = {{"state", 1, broker_count, {}}};
  return settings;
}

ProduceRequest one_record(std::int16_t acks, const std::string& value) {
  ProduceRequest request;
  request.acks = acks;
  request.timeout_ms = 30000;
  auto& topic = request.topic_data.emplace_back();
  topic.name = "state";
  const NewRecord record{0, SharedBytes::copy_of("k"), SharedBytes::copy_of(value)};
  topic.partition_data.push_back({0, Records{build_batch({}, {record})}, {}});
  return request;
}

ErrorCode produce(ClusterFixture& world, int broker, const std::string& value,
                  std::int16_t acks = -1) {
  const auto response = world.call(broker, one_record(acks, value), 9);
  return response.responses.at(0).partition_responses.at(0).error_code;
}

PartitionState state_of(const ClusterFixture& world) {
  return *world.cluster.partition("state", 0);
}

std::vector<std::string> records_of(const ClusterFixture& world) {
  std::vector<std::string> records;
  for (const BatchSummary& batch : state_of(world).batches)
    records.insert(records.end(), batch.records.begin(), batch.records.end());
  return records;
}

using Records_ = std::vector<std::string>;

// A producer with an open transaction on state-0, of version 2, and its coordinator.
struct OpenTransaction {
  explicit OpenTransaction(ClusterFixture& in, int asked = 1) : world(in) {
    FindCoordinatorRequest find;
    find.key_type = 1;
    find.coordinator_keys = {"t"};
    coordinator = world.call(asked, find, 4).coordinators.at(0).node_id;
    InitProducerIdRequest init;
    init.transactional_id = "t";
    init.transaction_timeout_ms = 60000;
    const auto producer = world.call(coordinator, init, 4);
    end.transactional_id = "t";
    end.producer_id = producer.producer_id;
    end.producer_epoch = producer.producer_epoch;
    end.committed = true;
    RecordBatchOptions options;
    options.producer_id = producer.producer_id;
    options.producer_epoch = producer.producer_epoch;
    options.base_sequence = 0;
    options.is_transactional = true;
    ProduceRequest request = one_record(-1, "v");
    request.transactional_id = "t";
    const NewRecord record{fencepost::to_timestamp(world.now), SharedBytes::copy_of("k"),
                           SharedBytes::copy_of("v")};
    request.topic_data[0].partition_data[0].records =
        fencepost::protocol::Records{build_batch(options, {record})};
    const int leader = state_of(world).leader_id;
    CHECK(world.call(leader, request, 12).responses.at(0).partition_responses.at(0).error_code ==
          ErrorCode::none);
  }
  std::int32_t send_end() { return world.send(world.to(coordinator), end, 5); }

  ClusterFixture& world;
  int coordinator = 0;
  EndTxnRequest end;
};

std::string state_of_transaction(const ClusterFixture& world) {
  const auto states = world.cluster.transactions();
  return states.empty() ? "none" : states.at(0).state;
}

}  // namespace

// ---- sessions and elections

TEST_CASE("A crashed leader is replaced when its session has ended", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  REQUIRE(produce(world, 1, "before") == ErrorCode::none);
  REQUIRE(world.cluster.crash(1, Unsynced::kept, world.now));
  world.advance(session - milliseconds(1));
  CHECK(state_of(world).leader_id == 1);
  world.advance(milliseconds(2));
  const PartitionState state = state_of(world);
  CHECK(state.leader_id == 2);
  CHECK(state.leader_epoch == 1);
  CHECK(state.in_sync_replicas == std::vector<int>{2, 3});
  CHECK(produce(world, 2, "after") == ErrorCode::none);
  CHECK(records_of(world) == Records_{"k=before", "k=after"});
}

TEST_CASE("Metadata names the replicas whose broker is down", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  REQUIRE(world.cluster.crash(3, Unsynced::kept, world.now));
  world.advance(session + milliseconds(2000));
  MetadataRequest request;
  request.topics = std::nullopt;
  const auto topics = world.call(1, request, 13).topics;
  CHECK(topics.at(0).partitions.at(0).offline_replicas == std::vector<std::int32_t>{3});
}

TEST_CASE("A broker that starts again catches up and is in sync again", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  REQUIRE(world.cluster.crash(1, Unsynced::lost, world.now));
  world.advance(session + milliseconds(1));
  REQUIRE(produce(world, 2, "alone") == ErrorCode::none);
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(std::chrono::seconds(3));
  CHECK(state_of(world).in_sync_replicas == std::vector<int>{2, 3, 1});
  REQUIRE(world.cluster.elect("state", 0, Election::preferred, -1, world.now) == ErrorCode::none);
  CHECK(state_of(world).leader_id == 1);
  CHECK(records_of(world) == Records_{"k=alone"});
}

TEST_CASE("A new life is let in when the session of the old one is over", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  REQUIRE(world.cluster.crash(1, Unsynced::kept, world.now));
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(std::chrono::seconds(8));
  CHECK(world.cluster.brokers().at(0).state == NodeState::starting);
  world.advance(std::chrono::seconds(2));
  CHECK(world.cluster.brokers().at(0).state == NodeState::up);
  CHECK_FALSE(world.cluster.brokers().at(0).is_fenced);
}

TEST_CASE("A pause shorter than the session goes unnoticed", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  REQUIRE(world.cluster.pause(1, world.now));
  world.advance(std::chrono::seconds(8));
  REQUIRE(world.cluster.resume(1, world.now));
  world.advance(std::chrono::seconds(20));
  CHECK(state_of(world).leader_id == 1);
  CHECK_FALSE(world.cluster.brokers().at(0).is_fenced);
}

TEST_CASE("Nodes refuse what they are in no state for", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(1));
  CHECK_FALSE(world.cluster.restart(1, world.now));
  CHECK_FALSE(world.cluster.resume(1, world.now));
  CHECK_FALSE(world.cluster.crash(2, Unsynced::kept, world.now));
  CHECK_FALSE(world.cluster.truncate(1, "state", 0, 0));
  REQUIRE(world.cluster.crash(1, Unsynced::kept, world.now));
  CHECK_FALSE(world.cluster.crash(1, Unsynced::kept, world.now));
  CHECK_FALSE(world.cluster.pause(1, world.now));
}

TEST_CASE("Elections happen only when they may", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  const auto elect = [&](Election kind, int broker) {
    return world.cluster.elect("state", 0, kind, broker, world.now);
  };
  CHECK(elect(Election::preferred, -1) == ErrorCode::election_not_needed);
  CHECK(elect(Election::clean, 4) == ErrorCode::eligible_leaders_not_available);
  CHECK(world.cluster.elect("nowhere", 0, Election::clean, 2, world.now) ==
        ErrorCode::unknown_topic_or_partition);
  CHECK(elect(Election::clean, 3) == ErrorCode::none);
  CHECK(state_of(world).leader_id == 3);
  REQUIRE(world.cluster.crash(1, Unsynced::kept, world.now));
  world.advance(session + milliseconds(1));
  CHECK(elect(Election::preferred, -1) == ErrorCode::preferred_leader_not_available);
}

TEST_CASE("Without unclean elections the last replica in sync is waited for",
          "[minibroker][nodes]") {
  const bool is_unclean = GENERATE(false, true);
  ClusterSettings settings = settings_of(2);
  settings.unclean_leader_election_enable = is_unclean;
  ClusterFixture world(settings);
  REQUIRE(world.cluster.crash(2, Unsynced::kept, world.now));
  world.advance(session + milliseconds(1));
  REQUIRE(produce(world, 1, "only here") == ErrorCode::none);
  REQUIRE(world.cluster.crash(1, Unsynced::kept, world.now));
  REQUIRE(world.cluster.restart(2, world.now));
  world.advance(session + milliseconds(1));
  CHECK(state_of(world).leader_id == (is_unclean ? 2 : -1));
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(std::chrono::seconds(3));
  CHECK(records_of(world) == (is_unclean ? Records_{} : Records_{"k=only here"}));
}

// ---- replication

TEST_CASE("A follower that lags is struck out, and comes back", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  world.cluster.cut(Party::broker(1), Party::broker(3), world.now);
  world.advance(std::chrono::seconds(1));
  const std::int32_t id = world.send(world.to(1), one_record(-1, "v"), 9);
  world.advance(std::chrono::seconds(20));
  CHECK_FALSE(world.is_answered(id));
  CHECK(state_of(world).high_watermark == 0);
  world.advance(std::chrono::seconds(11));
  CHECK(state_of(world).in_sync_replicas == std::vector<int>{1, 2});
  CHECK(state_of(world).high_watermark == 1);
  world.cluster.heal(Party::broker(1), Party::broker(3), world.now);
  world.advance(std::chrono::seconds(3));
  CHECK(state_of(world).in_sync_replicas == std::vector<int>{1, 2, 3});
}

TEST_CASE("Below min.insync.replicas acks=-1 is refused and the high watermark stands",
          "[minibroker][nodes]") {
  ClusterSettings settings = settings_of(2);
  settings.topics[0].config["min.insync.replicas"] = "2";
  ClusterFixture world(settings);
  REQUIRE(world.cluster.crash(2, Unsynced::kept, world.now));
  world.advance(session + milliseconds(1));
  CHECK(produce(world, 1, "v") == ErrorCode::not_enough_replicas);
  CHECK(produce(world, 1, "v", 1) == ErrorCode::none);
  CHECK(state_of(world).high_watermark == 0);
  CHECK(state_of(world).log_end_offset == 1);
  REQUIRE(world.cluster.restart(2, world.now));
  world.advance(std::chrono::seconds(3));
  CHECK(state_of(world).high_watermark == 1);
}

TEST_CASE("A zombie leader's records are cut off when it follows again", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  for (const Party& other : {Party::broker(2), Party::broker(3), Party::controller()})
    world.cluster.cut(Party::broker(1), other, world.now);
  world.advance(session + milliseconds(1));
  REQUIRE(state_of(world).leader_id == 2);
  CHECK(produce(world, 1, "zombie", 1) == ErrorCode::none);
  CHECK(produce(world, 2, "owner") == ErrorCode::none);
  world.cluster.heal_all(world.now);
  world.advance(std::chrono::seconds(3));
  CHECK(produce(world, 1, "late") == ErrorCode::not_leader_or_follower);
  REQUIRE(world.cluster.elect("state", 0, Election::preferred, -1, world.now) == ErrorCode::none);
  CHECK(records_of(world) == Records_{"k=owner"});
}

TEST_CASE("A leader that lost its tail makes the others cut theirs off", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(2));
  REQUIRE(produce(world, 1, "one") == ErrorCode::none);
  REQUIRE(produce(world, 1, "two") == ErrorCode::none);
  REQUIRE(world.cluster.crash(2, Unsynced::kept, world.now));
  world.advance(session + milliseconds(1));  // now 1 alone is in sync
  REQUIRE(world.cluster.crash(1, Unsynced::kept, world.now));
  REQUIRE(world.cluster.truncate(1, "state", 0, 1));
  world.advance(session + milliseconds(1));
  REQUIRE(world.cluster.restart(1, world.now));
  REQUIRE(world.cluster.restart(2, world.now));
  world.advance(std::chrono::seconds(3));
  REQUIRE(state_of(world).leader_id == 1);
  REQUIRE(produce(world, 1, "three") == ErrorCode::none);
  REQUIRE(world.cluster.elect("state", 0, Election::clean, 2, world.now) == ErrorCode::none);
  CHECK(records_of(world) == Records_{"k=one", "k=three"});
}

TEST_CASE("What was never synced is lost with the machine, and kept with the process",
          "[minibroker][nodes]") {
  const bool is_lost = GENERATE(false, true);
  ClusterFixture world(settings_of(1));
  REQUIRE(produce(world, 1, "synced") == ErrorCode::none);
  REQUIRE(world.cluster.sync(1));
  REQUIRE(produce(world, 1, "unsynced") == ErrorCode::none);
  REQUIRE(world.cluster.crash(1, is_lost ? Unsynced::lost : Unsynced::kept, world.now));
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(session + milliseconds(2));
  CHECK(records_of(world) == (is_lost ? Records_{"k=synced"} : Records_{"k=synced", "k=unsynced"}));
}

// ---- coordinators

TEST_CASE("A commit survives a crash at each cut from PREPARE on", "[minibroker][nodes]") {
  const std::string point = GENERATE(
      "after_prepare_commit", "replicated_prepare_commit", "before_markers", "before_marker",
      "after_marker", "after_markers", "before_complete_commit", "after_complete_commit");
  CAPTURE(point);
  ClusterFixture world(settings_of(1));
  OpenTransaction transaction(world);
  world.cluster.crash_at({point});
  transaction.send_end();
  world.settle();
  REQUIRE_FALSE(world.cluster.has_planned_crashes());
  REQUIRE(world.cluster.brokers().at(0).state == NodeState::down);
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(session + std::chrono::seconds(1));
  CHECK(state_of_transaction(world) == "CompleteCommit");
  CHECK(state_of(world).batches.at(0).state == BatchState::committed);
}

TEST_CASE("A commit that is cut before PREPARE is still open", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(1));
  OpenTransaction transaction(world);
  world.cluster.crash_at({"before_prepare_commit"});
  const std::int32_t id = transaction.send_end();
  world.settle();
  CHECK_FALSE(world.is_answered(id));
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(session + std::chrono::seconds(1));
  CHECK(state_of_transaction(world) == "Ongoing");
  world.advance(std::chrono::seconds(70));
  CHECK(state_of(world).batches.at(0).state == BatchState::aborted);
}

TEST_CASE("A decision that only the coordinator's own log had is lost with it",
          "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  OpenTransaction transaction(world);
  world.cluster.crash_at({"after_prepare_commit"});
  const std::int32_t id = transaction.send_end();
  world.settle();
  CHECK_FALSE(world.is_answered(id));
  world.advance(session + std::chrono::seconds(1));
  CHECK(state_of_transaction(world) == "Ongoing");
}

TEST_CASE("An id that expires is forgotten from its tombstone on", "[minibroker][nodes]") {
  const auto [point, is_kept] =
      GENERATE(table<std::string, bool>({{"before_tombstones", true},
                                         {"after_tombstones", false},
                                         {"replicated_tombstones", false}}));
  CAPTURE(point);
  ClusterSettings settings = settings_of(1);
  settings.transactional_id_expiration = std::chrono::minutes(10);
  settings.transaction_state_log_num_partitions = 1;
  ClusterFixture world(settings);
  OpenTransaction transaction(world);
  transaction.send_end();
  world.settle();
  world.cluster.crash_at({point, 1, "__transaction_state-0"});
  world.advance(std::chrono::hours(2));
  REQUIRE_FALSE(world.cluster.has_planned_crashes());
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(session + std::chrono::seconds(1));
  CHECK(state_of_transaction(world) == (is_kept ? "CompleteCommit" : "none"));
}

TEST_CASE("A group whose offsets expire is forgotten from its tombstones on",
          "[minibroker][nodes]") {
  const auto [point, is_kept] =
      GENERATE(table<std::string, bool>({{"before_tombstones", true},
                                         {"after_tombstones", false},
                                         {"replicated_tombstones", false}}));
  CAPTURE(point);
  ClusterFixture world(settings_of(1));
  FindCoordinatorRequest find;
  find.coordinator_keys = {"g"};
  world.call(1, find, 4);
  OffsetCommitRequest commit;
  commit.group_id = "g";
  commit.retention_time_ms = 60000;
  auto& topic = commit.topics.emplace_back();
  topic.name = "state";
  topic.partitions.emplace_back().committed_offset = 5;
  REQUIRE(world.call(1, commit, 4).topics.at(0).partitions.at(0).error_code == ErrorCode::none);
  world.cluster.crash_at({point});
  world.advance(std::chrono::hours(1));
  REQUIRE_FALSE(world.cluster.has_planned_crashes());
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(session + std::chrono::seconds(1));
  CHECK(world.cluster.groups().empty() != is_kept);
}

TEST_CASE("A coordinator that loads says so", "[minibroker][nodes]") {
  ClusterSettings settings = settings_of(3);
  settings.coordinator_load_time = std::chrono::seconds(2);
  ClusterFixture world(settings);
  FindCoordinatorRequest find;
  find.key_type = 1;
  find.coordinator_keys = {"t"};
  const int first = world.call(1, find, 4).coordinators.at(0).node_id;
  world.advance(std::chrono::seconds(3));
  const int next = first % 3 + 1;
  REQUIRE(world.cluster.move_coordinator(CoordinatorType::transaction, "t", next, world.now) ==
          ErrorCode::none);
  InitProducerIdRequest init;
  init.transactional_id = "t";
  init.transaction_timeout_ms = 60000;
  CHECK(world.call(first, init, 4).error_code == ErrorCode::not_coordinator);
  CHECK(world.call(next, init, 4).error_code == ErrorCode::coordinator_load_in_progress);
  world.advance(std::chrono::seconds(2));
  CHECK(world.call(next, init, 4).error_code == ErrorCode::none);
}

TEST_CASE("A zombie coordinator answers with what it knew, and its decision is lost",
          "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  OpenTransaction transaction(world);
  const int zombie = transaction.coordinator;
  REQUIRE(world.cluster.pause(zombie, world.now));
  const std::int32_t id = transaction.send_end();
  world.advance(session + std::chrono::seconds(1));
  REQUIRE(world.cluster.resume(zombie, world.now));
  const EndTxnResponse late = world.answer<EndTxnResponse>(id, 5);
  CHECK(late.error_code == ErrorCode::not_coordinator);
  world.settle();
  CHECK(state_of_transaction(world) == "Ongoing");
}

// ---- messages

TEST_CASE("A rule answers with an error instead of the broker", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(1));
  sim::FaultRule rule;
  rule.action = sim::FaultAction::error;
  rule.api_key = ApiKey::produce;
  rule.error = ErrorCode::not_enough_replicas;
  const std::uint64_t id = world.cluster.faults().add(rule);
  CHECK(produce(world, 1, "v") == ErrorCode::not_enough_replicas);
  CHECK(produce(world, 1, "v") == ErrorCode::none);
  CHECK(world.cluster.faults().find(id)->hits == 1);
  CHECK(world.cluster.faults().find(id)->count == 0);
  CHECK(world.cluster.faults().remove(id));
  CHECK(world.cluster.faults().find(id) == nullptr);
}

TEST_CASE("A rule closes the connection before the request takes effect", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(1));
  sim::FaultRule rule;
  rule.action = sim::FaultAction::close;
  rule.api_key = ApiKey::produce;
  world.cluster.faults().add(rule);
  const ConnectionId connection = world.cluster.connect(1, "127.0.0.1");
  world.send(connection, one_record(-1, "v"), 9);
  while (const auto next = world.cluster.next_arrival()) world.cluster.advance_to(*next);
  bool is_closed = false;
  for (const Output& output : world.cluster.take_output()) is_closed |= output.is_close;
  CHECK(is_closed);
  CHECK(records_of(world).empty());
}

TEST_CASE("A rule makes the second request overtake the first", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(1));
  sim::FaultRule rule;
  rule.action = sim::FaultAction::reorder;
  rule.api_key = ApiKey::produce;
  world.cluster.faults().add(rule);
  for (const std::string value : {"first", "second", "third"})
    world.send(world.cluster.connect(1, "127.0.0.1"), one_record(-1, value), 9);
  world.settle();
  CHECK(records_of(world) == Records_{"k=second", "k=first", "k=third"});
}

TEST_CASE("A slow link is slow both ways, for that client only", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(1));
  world.cluster.slow(Party::client("test"), Party::broker(1), std::chrono::seconds(1));
  const Instant sent = world.now;
  REQUIRE(produce(world, 1, "v") == ErrorCode::none);
  CHECK(world.now - sent == std::chrono::seconds(2));
}

TEST_CASE("A copy of a cluster goes its own way", "[minibroker][nodes]") {
  ClusterFixture world(settings_of(3));
  REQUIRE(produce(world, 1, "shared") == ErrorCode::none);
  const Cluster before = world.cluster;
  CHECK(before.digest() == world.cluster.digest());
  REQUIRE(produce(world, 1, "here") == ErrorCode::none);
  CHECK(before.digest() != world.cluster.digest());
  CHECK(before.partition("state", 0)->log_end_offset == 1);
  world.cluster = before;
  CHECK(records_of(world) == Records_{"k=shared"});
}

}  // namespace fencepost::minibroker
