// The producer against whole simulated clusters: what is committed is there once and in order,
// whatever is lost on the way, and each refusal becomes the right outcome.
#include "client/transactional_producer.h"

#include "client/response_error.h"
#include "tests/simulated_cluster.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::client;
using minibroker::sim::FaultAction;
using protocol::ApiKey;
using protocol::ErrorCode;
using tests::record;
using Records = std::vector<std::string>;

namespace {

const TopicPartition state_0{"state", 0};
const TopicPartition state_1{"state", 1};
const TopicPartition state_2{"state", 2};

struct ProducerWorld : tests::SimulatedCluster {
  explicit ProducerWorld(const std::string& release = "4.4", int broker_count = 1,
                         Duration latency = milliseconds(1))
      : SimulatedCluster(tests::settings_of(release, broker_count, latency)) {}

  std::unique_ptr<TransactionalProducer> make(TransactionalProducerOptions options = {}) {
    if (!options.transactional_id.has_value()) options.transactional_id = "t";
    options.pipeline.delivery_timeout = std::chrono::seconds(60);
    return std::make_unique<TransactionalProducer>(world->io().get_executor(), client, options);
  }
  std::unique_ptr<TransactionalProducer> begun() {
    auto producer = make();
    REQUIRE(run(producer->init()).ok());
    REQUIRE(run(producer->begin()).ok());
    return producer;
  }
  ProducerOutcome write(TransactionalProducer& producer, const std::string& key) {
    if (!producer.is_in_transaction()) {
      ProducerOutcome begun = run(producer.begin());
      if (!begun.ok()) return begun;
    }
    producer.append(state_0, record(key, "v"));
    return run(producer.commit());
  }
};

Records numbered(int count) {
  Records records;
  for (int i = 0; i < count; ++i) records.push_back("k" + std::to_string(i) + "=v");
  return records;
}

}  // namespace

TEST_CASE("A transaction over several brokers is committed in every era", "[client][producer]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  ProducerWorld world(release, 3);
  auto producer = world.begun();
  const GroupMetadata group{"g"};
  const std::vector<CommittedOffset> offsets{{{"in", 0}, 17}};
  REQUIRE(world.run(producer->commit_offsets(group, offsets)).ok());
  for (const TopicPartition& partition : {state_0, state_1, state_2})
    producer->append(partition, record("k", "v"));
  REQUIRE(world.run(producer->commit()).ok());
  world.world->settle();
  for (int i = 0; i < 3; ++i) CHECK(world.committed("state", i) == Records{"k=v"});
  CHECK(world.committed_offset("g", "in", 0) == 17);
  CHECK(world.partition("state", 0).last_stable_offset == 2);
}

TEST_CASE("What is aborted is never seen, and the next transaction is", "[client][producer]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  ProducerWorld world(release);
  auto producer = world.begun();
  producer->append(state_0, record("lost", "v"));
  REQUIRE(world.run(producer->flush()).ok());
  REQUIRE(world.run(producer->abort()).ok());
  REQUIRE(world.write(*producer, "k0").ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(1));
}

TEST_CASE("Records that are appended together share a batch", "[client][producer]") {
  ProducerWorld world;
  auto producer = world.begun();
  for (int i = 0; i < 1000; ++i) producer->append(state_0, record("k" + std::to_string(i), "v"));
  REQUIRE(world.run(producer->commit()).ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(1000));
  CHECK(world.partition("state", 0).batches.size() == 2);
}

TEST_CASE("Batches follow each other at most five at a time, in order", "[client][producer]") {
  ProducerWorld world;
  TransactionalProducerOptions options;
  options.pipeline.batch_bytes_max = 60;  // two records
  auto producer = world.make(options);
  REQUIRE(world.run(producer->init()).ok());
  REQUIRE(world.run(producer->begin()).ok());
  for (int i = 0; i < 40; ++i) producer->append(state_0, record("k" + std::to_string(i), "v"));
  const Instant begin = world.now();
  REQUIRE(world.run(producer->flush()).ok());
  // 20 batches: metadata, connections, the first one alone, then five a round trip.
  CHECK(world.now() - begin < milliseconds(2 * 12));
  REQUIRE(world.run(producer->commit()).ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(40));
}

