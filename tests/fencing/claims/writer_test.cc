// Group commit: which offset a transaction commits, who shares it, and what each waiter is told.
#include "fencing/example/worker.h"
#include "tests/fencing/claims/claim_world.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::fencing;
using protocol::ApiKey;
using protocol::ErrorCode;
using tests::ClaimWorld;
using tests::Member;
using tests::Place;
using tests::snapshot;

namespace {

// A member and the owner of partition 0, taken over.
struct WriterWorld : ClaimWorld {
  explicit WriterWorld(const std::string& cluster, std::size_t cap = 256,
                       Duration commit_interval = std::chrono::minutes(5))
      : ClaimWorld(cluster), member(*this, "member") {
    PartitionOwnerOptions options = owner_options();
    options.cap = cap;
    options.commit_interval = commit_interval;
    owned = owner(member, std::move(options));
    member.join();
    take_over(*owned);
  }
  SnapshotWriter& writer() { return owned->writer(); }
  WriteOutcome write(const std::string& key, const std::string& value) {
    return ClaimWorld::write(*owned, key, value);
  }
  auto start_write(const std::string& key, const std::string& value) {
    return start(writer().write(snapshot(key, value)));
  }

  Member member;
  std::unique_ptr<PartitionOwner> owned;
};

asio::awaitable<bool> write_and_advance(SnapshotWriter* writer, int count) {
  for (int i = 0; i < count; ++i) {
    asio::awaitable<WriteOutcome> written = writer->write(snapshot("k", std::to_string(i)));
    writer->advance(i + 1);
    WriteOutcome outcome = co_await std::move(written);
    if (!outcome.ok()) co_return false;
  }
  co_return true;
}

// The number in "k=7", -1 in "".
std::int64_t newest(const std::string& state) {
  return state.empty() ? -1 : std::stoll(state.substr(2));
}

}  // namespace

TEST_CASE("Every transaction commits an offset, and until there is progress it is the assigned one",
          "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  WriterWorld world(cluster);
  CHECK(world.group_offset() == -1);
  CHECK(world.write("k0", "v").ok());
  CHECK(world.group_offset() == 0);
  CHECK(world.write("k1", "v").ok());
  world.writer().advance(5);
  CHECK(world.run(world.writer().commit_offset()).ok());
  CHECK(world.write("k2", "v").ok());
  CHECK(world.group_offset() == 5);
  const int transactions = world.member.gate.count(ApiKey::end_txn);
  CHECK(transactions == 4);
  CHECK(world.member.gate.count(ApiKey::txn_offset_commit) >= transactions);

  Member successor(world, "successor");
  const auto next = world.owner(successor);
  CHECK(world.take_over(*next).offset == 5);
}

TEST_CASE("The offset advances only on the commit interval, alone when nothing is queued",
          "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  WriterWorld world(cluster, 256, std::chrono::seconds(3));
  CHECK(world.write("k0", "v").ok());
  world.writer().advance(10);
  CHECK(world.write("k1", "v").ok());
  CHECK(world.run(world.writer().commit_when_due()).ok());
  CHECK(world.group_offset() == 0);
  REQUIRE(world.nothing_stays_open());
  const std::int64_t end = world.high_watermark();
  const auto transactions = world.writer().counts().transactions;
  world.wait(std::chrono::seconds(3));
  CHECK(world.run(world.writer().commit_when_due()).ok());
  CHECK(world.writer().counts().transactions == transactions + 1);
  CHECK(world.group_offset() == 10);
  // A transaction of the offset alone leaves nothing in the snapshots.
  CHECK(world.high_watermark() == end);
  world.wait(std::chrono::seconds(3));
  CHECK(world.run(world.writer().commit_when_due()).ok());
  CHECK(world.writer().counts().transactions == transactions + 1);
}

