// Members that keep themselves alive, by all three protocols: who owns what, in which order it
// changes hands, and what is shown with a commit meanwhile.
#include "client/group_membership.h"

#include "client/sticky_assignor.h"
#include "tests/group_driver.h"
#include "tests/simulated_cluster.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::client;
using minibroker::sim::FaultAction;
using protocol::ApiKey;
using tests::GroupDriver;
using tests::Owners;

namespace {

struct GroupWorld : tests::SimulatedCluster {
  GroupWorld() : SimulatedCluster(settings()) {}
  static minibroker::ClusterSettings settings() {
    minibroker::ClusterSettings settings = tests::settings_of("4.4", 1, milliseconds(1));
    settings.group_initial_rebalance_delay = Duration();
    settings.group_consumer_session_timeout = std::chrono::seconds(10);
    settings.group_consumer_heartbeat_interval = std::chrono::seconds(1);
    return settings;
  }
  void wait(int seconds) { world->advance(std::chrono::seconds(seconds)); }
  Owners owners;
};

GroupProtocol any_protocol() {
  return GENERATE(GroupProtocol::eager, GroupProtocol::cooperative, GroupProtocol::consumer);
}

asio::awaitable<void> sleep(Clock* clock, Duration duration) {
  co_await clock->sleep_until(clock->now() + duration);
}

}  // namespace

TEST_CASE("Members divide the partitions, and no partition ever has two owners",
          "[client][membership]") {
  const GroupProtocol protocol = any_protocol();
  GroupWorld world;
  GroupDriver one(world, world.owners, "one", protocol);
  one.start();
  world.wait(3);
  CHECK(one.owned() == 3);
  CHECK(one.membership->metadata().generation > 0);
  GroupDriver two(world, world.owners, "two", protocol);
  two.start();
  world.wait(20);
  CHECK(one.owned() + two.owned() == 3);
  CHECK(two.owned() >= 1);
  GroupDriver three(world, world.owners, "three", protocol);
  three.start();
  world.wait(20);
  CHECK(three.owned() == 1);
  CHECK(world.owners.double_owned == 0);
  for (const auto& [partition, names] : world.owners.by_partition) CHECK(names.size() == 1);
  three.stop_and_wait();
  two.stop_and_wait();
  world.wait(20);
  CHECK(one.owned() == 3);
  one.stop_and_wait();
  CHECK(one.owned() == 0);
  CHECK(one.membership->metadata().generation == unknown_generation);
  CHECK(world.owners.double_owned == 0);
}

TEST_CASE("An eager rebalance gives up everything, a cooperative one only what moves",
          "[client][membership]") {
  const auto [protocol, given_up] =
      GENERATE(std::pair(GroupProtocol::eager, std::string("revoked in-0 in-1 in-2")),
               std::pair(GroupProtocol::cooperative, std::string("revoked in-2")));
  GroupWorld world;
  GroupDriver one(world, world.owners, "one", protocol);
  one.start();
  world.wait(3);
  GroupDriver two(world, world.owners, "two", protocol);
  two.start();
  world.wait(20);
  REQUIRE(one.log.size() >= 2);
  CHECK(one.log.at(1) == given_up);
  one.stop_and_wait();
  two.stop_and_wait();
}

TEST_CASE("Nobody gets a partition before its owner's teardown has ended", "[client][membership]") {
  const GroupProtocol protocol = any_protocol();
  GroupWorld world;
  GroupDriver one(world, world.owners, "one", protocol);
  Clock* clock = &world.world->clock();
  one.on_revoked = [clock](auto) { return sleep(clock, std::chrono::seconds(15)); };
  one.start();
  world.wait(3);
  GroupDriver two(world, world.owners, "two", protocol);
  two.start();
  // Longer than the session: the heartbeats during the teardown keep the member in the group.
  world.wait(12);
  CHECK(two.owned() == 0);
  world.wait(20);
  CHECK(two.owned() >= 1);
  CHECK(world.owners.double_owned == 0);
  CHECK(one.log.back().find("lost") == std::string::npos);
  one.on_revoked = nullptr;
  one.stop_and_wait();
  two.stop_and_wait();
}

TEST_CASE("A member whose session has ended learns that it has lost everything",
          "[client][membership]") {
  const GroupProtocol protocol = any_protocol();
  GroupWorld world;
  GroupDriver one(world, world.owners, "one", protocol);
  one.start();
  world.wait(3);
  minibroker::sim::FaultRule deaf;
  deaf.action = FaultAction::drop;
  deaf.name = "deaf";
  deaf.client_id = "one";
  deaf.count = -1;
  const std::uint64_t rule = world.brokers().faults().add(deaf);
  world.wait(15);
  world.brokers().faults().remove(rule);
  world.wait(20);
  CHECK(std::ranges::find(one.log, "lost in-0 in-1 in-2") != one.log.end());
  CHECK(one.owned() == 3);
  one.stop_and_wait();
}

