// Who owns a partition: what a takeover leaves behind it, and what a stale owner can still do.
#include "tests/fencing/claims/claim_world.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::fencing;
using protocol::ApiKey;
using protocol::ErrorCode;
using tests::ClaimWorld;
using tests::Owners;
using tests::Place;
using tests::Process;
using tests::snapshot;
using tests::text_of;

namespace {

// One that owned everything, is silent and has been thrown out for it, without having heard of it;
// and one that owns everything now.
struct Eviction {
  explicit Eviction(const Place& place)
      : world(place.cluster),
        stale(world, owners, "stale", place.protocol),
        valid(world, owners, "valid", place.protocol) {
    REQUIRE(stale.join(3));
  }
  void evict() {
    stale.go_silent();
    REQUIRE(valid.join(3));
  }
  void end() {
    CHECK(stale.hears_that_it_is_out());
    stale.stop();
    valid.stop();
  }

  ClaimWorld world;
  Owners owners;
  Process stale;
  Process valid;
};

}  // namespace

TEST_CASE("After a takeover the last stable offset is back at the high watermark", "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  ClaimWorld world(cluster);
  tests::Member member(world, "first");
  member.join();
  const auto first = world.owner(member);
  world.take_over(*first);
  CHECK(world.write(*first, "k0", "v").ok());
  member.gate.hold(ApiKey::end_txn);
  const auto open = world.start(first->writer().write(snapshot("k1", "open")));
  REQUIRE(world.wait_for([&member] { return member.gate.is_holding(); }));
  CHECK_FALSE(world.nothing_is_open());

  tests::Member successor(world, "second");
  const auto second = world.owner(successor);
  const TakenOver taken = world.take_over(*second);
  CHECK(world.nothing_is_open());
  CHECK(text_of(taken.recovery) == "k0=v");
  CHECK_FALSE(taken.recovery.had_to_wait());
  // The decision of the one before comes too late.
  CHECK(world.run(member.gate.open()).ok());
  CHECK(world.finish(open).status == WriteStatus::fenced);
  CHECK(world.state() == "k0=v");
}

TEST_CASE("An evicted member's commit dies with UNKNOWN_MEMBER_ID, its first one as well",
          "[claims][protocol]") {
  const Place place = GENERATE(from_range(tests::places()));
  CAPTURE(place);
  Eviction eviction(place);
  Process& stale = eviction.stale;
  stale.take_over();
  CHECK(stale.write(0, "k0", "v").ok());
  eviction.evict();
  for (const int partition : {0, 1}) {
    const WriteOutcome outcome = stale.write(partition, "k0", "stale");
    CHECK(outcome.status == WriteStatus::fenced);
    CHECK(outcome.error_code == ErrorCode::unknown_member_id);
    CHECK(eviction.world.nothing_stays_open(partition));
  }
  CHECK(eviction.world.state(0) == "k0=v");
  CHECK(eviction.world.state(1) == "");
  CHECK(eviction.world.group_offset(1) == -1);
  eviction.valid.take_over();
  CHECK(eviction.valid.write(0, "k0", "w").ok());
  CHECK(eviction.world.state(0) == "k0=w");
  eviction.end();
}

TEST_CASE("A stale owner that initialises late fences the valid one and still writes nothing",
          "[claims][protocol]") {
  // Availability, not safety: the valid owner has to take over again.
  const Place place = GENERATE(from_range(tests::places()));
  CAPTURE(place);
  Eviction eviction(place);
  ClaimWorld& world = eviction.world;
  Process& stale = eviction.stale;
  const auto& live = stale.member.membership;
  PartitionOwner late(
      world.world->io().get_executor(), stale.data, [&live] { return live->metadata(); },
      world.owner_options());
  stale.gate.hold(ApiKey::init_producer_id);
  const auto taking = world.start(late.take_over());
  REQUIRE(world.wait_for([&stale] { return stale.gate.is_holding(); }));
  eviction.evict();
  eviction.valid.take_over();
  CHECK(eviction.valid.write(0, "k0", "v").ok());
  CHECK(world.run(stale.gate.open()).ok());
  REQUIRE(world.finish(taking)->offset == 0);

  CHECK(eviction.valid.write(0, "k1", "v").status == WriteStatus::fenced);
  const WriteOutcome refused = world.write(late, "k0", "old");
  CHECK(refused.status == WriteStatus::fenced);
  CHECK(refused.error_code == ErrorCode::unknown_member_id);
  eviction.valid.take_over();
  CHECK(eviction.valid.write(0, "k1", "v").ok());
  CHECK(world.state() == "k0=v k1=v");
  eviction.end();
}

TEST_CASE("A write before the first join fails loudly, and no negative generation is ever sent",
          "[claims][protocol]") {
  const Place place = GENERATE(from_range(tests::places()));
  CAPTURE(place);
  ClaimWorld world(place.cluster);
  Owners owners;
  Process process(world, owners, "early", place.protocol);
  const auto& live = process.member.membership;
  PartitionOwner owner(
      world.world->io().get_executor(), process.data, [&live] { return live->metadata(); },
      world.owner_options());
  world.take_over(owner);
  const WriteOutcome early = world.write(owner, "k0", "early");
  CHECK(early.status == WriteStatus::unknown_generation);
  CHECK(early.text == "the member of group " + world.group +
                          " has no generation: it has not joined, or was thrown out");
  REQUIRE(process.join(3));
  CHECK(world.write(owner, "k0", "v").ok());
  process.stop();
  CHECK(world.write(owner, "k0", "late").status == WriteStatus::unknown_generation);
  CHECK(process.gate.count(ApiKey::txn_offset_commit) == 1);
  CHECK(world.state() == "k0=v");
}
