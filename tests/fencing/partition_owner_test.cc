// Takeover and release: nothing is left open, nothing is missed, and a late owner costs
// availability, never safety.
#include "fencing/partition_owner.h"

#include "tests/fencing/owner_world.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::fencing;
using minibroker::sim::FaultAction;
using protocol::ApiKey;
using protocol::ErrorCode;
using tests::Member;
using tests::OwnerWorld;
using tests::snapshot;

namespace {

std::string text_of(const Recovery& recovery) {
  std::string text;
  for (const auto& [key, value] : recovery.snapshots)
    text += (text.empty() ? "" : " ") + key + "=" + std::string(value.text());
  return text;
}

// The owner stopped in the middle: its records are out, its decision is not.
void leave_a_transaction_open(OwnerWorld& world, PartitionOwner& owner) {
  world.fault(FaultAction::hold, ApiKey::end_txn);
  world.start(owner.writer().write(snapshot("k0", "open")));
  world.world->settle();
}

}  // namespace

TEST_CASE("The transactional.id belongs to the partition and not to its owner", "[fencing]") {
  PartitionOwnerOptions options;
  options.snapshots = {"state", 3};
  CHECK(transactional_id_of(options) == "fencepost-state-3");
}

TEST_CASE("A takeover ends what the last owner left open, and then reads", "[fencing]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  OwnerWorld world(release);
  Member member(world, "member");
  member.join();
  const auto first = world.owner(member);
  world.take_over(*first);
  CHECK(world.write(*first, "k0", "v").ok());
  leave_a_transaction_open(world, *first);
  CHECK(world.partition("state", 0).last_stable_offset <
        world.partition("state", 0).high_watermark);

  Member successor(world, "successor");
  const auto second = world.owner(successor);
  const Instant begin = world.now();
  const TakenOver taken = world.take_over(*second);
  CHECK(text_of(taken.recovery) == "k0=v");
  CHECK(world.partition("state", 0).last_stable_offset ==
        world.partition("state", 0).high_watermark);
  CHECK(world.now() - begin < milliseconds(50));
}

TEST_CASE("A takeover waits for the offset that a transaction still holds", "[fencing]") {
  // Another application's transaction holds the offset; only its end tells which one it is.
  OwnerWorld world;
  Member member(world, "member");
  member.join();
  client::TransactionalProducerOptions options;
  options.transactional_id = "stranger";
  client::TransactionalProducer stranger(world.world->io().get_executor(), world.client, options);
  REQUIRE(world.run(stranger.init()).ok());
  REQUIRE(world.run(stranger.begin()).ok());
  const std::vector<client::CommittedOffset> offsets{{{"in", 0}, 20}};
  const client::GroupMetadata shown = member.group.metadata();
  REQUIRE(world.run(stranger.commit_offsets(shown, offsets)).ok());
  const auto owner = world.owner(member);
  const auto taken = world.start(owner->take_over());
  world.world->advance(std::chrono::seconds(1));
  CHECK_FALSE(taken->has_value());
  REQUIRE(world.run(stranger.commit()).ok());
  CHECK(world.finish(taken)->offset == 20);
}

TEST_CASE("A takeover does not end at a leader that has just moved", "[fencing]") {
  // As of a topic that was made a moment ago; only a group without an offset asks for the start.
  OwnerWorld world;
  Member member(world, "member");
  member.join();
  minibroker::sim::FaultRule moved;
  moved.action = FaultAction::error;
  moved.api_key = ApiKey::list_offsets;
  moved.error = ErrorCode::not_leader_or_follower;
  const std::uint64_t rule = world.brokers().faults().add(moved);
  const auto owner = world.owner(member);
  CHECK(world.take_over(*owner).offset == 0);
  CHECK(world.hits(rule) == 1);
}

TEST_CASE("A release commits the last offset and leaves nothing open", "[fencing]") {
  OwnerWorld world;
  Member member(world, "member");
  member.join();
  const auto owner = world.owner(member);
  world.take_over(*owner);
  CHECK(world.write(*owner, "k0", "v").ok());
  owner->writer().advance(7);
  CHECK(world.run(owner->release()).ok());
  CHECK(world.write(*owner, "k1", "late").status == WriteStatus::closed);
  world.world->settle();
  CHECK(world.group_offset() == 7);
  const auto next = world.owner(member);
  const TakenOver taken = world.take_over(*next);
  CHECK(taken.offset == 7);
  CHECK(text_of(taken.recovery) == "k0=v");
}

TEST_CASE("A stale owner whose transaction was held cannot commit it any more", "[fencing]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  OwnerWorld world(release);
  Member member(world, "member");
  member.join();
  const auto stale = world.owner(member);
  world.take_over(*stale);
  leave_a_transaction_open(world, *stale);
  world.world->advance(std::chrono::seconds(15));  // its session ends
  Member successor(world, "successor");
  successor.join();
  const auto valid = world.owner(successor);
  world.take_over(*valid);
  CHECK(world.write(*valid, "k0", "new").ok());
  world.brokers().release("fault", world.now());
  world.world->advance(std::chrono::minutes(2));
  CHECK(world.state() == "k0=new");
  CHECK(world.write(*stale, "k0", "old").status == WriteStatus::fenced);
  CHECK(world.state() == "k0=new");
}

TEST_CASE("A stale owner that initialises late fences the valid one and still writes nothing",
          "[fencing]") {
  // Availability, not safety: the valid owner has to take over again.
  OwnerWorld world;
  Member stale_member(world, "stale");
  stale_member.join();
  const auto stale = world.owner(stale_member);
  const auto late = world.fault(FaultAction::hold, ApiKey::init_producer_id);
  const auto taking = world.start(stale->take_over());
  world.world->settle();
  CHECK(world.hits(late) == 1);
  world.world->advance(std::chrono::seconds(12));  // its session ends

  Member member(world, "member");
  member.join();
  const auto valid = world.owner(member);
  world.take_over(*valid);
  CHECK(world.write(*valid, "k0", "v").ok());
  world.brokers().release("fault", world.now());
  REQUIRE(world.finish(taking).ok());

  CHECK(world.write(*valid, "k1", "v").status == WriteStatus::fenced);
  const WriteOutcome refused = world.write(*stale, "k0", "old");
  CHECK(refused.status == WriteStatus::fenced);
  CHECK(refused.error_code == ErrorCode::unknown_member_id);
  const auto again = world.owner(member);
  world.take_over(*again);
  CHECK(world.write(*again, "k1", "v").ok());
  world.world->settle();
  CHECK(world.state() == "k0=v k1=v");
}
