// Group commit: who shares a transaction, which offset it commits, and what each waiter is told.
#include "fencing/snapshot_writer.h"

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

// One member, one owner, taken over.
struct WriterWorld : OwnerWorld {
  explicit WriterWorld(PartitionOwnerOptions options = {}, const std::string& release = "4.4")
      : OwnerWorld(release), member(*this, "member"), owned(owner(member, options)) {
    member.join();
    take_over(*owned);
  }
  SnapshotWriter& writer() { return owned->writer(); }
  WriteOutcome write(const std::string& key, const std::string& value) {
    return OwnerWorld::write(*owned, key, value);
  }
  // What each transaction staged, by the log of the offsets topic.
  int offset_commits(std::uint64_t rule) { return hits(rule); }
  std::uint64_t count_requests(ApiKey key) {
    minibroker::sim::FaultRule rule;
    rule.action = FaultAction::delay;  // by nothing: it only counts
    rule.api_key = key;
    rule.count = -1;
    return brokers().faults().add(std::move(rule));
  }

  Member member;
  std::unique_ptr<PartitionOwner> owned;
};

PartitionOwnerOptions with_cap(std::size_t cap) {
  PartitionOwnerOptions options;
  options.cap = cap;
  return options;
}

}  // namespace

TEST_CASE("Writes that come together share a transaction up to the cap", "[fencing]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  WriterWorld world({}, release);
  const auto outcomes = world.start_writes(*world.owned, 500, "v");
  for (const auto& outcome : outcomes) CHECK(world.finish(outcome).ok());
  CHECK(world.writer().counts().transactions == 2);
  CHECK(world.writer().counts().snapshots == 500);
  world.world->settle();
  CHECK(world.committed("state", 0).size() == 500);
}

TEST_CASE("The cap bounds a transaction and no cap does not", "[fencing]") {
  const auto [cap, transactions] =
      GENERATE(std::pair<std::size_t, int>(1, 40), std::pair<std::size_t, int>(16, 3),
               std::pair<std::size_t, int>(0, 1));
  WriterWorld world(with_cap(cap));
  const auto outcomes = world.start_writes(*world.owned, 40, "v");
  for (const auto& outcome : outcomes) CHECK(world.finish(outcome).ok());
  CHECK(world.writer().counts().transactions == transactions);
}

TEST_CASE("Writes are committed in the order in which they were begun", "[fencing]") {
  WriterWorld world(with_cap(3));
  const auto outcomes = world.start_writes(*world.owned, 10, "v");
  for (const auto& outcome : outcomes) CHECK(world.finish(outcome).ok());
  world.world->settle();
  std::vector<std::string> expected;
  for (int i = 0; i < 10; ++i) expected.push_back("k" + std::to_string(i) + "=v");
  CHECK(world.committed("state", 0) == expected);
}

TEST_CASE("A single write waits for nobody", "[fencing]") {
  WriterWorld world;
  CHECK(world.write("warm", "v").ok());
  world.world->settle();
  const Instant begin = world.now();
  CHECK(world.write("k", "v").ok());
  // Offset, record, decision: three round trips of 1 ms, and what the brokers ask each other.
  CHECK(world.now() - begin < milliseconds(7));
}

TEST_CASE("Every transaction commits an offset, the first one the assigned offset", "[fencing]") {
  WriterWorld world;
  const std::uint64_t commits = world.count_requests(ApiKey::txn_offset_commit);
  CHECK(world.write("k0", "v").ok());
  world.world->settle();
  CHECK(world.group_offset() == 0);
  CHECK(world.write("k1", "v").ok());
  CHECK(world.write("k2", "v").ok());
  CHECK(world.hits(commits) >= 3);
}

