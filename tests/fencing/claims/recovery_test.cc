// Recovery: complete up to the high watermark, or a loud failure that says whose transaction is in
// the way, or that the log was truncated.
#include <regex>

#include "client/hanging_transactions.h"
#include "protocol/messages/delete_topics.h"
#include "tests/fencing/claims/claim_world.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::fencing;
using client::TransactionalProducer;
using client::TransactionalSession;
using protocol::ApiKey;
using protocol::ErrorCode;
using tests::ClaimWorld;
using tests::text_of;

namespace {

// k1 in a transaction that is open, k2 committed behind it.
struct OpenWorld : ClaimWorld {
  explicit OpenWorld(const std::string& cluster)
      : ClaimWorld(cluster), open(open_transaction("open", "k1", "v")) {
    const auto second = open_transaction("second", "k2", "v");
    REQUIRE(run(second->commit()).ok());
    REQUIRE(wait_for([this] { return high_watermark() == 3; }));  // two records and a marker
  }
  client::TopicPartition partition() const { return {snapshots, 0}; }

  std::unique_ptr<TransactionalProducer> open;
};

RecoveryOptions stalls_after(Duration timeout) {
  RecoveryOptions options;
  options.stall_timeout = timeout;
  return options;
}

void add_partition_if_needed(ClaimWorld& world, TransactionalSession& session) {
  if (!session.needs_add_partitions()) return;
  const auto added = world.run(session.add_partitions_to_txn({{world.snapshots, 0}}));
  REQUIRE(client::first_error(*added) == ErrorCode::none);
}

client::ProduceCall batch_of(ClaimWorld& world) {
  client::ProduceCall call;
  call.partition = {world.snapshots, 0};
  call.records.push_back(tests::record("k", "v"));
  return call;
}

}  // namespace

TEST_CASE("Recovery waits for what is open below the high watermark, warns, and is complete",
          "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  OpenWorld world(cluster);
  RecoveryOptions rejected;
  rejected.bound = RecoveryBound::last_stable_offset;
  const Result<Recovery> missing =
      world.run(recover_snapshots(world.client, world.partition(), rejected));
  CHECK(text_of(missing.value()) == "");

  std::vector<std::string> warnings;
  RecoveryOptions options;
  options.on_warning = [&warnings](const std::string& text) { warnings.push_back(text); };
  const auto recovering = world.start(recover_snapshots(world.client, world.partition(), options));
  world.wait(std::chrono::seconds(1));
  CHECK_FALSE(recovering->has_value());
  REQUIRE(world.run(world.open->abort()).ok());
  const Recovery recovery = world.finish(recovering).value();
  CHECK(text_of(recovery) == "k2=v");
  CHECK(recovery.target == 3);
  CHECK(recovery.had_to_wait());
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("the last stable offset is 0") != std::string::npos);
}

TEST_CASE("A recovery that stalls names the producer id, the transactional.id and the age",
          "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  OpenWorld world(cluster);
  world.wait(std::chrono::seconds(1));
  const Instant begin = world.now();
  const Result<Recovery> stalled = world.run(
      recover_snapshots(world.client, world.partition(), stalls_after(std::chrono::seconds(1))));
  REQUIRE_FALSE(stalled.ok());
  CHECK(stalled.error().kind == ErrorKind::stalled);
  CHECK(world.now() - begin >= std::chrono::seconds(1));
  const auto identity = world.open->session().identity();
  const std::regex expected(
      "recovery of " + world.snapshots +
      "-0 stopped at offset 0 of 3 without progress for 1 s: the transaction of producer " +
      std::to_string(identity.id) + " \\(epoch " + std::to_string(identity.epoch) +
      ", transactional.id " + world.group +
      "-open, begun [1-9][0-9]* s ago\\) is open since offset 0");
  INFO(stalled.error().text);
  CHECK(std::regex_match(stalled.error().text, expected));
  REQUIRE(world.run(world.open->abort()).ok());
}