TEST_CASE("A static member that comes back keeps its place", "[client][membership]") {
  const GroupProtocol protocol = any_protocol();
  GroupWorld world;
  GroupDriver other(world, world.owners, "other", protocol, "b");
  other.start();
  auto first = std::make_unique<GroupDriver>(world, world.owners, "first", protocol, "a");
  first->start();
  world.wait(20);
  const std::vector<TopicPartition> before = first->membership->owned();
  const int joins = other.membership->joins();
  first->stop_and_wait();
  GroupDriver again(world, world.owners, "again", protocol, "a");
  again.start();
  world.wait(8);
  CHECK(again.membership->owned() == before);
  CHECK(other.membership->joins() == joins);
  again.stop_and_wait();
  other.stop_and_wait();
}

TEST_CASE("A member leaves at once, also while a join round waits for another that is gone",
          "[client][membership]") {
  const GroupProtocol protocol = any_protocol();
  const std::optional<std::string> instance_id =
      GENERATE(std::optional<std::string>(), std::optional<std::string>("static"));
  GroupWorld world;
  GroupDriver gone(world, world.owners, "gone", protocol);
  GroupDriver one(world, world.owners, "one", protocol, instance_id);
  gone.start();
  one.start();
  world.wait(8);
  minibroker::sim::FaultRule deaf;
  deaf.action = FaultAction::drop;
  deaf.name = "deaf";
  deaf.client_id = "gone";
  deaf.count = -1;
  world.brokers().faults().add(deaf);
  GroupDriver two(world, world.owners, "two", protocol);
  two.start();
  world.wait(3);
  one.membership->stop();
  world.wait(1);
  CHECK(one.running->has_value());
  CHECK(one.owned() == 0);
  two.membership->stop();
  world.wait(1);
  CHECK(two.running->has_value());
  gone.membership->stop();
  world.wait(20);
  CHECK(gone.running->has_value());
}

TEST_CASE("What the coordinator refuses for good ends the membership with its code",
          "[client][membership]") {
  GroupWorld world;
  GroupMembershipOptions options;
  options.member.group_id = "g";
  options.member.topics = {"in"};
  options.member.session_timeout = milliseconds(5);
  GroupMembership membership(world.client, options, {});
  const Result<void> ended = world.run(membership.run());
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().text ==
        "group g: JoinGroup is answered with INVALID_SESSION_TIMEOUT (the timeout is outside the "
        "brokers' group.min and group.max.session.timeout.ms)");
}

TEST_CASE("A member whose coordinator is refused does not ask for it for ever",
          "[client][membership]") {
  GroupMembershipOptions options;
  options.protocol = any_protocol();
  options.member.group_id = "g";
  options.member.topics = {"in"};
  GroupWorld world;
  minibroker::sim::FaultRule refusal;
  refusal.action = FaultAction::error;
  refusal.name = "refusal";
  refusal.api_key = ApiKey::find_coordinator;
  refusal.error = protocol::ErrorCode::group_authorization_failed;
  refusal.count = -1;
  world.brokers().faults().add(refusal);
  GroupMembership membership(world.client, options, {});
  const Result<void> ended = world.run(membership.run());
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().text ==
        "no coordinator of g: GROUP_AUTHORIZATION_FAILED (the user lacks an ACL for the group)");
}

TEST_CASE("The sticky assignor keeps what is owned and gives nothing away that is still owned",
          "[client][membership]") {
  const std::map<std::string, int> counts{{"t", 4}};
  const std::vector<TopicPartition> all{{"t", 0}, {"t", 1}, {"t", 2}, {"t", 3}};
  Subscriber a{"a", std::nullopt, {"t"}, all, 1};
  Subscriber b{"b", std::nullopt, {"t"}, {}, -1};
  const auto moving = assign_cooperatively({a, b}, counts);
  CHECK(moving.at("a") == std::vector<TopicPartition>{{"t", 0}, {"t", 1}});
  CHECK(moving.at("b").empty());
  a.owned = moving.at("a");
  a.generation = 2;
  const auto moved = assign_cooperatively({a, b}, counts);
  CHECK(moved.at("a") == a.owned);
  CHECK(moved.at("b") == std::vector<TopicPartition>{{"t", 2}, {"t", 3}});
}

TEST_CASE("Of two who claim a partition the newer generation owns it", "[client][membership]") {
  const std::map<std::string, int> counts{{"t", 2}};
  const Subscriber stale{"a", std::nullopt, {"t"}, {{"t", 0}, {"t", 1}}, 1};
  const Subscriber owner{"b", std::nullopt, {"t"}, {{"t", 1}}, 2};
  const auto assigned = assign_cooperatively({stale, owner}, counts);
  CHECK(assigned.at("a") == std::vector<TopicPartition>{{"t", 0}});
  CHECK(assigned.at("b") == std::vector<TopicPartition>{{"t", 1}});
}