TEST_CASE("The first write of a stale owner is fenced", "[fencing]") {
  WriterWorld world;
  Member newer(world, "newer");
  world.world->advance(std::chrono::seconds(30));  // the session of the first one ends
  newer.join();
  const WriteOutcome outcome = world.write("k0", "stale");
  CHECK(outcome.status == WriteStatus::fenced);
  CHECK(outcome.error_code == ErrorCode::unknown_member_id);
  world.world->settle();
  CHECK(world.state() == "");
  CHECK(world.group_offset() == -1);
  CHECK(world.partition("state", 0).last_stable_offset ==
        world.partition("state", 0).high_watermark);
}

TEST_CASE("The offset advances only when the commit interval is over", "[fencing]") {
  WriterWorld world;
  CHECK(world.write("k0", "v").ok());
  world.writer().advance(10);
  CHECK(world.write("k1", "v").ok());
  CHECK(world.run(world.writer().commit_when_due()).ok());
  world.world->settle();
  CHECK(world.group_offset() == 0);
  world.world->advance(std::chrono::seconds(5));
  CHECK(world.write("k2", "v").ok());
  world.world->settle();
  CHECK(world.group_offset() == 10);
}

TEST_CASE("With nothing queued the offset is committed in a transaction of its own", "[fencing]") {
  const std::string release = GENERATE("3.5", "4.4");
  WriterWorld world({}, release);
  CHECK(world.write("k0", "v").ok());
  world.writer().advance(10);
  world.world->advance(std::chrono::seconds(5));
  const auto before = world.writer().counts().transactions;
  CHECK(world.run(world.writer().commit_when_due()).ok());
  CHECK(world.writer().counts().transactions == before + 1);
  world.world->settle();
  CHECK(world.group_offset() == 10);
  CHECK(world.run(world.writer().commit_when_due()).ok());
  CHECK(world.writer().counts().transactions == before + 1);
}

TEST_CASE("An offset rides free of the cap", "[fencing]") {
  WriterWorld world(with_cap(2));
  const auto outcomes = world.start_writes(*world.owned, 2, "v");
  world.writer().advance(9);
  const auto offset = world.start(world.writer().commit_offset());
  CHECK(world.finish(offset).ok());
  for (const auto& outcome : outcomes) CHECK(world.finish(outcome).ok());
  CHECK(world.writer().counts().transactions == 1);
  world.world->settle();
  CHECK(world.group_offset() == 9);
}

TEST_CASE("The committed offset never leads the snapshots that it covers", "[fencing]") {
  WriterWorld world(with_cap(1));
  const auto first = world.start(world.writer().write(snapshot("k0", "v")));
  world.writer().advance(5);
  const auto second = world.start(world.writer().write(snapshot("k1", "v")));
  world.writer().advance(8);
  const auto offset = world.start(world.writer().commit_offset());
  CHECK(world.finish(first).ok());
  CHECK(world.finish(offset).ok());
  CHECK(world.writer().committed_offset() == 5);
  CHECK(world.finish(second).ok());
  CHECK(world.run(world.writer().commit_offset()).ok());
  CHECK(world.writer().committed_offset() == 8);
}

TEST_CASE("A write that was not committed holds the offset back until its key is written",
          "[fencing]") {
  WriterWorld world;
  CHECK(world.write("k0", std::string(2'000'000, 'x')).status == WriteStatus::aborted);
  world.writer().advance(5);
  CHECK(world.write("k1", "v").ok());
  CHECK(world.run(world.writer().commit_offset()).ok());
  CHECK(world.writer().committed_offset() == 0);
  CHECK(world.write("k0", "v").ok());
  CHECK(world.run(world.writer().commit_offset()).ok());
  CHECK(world.writer().committed_offset() == 5);
}