TEST_CASE("The committed offset never leads the snapshots that it covers", "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  constexpr int writes = 100;
  WriterWorld world(cluster, 1, Duration());
  const auto writing = world.start(write_and_advance(&world.writer(), writes));
  int looks = 0;
  while (!writing->has_value()) {
    const std::int64_t offset = world.group_offset(0, false);
    const std::int64_t covered = newest(world.state()) + 1;
    CHECK(offset <= covered);
    ++looks;
  }
  CHECK(looks >= 3);
  CHECK(world.finish(writing));
  CHECK(world.run(world.writer().commit_offset()).ok());
  CHECK(world.group_offset() == writes);
  // One that is not written holds the offset back until its key is.
  CHECK(world.write("k", std::string(2'000'000, 'x')).error_code == ErrorCode::message_too_large);
  world.writer().advance(writes + 1);
  CHECK(world.run(world.writer().commit_offset()).ok());
  CHECK(world.group_offset() == writes);
  CHECK(world.write("k", std::to_string(writes)).ok());
  CHECK(world.run(world.writer().commit_offset()).ok());
  CHECK(world.group_offset() == writes + 1);
}

TEST_CASE("Writes that come together share transactions up to the cap, offsets ride free of it",
          "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  WriterWorld world(cluster);
  std::vector<std::shared_ptr<std::optional<WriteOutcome>>> outcomes;
  for (int i = 0; i < 512; ++i) outcomes.push_back(world.start_write("k" + std::to_string(i), "v"));
  world.writer().advance(9);
  const auto offset = world.start(world.writer().commit_offset());
  CHECK(world.finish(offset).ok());
  for (const auto& outcome : outcomes) CHECK(world.finish(outcome).ok());
  CHECK(world.writer().counts().transactions == 2);
  CHECK(world.writer().counts().snapshots == 512);
  // The first of the two cannot cover what is in the second.
  CHECK(world.group_offset() == 0);
}

TEST_CASE("Each waiter gets the outcome of its own transaction", "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  WriterWorld world(cluster, 1);
  const auto good = world.start_write("k0", "v");
  const auto bad = world.start_write("k1", std::string(2'000'000, 'x'));
  const auto next = world.start_write("k2", "v");
  CHECK(world.finish(good).ok());
  const WriteOutcome refused = world.finish(bad);
  CHECK(refused.status == WriteStatus::aborted);
  CHECK(refused.error_code == ErrorCode::message_too_large);
  CHECK(world.finish(next).ok());
  CHECK(world.state() == "k0=v k2=v");
}

TEST_CASE("The example service commits its offsets in transactions and never beside them",
          "[claims][protocol]") {
  const Place place = GENERATE(from_range(tests::places()));
  CAPTURE(place);
  ClaimWorld world(place.cluster);
  tests::Gate gate(world.world->network());
  client::ClusterClient group_client(gate, world.world->clock(), world.world->bootstrap());
  client::ClusterClient data_client(gate, world.world->clock(), world.world->bootstrap());
  example::WorkerOptions options;
  options.membership.member.group_id = world.group;
  options.membership.member.topics.push_back(world.input);
  options.membership.member.session_timeout = world.session_timeout;
  options.membership.protocol = place.protocol;
  options.snapshot_topic = world.snapshots;
  options.owner = world.owner_options();
  options.owner.commit_interval = milliseconds(200);
  example::Worker worker(world.world->io().get_executor(), group_client, data_client, options);
  const auto running = world.start(worker.run());
  client::TransactionalProducer events(world.world->io().get_executor(), world.client, {});
  REQUIRE(world.run(events.init()).ok());
  for (int i = 0; i < 20; ++i) events.append({world.input, 0}, tests::record("k", "2"));
  REQUIRE(world.run(events.flush()).ok());
  CHECK(world.wait_for([&world] { return world.group_offset() == 20; }));
  CHECK(world.state() == "k=count=20 sum=40 last_offset=19");
  worker.stop();
  CHECK(world.finish(running).ok());
  CHECK(gate.count(ApiKey::txn_offset_commit) > 0);
  CHECK(gate.count(ApiKey::offset_commit) == 0);
}