TEST_CASE("A diagnosis that cannot be made does not mask the stall", "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  OpenWorld world(cluster);
  tests::Gate gate(world.world->network());
  client::ClusterClientOptions options;
  options.connection.request_timeout = milliseconds(800);
  client::ClusterClient cut_off(gate, world.world->clock(), world.world->bootstrap(), options);
  const auto recovering = world.start(
      recover_snapshots(cut_off, world.partition(), stalls_after(std::chrono::seconds(2))));
  REQUIRE(world.wait_for([&gate] { return gate.count(ApiKey::fetch) >= 1; }));
  gate.close();
  const Result<Recovery> stalled = world.finish(recovering);
  REQUIRE_FALSE(stalled.ok());
  CHECK(stalled.error().kind == ErrorKind::stalled);
  CHECK(stalled.error().text.find("stopped at offset 0 of 3 without progress for 2 s: the leader "
                                  "cannot be asked") != std::string::npos);
  REQUIRE(world.run(world.open->abort()).ok());
}

TEST_CASE("A log that has come to end below the target is reported as truncated", "[claims]") {
  // On a real cluster by deleting the topic and making it again: what was promised is gone.
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  OpenWorld world(cluster);
  const auto recovering = world.start(
      recover_snapshots(world.client, world.partition(), stalls_after(std::chrono::seconds(3))));
  world.wait(milliseconds(300));
  protocol::DeleteTopicsRequest request;
  request.topics.emplace_back().name = world.snapshots;
  request.timeout_ms = 10'000;
  const auto deleted = world.run(world.client.call_any(std::move(request)));
  REQUIRE(deleted->responses.at(0).error_code == ErrorCode::none);
  world.create_topic(world.snapshots);
  const Result<Recovery> stopped = world.finish(recovering);
  REQUIRE_FALSE(stopped.ok());
  INFO(stopped.error().text);
  CHECK(stopped.error().kind == ErrorKind::malformed);
  CHECK(stopped.error().text.find("truncated") != std::string::npos);
}

TEST_CASE(
    "A hanging transaction is found, called so by a stalled recovery, and ended; where the "
    "brokers verify, none can be made",
    "[claims]") {
  const std::string cluster = GENERATE(from_range(tests::clusters()));
  CAPTURE(cluster);
  ClaimWorld world(cluster);
  TransactionalSession session(world.client, world.group + "-late");
  session.limit_transaction_version(0);
  REQUIRE(world.run(session.init_producer_id(std::chrono::minutes(1))).ok());
  add_partition_if_needed(world, session);
  REQUIRE(world.run(session.end_txn(false))->error_code == ErrorCode::none);
  REQUIRE(world.wait_for([&world] { return world.high_watermark() == 1; }));  // the marker
  // A batch of the transaction that comes after its end.
  client::ProduceCall late = batch_of(world);
  late.overrides.call.version_max = 11;
  const auto produced = world.run(session.produce(std::move(late)));
  REQUIRE(produced.ok());
  const ErrorCode refusal = client::first_error(*produced);
  if (refusal != ErrorCode::none) {
    CHECK(refusal == ErrorCode::transaction_abortable);
    CHECK(world.nothing_is_open());
    return;
  }
  CHECK_FALSE(world.nothing_is_open());
  const Result<Recovery> stalled = world.run(
      recover_snapshots(world.client, {world.snapshots, 0}, stalls_after(std::chrono::seconds(1))));
  REQUIRE_FALSE(stalled.ok());
  CHECK(stalled.error().text.find("it is hanging") != std::string::npos);

  client::HangingScope scope;
  scope.topic = world.snapshots;
  scope.age_min = Duration();
  const auto found = world.run(
      client::find_hanging_transactions(world.client, scope, to_timestamp(world.now()) + 1000));
  REQUIRE(found->found.size() == 1);
  const client::HangingTransaction& hanging = found->found.front();
  CHECK(hanging.producer.producer_id == session.identity().id);
  CHECK(hanging.transactional_id == world.group + "-late");
  client::AbortMarker marker;
  marker.partition = hanging.partition;
  marker.producer_id = hanging.producer.producer_id;
  marker.producer_epoch = static_cast<std::int16_t>(hanging.producer.producer_epoch);
  marker.coordinator_epoch = hanging.producer.coordinator_epoch;
  CHECK(world.run(client::write_abort_marker(world.client, marker)).value() == ErrorCode::none);
  CHECK(world.nothing_is_open());
  CHECK(world.state() == "");
}
