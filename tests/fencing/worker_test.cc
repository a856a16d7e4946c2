// The example service whole: workers that divide the partitions, hand them over, and never lose,
// double or bring back an event. With the fence off the same plan shows what the fence is for.
#include "fencing/example/worker.h"

#include "tests/simulated_cluster.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::fencing;
using namespace fencepost::fencing::example;
using client::GroupProtocol;
using client::TopicPartition;

namespace {

// One worker with its two clients, as one process.
struct Process {
  Process(tests::SimulatedCluster& in, const std::string& name, GroupProtocol protocol,
          Fence fence = Fence::generation)
      : world(in),
        membership(in.world->network(), in.world->clock(), in.world->bootstrap(), named(name)),
        data(in.world->network(), in.world->clock(), in.world->bootstrap(), named(name + "-data")),
        worker(in.world->io().get_executor(), membership, data,
               with_notice(options(protocol, fence, name), &takeovers)) {
    running = world.start(worker.run());
  }
  static client::ClusterClientOptions named(const std::string& name) {
    client::ClusterClientOptions options;
    options.connection.client_id = name;
    options.connection.request_timeout = std::chrono::seconds(5);
    return options;
  }
  static WorkerOptions options(GroupProtocol protocol, Fence fence, const std::string& name) {
    WorkerOptions options;
    options.membership.member.group_id = "g";
    options.membership.member.topics = {"in"};
    options.membership.member.session_timeout = std::chrono::seconds(6);
    options.membership.member.rebalance_timeout = std::chrono::seconds(20);
    options.membership.protocol = protocol;
    options.membership.heartbeat_interval = std::chrono::seconds(1);
    options.membership.seed = std::hash<std::string>()(name);
    options.snapshot_topic = "state";
    options.owner.commit_interval = std::chrono::seconds(1);
    options.fence = fence;
    return options;
  }
  static WorkerOptions with_notice(WorkerOptions options, int* takeovers) {
    options.notice = [takeovers](const std::string& line) {
      if (line.find("taken over") != std::string::npos) ++*takeovers;
    };
    return options;
  }
  void stop() {
    worker.stop();
    REQUIRE(world.finish(running).ok());
  }

  tests::SimulatedCluster& world;
  client::ClusterClient membership;
  client::ClusterClient data;
  int takeovers = 0;  // of a partition
  Worker worker;
  std::shared_ptr<std::optional<Result<void>>> running;
};

struct ServiceWorld : tests::SimulatedCluster {
  ServiceWorld()
      : SimulatedCluster(settings()),
        events(world->io().get_executor(), client, client::TransactionalProducerOptions()) {
    REQUIRE(run(events.init()).ok());
  }
  static minibroker::ClusterSettings settings() {
    minibroker::ClusterSettings settings =
        tests::settings_of("4.4", 1, std::chrono::microseconds(200));
    settings.group_initial_rebalance_delay = Duration();
    settings.group_consumer_session_timeout = std::chrono::seconds(6);
    settings.group_consumer_heartbeat_interval = std::chrono::seconds(1);
    return settings;
  }
  // Events of value 1 for keys a to d in every partition.
  void produce(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      for (int partition = 0; partition < 3; ++partition)
        events.append({"in", partition}, tests::record(std::string(1, "abcd"[i % 4]), "1"));
      REQUIRE(run(events.flush()).ok());
      produced += 3;
    }
  }
  // What that client sends waits until it is let go, meanwhile its session ends.
  void hold(const std::string& client_id) {
    minibroker::sim::FaultRule held;
    held.action = minibroker::sim::FaultAction::hold;
    held.name = client_id;
    held.client_id = client_id;
    held.count = -1;
    brokers().faults().add(held);
  }
  // A worker with work behind it is cut off, with work before it.
  void cut_off(const std::string& worker) {
    wait(3);
    produce(4);
    wait(2);
    hold(worker);
    hold(worker + "-data");
    produce(4);
    wait(9);
  }
  void let_go(const std::string& client_id) {
    brokers().faults().remove(client_id);
    brokers().release(client_id, now());
  }
  void wait(int seconds) { world->advance(std::chrono::seconds(seconds)); }
  // The sum over all keys of the newest snapshots.
  std::int64_t sum() {
    std::int64_t sum = 0;
    for (int partition = 0; partition < 3; ++partition) {
      std::map<std::string, std::int64_t> sums;
      for (const std::string& record : committed("state", partition)) {
        const auto tally = parse_tally(record.substr(2));
        REQUIRE(tally.has_value());
        sums[record.substr(0, 1)] = tally->sum;
      }
      for (const auto& [key, value] : sums) sum += value;
    }
    return sum;
  }