TEST_CASE("Every codec is written and read", "[client][producer]") {
  const auto codec = GENERATE(protocol::CompressionType::gzip, protocol::CompressionType::snappy,
                              protocol::CompressionType::lz4, protocol::CompressionType::zstd);
  ProducerWorld world;
  TransactionalProducerOptions options;
  options.pipeline.compression = codec;
  auto producer = world.make(options);
  REQUIRE(world.run(producer->init()).ok());
  REQUIRE(world.write(*producer, "k0").ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(1));
}

TEST_CASE("A lost answer to a Produce does not lose, double or reorder records",
          "[client][producer]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  const FaultAction action =
      GENERATE(FaultAction::lose_reply, FaultAction::close, FaultAction::drop);
  ProducerWorld world(release);
  TransactionalProducerOptions options;
  options.transaction_timeout = std::chrono::minutes(10);
  options.pipeline.batch_bytes_max = 60;
  auto producer = world.make(options);
  REQUIRE(world.run(producer->init()).ok());
  REQUIRE(world.run(producer->begin()).ok());
  producer->append(state_0, record("k0", "v"));
  REQUIRE(world.run(producer->flush()).ok());
  const std::uint64_t rule = world.fault(action, ApiKey::produce, 3);
  for (int i = 1; i < 30; ++i) producer->append(state_0, record("k" + std::to_string(i), "v"));
  const ProducerOutcome outcome = world.run(producer->commit());
  CHECK(outcome.text == "");
  CHECK(world.hits(rule) == 3);
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(30));
}

TEST_CASE("A leader that moves is followed", "[client][producer]") {
  minibroker::ClusterSettings settings = tests::settings_of("4.4", 3, milliseconds(1));
  settings.topics.push_back({"moving", 1, 3});
  tests::SimulatedCluster cluster(settings);
  TransactionalProducerOptions options;
  options.transactional_id = "t";
  TransactionalProducer producer(cluster.world->io().get_executor(), cluster.client, options);
  const TopicPartition moving{"moving", 0};
  REQUIRE(cluster.run(producer.init()).ok());
  REQUIRE(cluster.run(producer.begin()).ok());
  producer.append(moving, record("k0", "v"));
  REQUIRE(cluster.run(producer.flush()).ok());
  const int leader = cluster.partition("moving", 0).leader_id;
  const int next = leader == 1 ? 2 : 1;
  REQUIRE(cluster.brokers().elect("moving", 0, minibroker::Election::clean, next, cluster.now()) ==
          ErrorCode::none);
  producer.append(moving, record("k1", "v"));
  REQUIRE(cluster.run(producer.commit()).ok());
  cluster.world->settle();
  CHECK(cluster.committed("moving", 0) == numbered(2));
  CHECK(cluster.partition("moving", 0).leader_id == next);
}

TEST_CASE("A lost answer to EndTxn is asked for again and decides once", "[client][producer]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  ProducerWorld world(release);
  auto producer = world.begun();
  world.fault(FaultAction::lose_reply, ApiKey::end_txn);
  REQUIRE(world.write(*producer, "k0").ok());
  REQUIRE(world.write(*producer, "k1").ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(2));
}

TEST_CASE("A late copy of an EndTxn does not decide the next transaction", "[client][producer]") {
  // Before transaction version 2 nothing in an EndTxn changes between transactions; the epoch is
  // bumped because a copy may be on its way.
  ProducerWorld world("3.5");
  auto producer = world.begun();
  const std::int16_t epoch = producer->session().identity().epoch;
  world.fault(FaultAction::hold, ApiKey::end_txn);
  producer->append(state_0, record("k0", "v"));
  REQUIRE(world.run(producer->commit()).ok());
  REQUIRE(world.run(producer->begin()).ok());
  CHECK(producer->session().identity().epoch > epoch);
  producer->append(state_0, record("torn", "v"));
  REQUIRE(world.run(producer->flush()).ok());
  world.brokers().release("fault", world.now());
  world.world->settle();
  REQUIRE(world.run(producer->abort()).ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(1));
}

TEST_CASE("An EndTxn that is never answered has an unknown outcome, which init() settles",
          "[client][producer]") {
  ProducerWorld world;
  auto producer = world.begun();
  producer->append(state_0, record("k0", "v"));
  REQUIRE(world.run(producer->flush()).ok());
  const std::uint64_t rule = world.fault(FaultAction::lose_reply, ApiKey::end_txn, -1);
  const ProducerOutcome outcome = world.run(producer->commit());
  CHECK(outcome.verdict == Verdict::unknown_outcome);
  CHECK(outcome.text.find("EndTxn") != std::string::npos);
  CHECK(world.run(producer->begin()).verdict == Verdict::bug);
  world.brokers().faults().remove(rule);
  REQUIRE(world.run(producer->init()).ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(1));
  REQUIRE(world.write(*producer, "k1").ok());
}