TEST_CASE("Each waiter gets the outcome of its own transaction", "[fencing]") {
  WriterWorld world(with_cap(1));
  const auto good = world.start(world.writer().write(snapshot("k0", "v")));
  const auto bad = world.start(world.writer().write(snapshot("k1", std::string(2'000'000, 'x'))));
  const auto next = world.start(world.writer().write(snapshot("k2", "v")));
  CHECK(world.finish(good).ok());
  const WriteOutcome refused = world.finish(bad);
  CHECK(refused.status == WriteStatus::aborted);
  CHECK(refused.error_code == ErrorCode::message_too_large);
  CHECK(world.finish(next).ok());
  world.world->settle();
  CHECK(world.state() == "k0=v k2=v");
}

TEST_CASE("A write before the first join fails loudly and sends nothing", "[fencing]") {
  OwnerWorld world;
  Member member(world, "member");
  const auto owner = world.owner(member);
  world.take_over(*owner);
  const std::uint64_t rule = world.fault(FaultAction::close, ApiKey::txn_offset_commit);
  const WriteOutcome outcome = world.write(*owner, "k0", "v");
  CHECK(outcome.status == WriteStatus::unknown_generation);
  CHECK(outcome.text ==
        "the member of group g has no generation: it has not joined, or was thrown out");
  CHECK(world.hits(rule) == 0);
  CHECK(world.group_offset() == -1);
}

TEST_CASE("A rebalance that changes nothing does not fence the owner", "[fencing]") {
  WriterWorld world;
  CHECK(world.write("k0", "v").ok());
  const std::int32_t generation = world.member.group.generation();
  world.member.rebalance();
  CHECK(world.member.group.generation() > generation);
  CHECK(world.write("k1", "v").ok());
}

TEST_CASE("A generation that moves under a transaction is shown in the next attempt", "[fencing]") {
  WriterWorld world;
  CHECK(world.write("k0", "v").ok());
  world.fault(FaultAction::hold, ApiKey::txn_offset_commit);
  const auto outcome = world.start(world.writer().write(snapshot("k1", "v")));
  world.world->settle();
  world.member.rebalance();
  world.brokers().release("fault", world.now());
  CHECK(world.finish(outcome).ok());
}

TEST_CASE("A stale generation stays fenced and is not tried for ever", "[fencing]") {
  WriterWorld world;
  CHECK(world.write("k0", "v").ok());
  Member other(world, "other");
  const auto joined = world.start(other.group.join_group());
  world.world->settle();
  // The group goes on without telling this member: its generation is the old one.
  client::GroupMember again(world.member.client, {"g", {"in"}});
  client::MemberOverrides as_member;
  as_member.member_id = world.member.group.member_id();
  const auto rejoined = world.start(again.join_group(as_member));
  REQUIRE(world.finish(joined).ok());
  REQUIRE(world.finish(rejoined).ok());
  const WriteOutcome outcome = world.write("k1", "stale");
  CHECK(outcome.status == WriteStatus::fenced);
  CHECK(outcome.error_code == ErrorCode::illegal_generation);
  world.world->settle();
  CHECK(world.state() == "k0=v");
}

TEST_CASE("After an unknown outcome nothing more is written before a takeover", "[fencing]") {
  WriterWorld world;
  CHECK(world.write("k0", "v").ok());
  const std::uint64_t rule = world.fault(FaultAction::lose_reply, ApiKey::end_txn, -1);
  CHECK(world.write("k1", "w").status == WriteStatus::unknown_outcome);
  world.brokers().faults().remove(rule);
  CHECK(world.write("k2", "x").status == WriteStatus::unknown_outcome);
  // Only reading tells: here it was committed.
  Member other(world, "other");
  other.join();
  const auto next = world.owner(other);
  CHECK(world.take_over(*next).recovery.snapshots.size() == 2);
}

TEST_CASE("A closed writer begins no write, and those that were queued have their turn",
          "[fencing]") {
  WriterWorld world;
  const auto queued = world.start_writes(*world.owned, 3, "v");
  world.writer().close();
  CHECK(world.write("late", "v").status == WriteStatus::closed);
  for (const auto& outcome : queued) CHECK(world.finish(outcome).ok());
}
