// Owners under live rebalances: what the flush inside the revoke callback becomes by each protocol,
// and that nothing is lost when partitions change hands.
#include "tests/fencing/owner_world.h"
#include "tests/group_driver.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::fencing;
using client::GroupProtocol;
using protocol::ErrorCode;
using tests::GroupDriver;
using tests::Owners;
using tests::OwnerWorld;

namespace {

// Releases in-0's owner inside the revoke callback.
struct Flush {
  PartitionOwner* owner = nullptr;
  std::optional<WriteOutcome> outcome;
};

asio::awaitable<void> release(Flush* flush, std::vector<client::TopicPartition> partitions) {
  for (const client::TopicPartition& it : partitions)
    if (it == client::TopicPartition{"in", 0} && flush->owner != nullptr)
      flush->outcome = co_await flush->owner->release();
}

PartitionOwnerOptions owner_options() {
  PartitionOwnerOptions options;
  options.group_id = "g";
  options.input = {"in", 0};
  options.snapshots = {"state", 0};
  options.transactional_id_prefix = "x";
  return options;
}

}  // namespace

TEST_CASE("The flush at a revoke commits under the eager and the consumer protocol",
          "[fencing][membership]") {
  const GroupProtocol protocol = GENERATE(GroupProtocol::eager, GroupProtocol::consumer);
  OwnerWorld world;
  Owners owners;
  GroupDriver one(world, owners, "one", protocol);
  Flush flush;
  one.on_revoked = [&flush](auto partitions) { return release(&flush, std::move(partitions)); };
  one.start();
  world.world->advance(std::chrono::seconds(8));
  REQUIRE(one.owned() == 3);
  PartitionOwner owner(
      world.world->io().get_executor(), world.client, [&one] { return one.membership->metadata(); },
      owner_options());
  world.take_over(owner);
  flush.owner = &owner;
  CHECK(world.write(owner, "k0", "v").ok());
  owner.writer().advance(11);
  one.stop_and_wait();
  REQUIRE(flush.outcome.has_value());
  CHECK(flush.outcome->text == "");
  world.world->settle();
  CHECK(world.group_offset() == 11);
}

TEST_CASE("The flush at a revoke is fenced under the cooperative protocol",
          "[fencing][membership]") {
  // The rebalance is over when the member learns what it gives up: what it shows is of the
  // generation before.
  OwnerWorld world;
  Owners owners;
  GroupDriver one(world, owners, "one", GroupProtocol::cooperative);
  one.start();
  world.world->advance(std::chrono::seconds(8));
  PartitionOwner owner(
      world.world->io().get_executor(), world.client, [&one] { return one.membership->metadata(); },
      owner_options());
  world.take_over(owner);
  CHECK(world.write(owner, "k0", "v").ok());
  owner.writer().advance(11);
  std::optional<WriteOutcome> last;
  Flush flush;
  flush.owner = &owner;
  // Whichever partition moves: the flush is in the callback, with the generation of that time.
  one.on_revoked = [&flush](auto) { return release(&flush, {{"in", 0}}); };
  GroupDriver two(world, owners, "two", GroupProtocol::cooperative);
  two.start();
  world.world->advance(std::chrono::seconds(20));
  REQUIRE(flush.outcome.has_value());
  CHECK(flush.outcome->status == WriteStatus::fenced);
  CHECK(flush.outcome->error_code == ErrorCode::illegal_generation);
  CHECK(world.group_offset() == 0);
  one.on_revoked = nullptr;
  one.stop_and_wait();
  two.stop_and_wait();
}

TEST_CASE("A partition that stays goes on being written through rebalances",
          "[fencing][membership]") {
  const GroupProtocol protocol = GENERATE(GroupProtocol::cooperative, GroupProtocol::consumer);
  OwnerWorld world;
  Owners owners;
  GroupDriver one(world, owners, "one", protocol);
  one.start();
  world.world->advance(std::chrono::seconds(8));
  PartitionOwner owner(
      world.world->io().get_executor(), world.client, [&one] { return one.membership->metadata(); },
      owner_options());
  world.take_over(owner);
  CHECK(world.write(owner, "k0", "v").ok());
  const std::int32_t generation = one.membership->metadata().generation;
  GroupDriver two(world, owners, "two", protocol);
  two.start();
  world.world->advance(std::chrono::seconds(20));
  REQUIRE(one.membership->metadata().generation > generation);
  const auto& names = owners.by_partition[{"in", 0}];
  REQUIRE(names.size() == 1);
  // The one that kept it shows the new generation; the other was never given it.
  const WriteOutcome outcome = world.write(owner, "k0", "w");
  if (names.front() == "one") CHECK(outcome.text == "");
  if (names.front() == "two") CHECK(outcome.status != WriteStatus::unknown_outcome);
  one.stop_and_wait();
  two.stop_and_wait();
}