TEST_CASE("A lost decision is not called aborted because the cluster is gone afterwards",
          "[client][producer]") {
  ProducerWorld world;
  auto producer = world.begun();
  producer->append(state_0, record("k0", "v"));
  REQUIRE(world.run(producer->flush()).ok());
  world.fault(FaultAction::lose_reply, ApiKey::end_txn);
  const auto committing = world.start(producer->commit());
  world.world->settle();
  REQUIRE(world.brokers().crash(1, minibroker::sim::Unsynced::kept, world.now()));
  CHECK(world.finish(committing).verdict == Verdict::unknown_outcome);
}

TEST_CASE("A lost decision is not called aborted because somebody has fenced us meanwhile",
          "[client][producer]") {
  ProducerWorld world;
  auto older = world.begun();
  older->append(state_0, record("k0", "v"));
  REQUIRE(world.run(older->flush()).ok());
  ClusterClient other(world.world->network(), world.world->clock(), world.world->bootstrap());
  TransactionalProducerOptions options;
  options.transactional_id = "t";
  TransactionalProducer newer(world.world->io().get_executor(), other, options);
  world.fault(FaultAction::lose_reply, ApiKey::end_txn);
  const auto committing = world.start(older->commit());
  world.world->settle();
  REQUIRE(world.run(newer.init()).ok());
  const ProducerOutcome outcome = world.finish(committing);
  CHECK(outcome.verdict == Verdict::unknown_outcome);
  CHECK(protocol::reaction_of(outcome.error_code) == protocol::Reaction::fenced);
  CHECK(world.committed("state", 0) == numbered(1));
}

TEST_CASE("A Produce that is never answered is certain again after the abort",
          "[client][producer]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  ProducerWorld world(release);
  TransactionalProducerOptions options;
  options.transaction_timeout = std::chrono::minutes(10);
  auto producer = world.make(options);
  REQUIRE(world.run(producer->init()).ok());
  const ProducerIdentity before = producer->session().identity();
  const std::uint64_t rule = world.fault(FaultAction::drop, ApiKey::produce, -1);
  const ProducerOutcome outcome = world.write(*producer, "lost");
  CHECK(outcome.verdict == Verdict::abort);
  world.brokers().faults().remove(rule);
  REQUIRE(world.run(producer->abort()).ok());
  REQUIRE(world.write(*producer, "k0").ok());
  CHECK(producer->session().identity() > before);
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(1));
}

TEST_CASE("The newer producer fences the older one", "[client][producer]") {
  const std::string release = GENERATE("3.5", "3.9", "4.4");
  ProducerWorld world(release);
  auto older = world.begun();
  older->append(state_0, record("open", "v"));
  REQUIRE(world.run(older->flush()).ok());
  auto newer = world.make();
  REQUIRE(world.run(newer->init()).ok());
  CHECK(world.run(older->commit()).verdict == Verdict::fenced);
  CHECK(world.run(older->begin()).verdict == Verdict::bug);
  REQUIRE(world.write(*newer, "k0").ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(1));
}

TEST_CASE("A stale generation asks for an abort and leaves the producer usable",
          "[client][producer]") {
  ProducerWorld world;
  auto producer = world.begun();
  const GroupMetadata stale{"g", 5, "nobody"};
  const std::vector<CommittedOffset> offsets{{{"in", 0}, 17}};
  const ProducerOutcome outcome = world.run(producer->commit_offsets(stale, offsets));
  CHECK(outcome.verdict == Verdict::abort);
  CHECK(protocol::reaction_of(outcome.error_code) == protocol::Reaction::fenced);
  CHECK(world.run(producer->commit()).verdict == Verdict::bug);
  REQUIRE(world.run(producer->abort()).ok());
  REQUIRE(world.write(*producer, "k0").ok());
}

