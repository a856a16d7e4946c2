// Owners under live rebalances: the teardown inside the revoke callback, what its last commit
// becomes by each protocol, and the generation that a commit shows.
#include <algorithm>

#include "tests/fencing/claims/claim_world.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::fencing;
using client::GroupProtocol;
using protocol::ApiKey;
using protocol::ErrorCode;
using tests::ClaimWorld;
using tests::Member;
using tests::Owners;
using tests::Place;
using tests::Process;

namespace {

constexpr std::int64_t progress = 11;

// Everything is one's, who has written and made progress that is not committed yet; then another
// joins, and both have something.
struct Rebalance {
  explicit Rebalance(const Place& place)
      : world(place.cluster),
        one(world, owners, "one", place.protocol),
        two(world, owners, "two", place.protocol) {
    REQUIRE(one.join(3));
    one.take_over();
    for (int partition = 0; partition < 3; ++partition) {
      CHECK(one.write(partition, "k0", "v").ok());
      one.owned.at(partition)->writer().advance(progress);
    }
    generation = one.member.membership->metadata().generation;
  }
  void let_the_other_join() {
    two.member.start();
    REQUIRE(world.wait_for([this] {
      return two.member.owned() >= 1 && one.member.owned() + two.member.owned() == 3;
    }));
  }
  void end() {
    one.stop();
    two.stop();
    CHECK(owners.double_owned == 0);
  }

  ClaimWorld world;
  Owners owners;
  Process one;
  Process two;
  std::int32_t generation = 0;
};

asio::awaitable<void> sleep_then_release(Process* process, Duration how_long,
                                         std::vector<client::TopicPartition> revoked) {
  client::Clock& clock = process->world.world->clock();
  co_await clock.sleep_until(clock.now() + how_long);
  for (const client::TopicPartition& it : revoked)
    process->given_up[it.partition] = co_await process->owned.at(it.partition)->release();
}

}  // namespace

TEST_CASE(
    "The last commit inside the revoke callback: eager and consumer commit, cooperative is "
    "fenced",
    "[claims][protocol]") {
  const Place place = GENERATE(from_range(tests::places()));
  CAPTURE(place);
  Rebalance rebalance(place);
  rebalance.let_the_other_join();
  REQUIRE(!rebalance.one.given_up.empty());
  if (place.protocol == GroupProtocol::eager) CHECK(rebalance.one.given_up.size() == 3);
  for (const auto& [partition, outcome] : rebalance.one.given_up) {
    CAPTURE(partition, outcome.text);
    if (place.protocol == GroupProtocol::cooperative) {
      // The rebalance is over when the member learns what it gives up.
      CHECK(outcome.status == WriteStatus::fenced);
      CHECK(outcome.error_code == ErrorCode::illegal_generation);
      CHECK(rebalance.world.group_offset(partition) == 0);
    } else {
      CHECK(outcome.status == WriteStatus::committed);
      CHECK(rebalance.world.group_offset(partition) == progress);
    }
    CHECK(rebalance.world.nothing_stays_open(partition));
  }
  rebalance.end();
}

TEST_CASE("An owner's teardown completes before the partition is another's", "[claims][protocol]") {
  const Place place = GENERATE(from_range(tests::places()));
  CAPTURE(place);
  Rebalance rebalance(place);
  Process& one = rebalance.one;
  Process& two = rebalance.two;
  one.member.on_revoked = [&one](auto revoked) {
    return sleep_then_release(&one, std::chrono::seconds(3), std::move(revoked));
  };
  two.member.start();
  REQUIRE(rebalance.world.wait_for([&two] { return two.member.owned() >= 1; }));
  for (const client::TopicPartition& it : two.member.membership->owned())
    CHECK(one.given_up.contains(it.partition));
  two.take_over();
  const int moved = two.member.membership->owned().front().partition;
  CHECK(two.write(moved, "k0", "w").ok());
  CHECK(rebalance.world.state(moved) == "k0=w");
  one.member.on_revoked = nullptr;
  rebalance.end();
}

TEST_CASE("A partition that stays goes on being written, with the generation of that moment",
          "[claims][protocol]") {
  const Place place = GENERATE(from_range(tests::places()));
  CAPTURE(place);
  Rebalance rebalance(place);
  rebalance.let_the_other_join();
  Process& one = rebalance.one;
  REQUIRE(rebalance.world.wait_for([&rebalance, &one] {
    return one.member.membership->metadata().generation > rebalance.generation;
  }));
  if (place.protocol == GroupProtocol::eager) one.take_over();
  for (const client::TopicPartition& it : one.member.membership->owned()) {
    const WriteOutcome outcome = one.write(it.partition, "k0", "w");
    CHECK(outcome.text == "");
    CHECK(rebalance.world.state(it.partition) == "k0=w");
  }
  rebalance.end();
}

TEST_CASE("A rebalance that changes nothing still refreshes the generation that is shown",
          "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  ClaimWorld world(cluster);
  Member member(world, "member");
  member.join();
  const auto owner = world.owner(member);
  world.take_over(*owner);
  CHECK(world.write(*owner, "k0", "v").ok());
  const std::int32_t generation = member.group.generation();
  member.rebalance();
  CHECK(member.group.generation() > generation);
  CHECK(world.write(*owner, "k1", "v").ok());
  // Also one that comes while a transaction is under way.
  member.gate.hold(ApiKey::txn_offset_commit);
  const auto outcome = world.start(owner->writer().write(tests::snapshot("k2", "v")));
  REQUIRE(world.wait_for([&member] { return member.gate.is_holding(); }));
  member.rebalance();
  CHECK(world.run(member.gate.open()).ok());
  CHECK(world.finish(outcome).ok());
  CHECK(member.gate.count(ApiKey::txn_offset_commit) >= 4);
  CHECK(world.state() == "k0=v k1=v k2=v");
}

TEST_CASE("A member that the group has gone on without is refused with ILLEGAL_GENERATION",
          "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  ClaimWorld world(cluster);
  Member member(world, "member");
  member.join();
  const auto owner = world.owner(member);
  world.take_over(*owner);
  CHECK(world.write(*owner, "k0", "v").ok());
  Member other(world, "other");
  const auto joined = world.start(other.group.join_group());
  REQUIRE(world.wait_for([&world, &member] {
    return world.run(member.group.heartbeat())->error_code == ErrorCode::rebalance_in_progress;
  }));
  // The same member joins the next generation, and this object does not hear of it.
  client::GroupMember again(member.client, {world.group, {world.input}});
  client::MemberOverrides as_member;
  as_member.member_id = member.group.member_id();
  const auto rejoined = world.start(again.join_group(as_member));
  REQUIRE(world.finish(joined).ok());
  REQUIRE(world.finish(rejoined).ok());
  const WriteOutcome outcome = world.write(*owner, "k1", "stale");
  CHECK(outcome.status == WriteStatus::fenced);
  CHECK(outcome.error_code == ErrorCode::illegal_generation);
  CHECK(world.state() == "k0=v");
}