  client::TransactionalProducer events;
  std::int64_t produced = 0;
};

}  // namespace

TEST_CASE("A tally folds each event once and survives its own text", "[fencing][example]") {
  Tally tally = fold({}, 4, "3");
  tally = fold(tally, 9, "-1");
  CHECK(fold(tally, 9, "-1") == tally);
  CHECK(fold(tally, 2, "5") == tally);
  CHECK(fold(tally, 10, "no number").sum == 2);
  CHECK(to_string(tally) == "count=2 sum=2 last_offset=9");
  CHECK(parse_tally(to_string(tally)) == tally);
  CHECK_FALSE(parse_tally("count=2 sum=2").has_value());
  CHECK_FALSE(parse_tally("count=2 sum=2 last_offset=9 more").has_value());
}

TEST_CASE("Workers fold every event once while partitions change hands", "[fencing][example]") {
  const GroupProtocol protocol =
      GENERATE(GroupProtocol::eager, GroupProtocol::cooperative, GroupProtocol::consumer);
  ServiceWorld world;
  // The transactions carry the offsets; the consumer's own commit is never sent beside them.
  const std::uint64_t plain_commits =
      world.fault(minibroker::sim::FaultAction::close, protocol::ApiKey::offset_commit, -1);
  Process one(world, "one", protocol);
  world.wait(3);
  world.produce(8);
  world.wait(2);
  auto two = std::make_unique<Process>(world, "two", protocol);
  world.produce(8);
  world.wait(15);
  world.produce(8);
  two->stop();
  two.reset();
  world.produce(8);
  world.wait(15);
  CHECK(world.sum() == world.produced);
  one.stop();
  world.world->settle();
  CHECK(world.sum() == world.produced);
  CHECK(world.hits(plain_commits) == 0);
  for (int partition = 0; partition < 3; ++partition) {
    CHECK(world.committed_offset("g", "in", partition) == 32);
    CHECK(world.partition("state", partition).last_stable_offset ==
          world.partition("state", partition).high_watermark);
  }
}

TEST_CASE("A worker that was cut off and comes back brings nothing old with it",
          "[fencing][example]") {
  const GroupProtocol protocol = GENERATE(GroupProtocol::eager, GroupProtocol::consumer);
  ServiceWorld world;
  Process stale(world, "stale", protocol);
  world.cut_off("stale");
  Process valid(world, "valid", protocol);
  world.wait(8);
  world.produce(4);
  world.wait(3);
  CHECK(world.sum() == world.produced);
  world.let_go("stale");
  world.let_go("stale-data");
  world.wait(20);
  CHECK(world.sum() == world.produced);
  stale.stop();
  valid.stop();
  CHECK(world.sum() == world.produced);
}

TEST_CASE("A stale owner that the group refuses does not take over again and again",
          "[fencing][example]") {
  const GroupProtocol protocol = GENERATE(GroupProtocol::eager, GroupProtocol::consumer);
  ServiceWorld world;
  Process stale(world, "stale", protocol);
  world.cut_off("stale");
  Process valid(world, "valid", protocol);
  world.wait(8);
  CHECK(stale.takeovers == 3);
  CHECK(valid.takeovers == 3);
  // It can write again, but does not hear yet that it is no member any more.
  world.let_go("stale-data");
  world.wait(4);
  world.produce(4);
  world.wait(1);
  CHECK(stale.takeovers <= 6);
  CHECK(valid.takeovers <= 6);
  CHECK(world.sum() == world.produced);
  world.let_go("stale");
  world.wait(20);
  CHECK(world.sum() == world.produced);
  stale.stop();
  valid.stop();
}