TEST_CASE("A batch that is too large is the transaction's end and not the producer's",
          "[client][producer]") {
  const std::string release = GENERATE("3.9", "4.4");
  ProducerWorld world(release);
  auto producer = world.begun();
  producer->append(state_0, record("large", std::string(2'000'000, 'x')));
  const ProducerOutcome outcome = world.run(producer->commit());
  CHECK(outcome.verdict == Verdict::abort);
  CHECK(outcome.text == "Produce is answered with MESSAGE_TOO_LARGE");
  REQUIRE(world.run(producer->abort()).ok());
  REQUIRE(world.write(*producer, "k0").ok());
  world.world->settle();
  CHECK(world.committed("state", 0) == numbered(1));
}

TEST_CASE("Transactions follow each other without the pause of a held Produce",
          "[client][producer]") {
  // The markers take two messages; the leader would hold a Produce before them for 20 ms.
  const std::string release = GENERATE("3.9", "4.4");
  ProducerWorld world(release, 1, std::chrono::microseconds(50));
  auto producer = world.begun();
  REQUIRE(world.write(*producer, "k0").ok());
  const Instant begin = world.now();
  for (int i = 1; i < 20; ++i) REQUIRE(world.write(*producer, "k" + std::to_string(i)).ok());
  CHECK((world.now() - begin) / 19 < milliseconds(2));
}

TEST_CASE("An empty transaction is not told to anybody", "[client][producer]") {
  ProducerWorld world;
  auto producer = world.begun();
  const std::uint64_t rule = world.fault(FaultAction::close, ApiKey::end_txn);
  CHECK(world.run(producer->commit()).ok());
  CHECK(world.hits(rule) == 0);
}

TEST_CASE("An idempotent producer writes without transactions", "[client][producer]") {
  ProducerWorld world;
  TransactionalProducer producer(world.world->io().get_executor(), world.client, {});
  REQUIRE(world.run(producer.init()).ok());
  world.fault(FaultAction::lose_reply, ApiKey::produce);
  producer.append(state_0, record("k0", "v"));
  REQUIRE(world.run(producer.flush()).ok());
  producer.append(state_0, record("k1", "v"));
  REQUIRE(world.run(producer.flush()).ok());
  CHECK(world.committed("state", 0) == numbered(2));
}

TEST_CASE("Back-pressure waits until there is room", "[client][producer]") {
  ProducerWorld world;
  TransactionalProducerOptions options;
  options.buffered_bytes_max = 1000;
  auto producer = world.make(options);
  REQUIRE(world.run(producer->init()).ok());
  REQUIRE(world.run(producer->begin()).ok());
  producer->append(state_0, record("k", std::string(5000, 'x')));
  const auto room = [](TransactionalProducer& it) -> asio::awaitable<bool> {
    co_await it.wait_for_room();
    co_return true;
  };
  const Instant begin = world.now();
  CHECK(world.run(room(*producer)));
  CHECK(world.now() > begin);
}

TEST_CASE("Each refusal becomes one of the things that an application can do",
          "[client][producer]") {
  const std::vector<std::pair<ErrorCode, Verdict>> expected{
      {ErrorCode::none, Verdict::done},
      {ErrorCode::transaction_abortable, Verdict::abort},
      {ErrorCode::invalid_txn_state, Verdict::abort},
      {ErrorCode::out_of_order_sequence_number, Verdict::abort},
      {ErrorCode::message_too_large, Verdict::abort},
      {ErrorCode::coordinator_not_available, Verdict::abort},
      {ErrorCode::illegal_generation, Verdict::abort},
      {ErrorCode::unknown_member_id, Verdict::abort},
      {ErrorCode::producer_fenced, Verdict::fenced},
      {ErrorCode::invalid_producer_epoch, Verdict::fenced},
      {ErrorCode::transactional_id_authorization_failed, Verdict::bug},
      {ErrorCode::invalid_producer_id_mapping, Verdict::bug},
      {ErrorCode::unsupported_version, Verdict::bug},
  };
  for (const auto& [code, verdict] : expected) {
    INFO(to_string(code));
    CHECK(outcome_of("EndTxn", code).verdict == verdict);
  }
}

TEST_CASE("Only a decision without a reply has an unknown outcome", "[client][producer]") {
  const Error lost{ErrorKind::unknown_outcome, "no reply"};
  CHECK(outcome_of("EndTxn", lost, true).verdict == Verdict::unknown_outcome);
  CHECK(outcome_of("Produce", lost, false).verdict == Verdict::abort);
  const Error unsent{ErrorKind::cannot_connect, "refused"};
  CHECK(outcome_of("EndTxn", unsent, true).verdict == Verdict::abort);
}
