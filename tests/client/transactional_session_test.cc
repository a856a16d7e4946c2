// The transaction APIs on the wire: what the session remembers, what can be overridden, and which
// versions belong to which transaction version.
#include "client/transactional_session.h"

#include "client/response_error.h"
#include "tests/catch.h"
#include "tests/client/world.h"

using namespace fencepost;
using namespace fencepost::client;
using protocol::ApiKey;
using protocol::EndTxnRequest;
using protocol::ErrorCode;
using protocol::InitProducerIdRequest;
using protocol::ProduceRequest;
using protocol::RecordBatchHeader;

namespace {

const TopicPartition state_0{"state", 0};
const TopicPartition state_1{"state", 1};

// What a produce request held.
struct Produced {
  RecordBatchHeader header;
  std::optional<std::string> transactional_id;
  int version = 0;
};

struct TransactionWorld : World {
  TransactionWorld() {
    serve_topic("state", 2);
    broker.on<InitProducerIdRequest>([this](const InitProducerIdRequest& request, int) {
      inits.push_back(request);
      protocol::InitProducerIdResponse response;
      response.producer_id = 40;
      response.producer_epoch = next_epoch++;
      return std::optional(response);
    });
    broker.on<ProduceRequest>([this](const ProduceRequest& request, int version) {
      const auto& topic = request.topic_data.at(0);
      const auto& data = topic.partition_data.at(0);
      const auto batch = protocol::RecordBatchView::open(data.records->bytes).value();
      produced.push_back({batch.header(), request.transactional_id, version});
      protocol::ProduceResponse response;
      auto& answer = response.responses.emplace_back();
      answer.name = topic.name;
      answer.topic_id = topic.topic_id;
      answer.partition_responses.emplace_back().error_code = produce_error;
      return is_silent ? std::nullopt : std::optional(response);
    });
    broker.on<EndTxnRequest>([this](const EndTxnRequest& request, int version) {
      ends.push_back(request);
      end_versions.push_back(version);
      protocol::EndTxnResponse response;
      response.error_code = end_error;
      if (version >= 5) {
        response.producer_id = request.producer_id;
        response.producer_epoch = static_cast<std::int16_t>(request.producer_epoch + 1);
      }
      return std::optional(response);
    });
  }
  void init() {
    REQUIRE(run(session.init_producer_id(std::chrono::seconds(60))).value().producer_id == 40);
  }
  Result<protocol::ProduceResponse> produce(TopicPartition partition, int count = 1,
                                            ProducerOverrides overrides = {}) {
    return run(session.produce(call(std::move(partition), count, std::move(overrides))));
  }
  static ProduceCall call(TopicPartition partition, int count = 1,
                          ProducerOverrides overrides = {}) {
    ProduceCall call;
    call.partition = std::move(partition);
    for (int i = 0; i < count; ++i)
      call.records.push_back({protocol::no_timestamp, std::nullopt, SharedBytes::copy_of("v")});
    call.overrides = std::move(overrides);
    return call;
  }

  std::int16_t next_epoch = 0;
  ErrorCode produce_error = ErrorCode::none;
  ErrorCode end_error = ErrorCode::none;
  bool is_silent = false;
  std::vector<InitProducerIdRequest> inits;
  std::vector<Produced> produced;
  std::vector<EndTxnRequest> ends;
  std::vector<int> end_versions;
  TransactionalSession session{cluster, "t"};
};

}  // namespace

TEST_CASE("An answer that a later call has overtaken does not make its session the owner again",
          "[client]") {
  TransactionWorld world;
  world.init();
  const ProducerIdentity before = world.session.identity();
  const auto late = world.start(world.session.init_producer_id(std::chrono::seconds(60)));
  const auto again = world.start(world.session.init_producer_id(std::chrono::seconds(60)));
  world.broker.on<InitProducerIdRequest>([answered = 0](const InitProducerIdRequest&, int) mutable {
    protocol::InitProducerIdResponse response;
    response.producer_id = 40;
    response.producer_epoch = 9;
    return answered++ == 0 ? std::optional(response) : std::nullopt;
  });
  CHECK(world.finish(late).value().producer_epoch == 9);
  CHECK(world.session.identity() == before);
  CHECK_FALSE(world.finish(again).ok());
  CHECK(world.session.identity() == before);
}

TEST_CASE("InitProducerId gives the identity that later calls use", "[client]") {
  TransactionWorld world;
  world.init();
  CHECK(world.inits.at(0).transactional_id == "t");
  CHECK(world.inits.at(0).transaction_timeout_ms == 60000);
  CHECK(world.inits.at(0).producer_id == -1);
  REQUIRE(world.produce(state_0).ok());
  const Produced& produced = world.produced.at(0);
  CHECK(produced.header.producer_id == 40);
  CHECK(produced.header.producer_epoch == 0);
  CHECK(produced.header.is_transactional());
  CHECK(produced.transactional_id == "t");
  CHECK(produced.header.base_timestamp == 3600000);
}

TEST_CASE("Sequences run on per partition and begin anew with each epoch", "[client]") {
  TransactionWorld world;
  world.init();
  REQUIRE(world.produce(state_0, 3).ok());
  REQUIRE(world.produce(state_0, 1).ok());
  REQUIRE(world.produce(state_1, 1).ok());
  CHECK(world.session.next_sequence(state_0) == 4);
  world.init();
  REQUIRE(world.produce(state_0, 1).ok());
  std::vector<std::int32_t> sequences;
  for (const Produced& it : world.produced) sequences.push_back(it.header.base_sequence);
  CHECK(sequences == std::vector<std::int32_t>{0, 3, 0, 0});
}

TEST_CASE("Batches in flight together have different sequences", "[client]") {
  TransactionWorld world;
  world.init();
  const auto first = world.start(world.session.produce(world.call(state_0, 2)));
  const auto second = world.start(world.session.produce(world.call(state_0, 2)));
  CHECK(world.finish(first).ok());
  CHECK(world.finish(second).ok());
  CHECK(world.produced.at(1).header.base_sequence == 2);
}

TEST_CASE("A refused batch gives its sequence back, a batch of unknown outcome does not",
          "[client]") {
  TransactionWorld world;
  world.init();
  world.produce_error = ErrorCode::not_leader_or_follower;
  CHECK(first_error(world.produce(state_0).value()) == ErrorCode::not_leader_or_follower);
  CHECK(world.session.next_sequence(state_0) == 0);
  world.produce_error = ErrorCode::duplicate_sequence_number;
  CHECK(world.produce(state_0).ok());
  CHECK(world.session.next_sequence(state_0) == 1);
  world.is_silent = true;
  CHECK(world.produce(state_0).error().kind == ErrorKind::unknown_outcome);
  CHECK(world.session.next_sequence(state_0) == 2);
}

TEST_CASE("A batch can be sent again with its sequence", "[client]") {
  TransactionWorld world;
  world.init();
  ProduceCall call = world.call(state_0);
  call.base_sequence = world.session.reserve_sequence(state_0, 1);
  CHECK(world.run(world.session.produce(call)).ok());
  CHECK(world.run(world.session.produce(call)).ok());
  CHECK(world.produced.at(0).header.base_sequence == 0);
  CHECK(world.produced.at(1).header.base_sequence == 0);
  CHECK(world.session.next_sequence(state_0) == 1);
}

TEST_CASE("A zombie goes on with the sequences of its old epoch", "[client]") {
  TransactionWorld world;
  world.init();
  REQUIRE(world.produce(state_0, 5).ok());
  world.init();
  ProducerOverrides zombie;
  zombie.producer_epoch = 0;
  REQUIRE(world.produce(state_0, 1, zombie).ok());
  CHECK(world.produced.back().header.producer_epoch == 0);
  CHECK(world.produced.back().header.base_sequence == 5);
  CHECK(world.session.identity() == ProducerIdentity{40, 1});
  CHECK(world.session.next_sequence(state_0) == 0);
}

TEST_CASE("A sequence wraps behind the largest number", "[client]") {
  TransactionWorld world;
  world.init();
  world.session.reserve_sequence(state_0, 2147483647);
  CHECK(world.session.reserve_sequence(state_0, 1) == 2147483647);
  CHECK(world.session.next_sequence(state_0) == 0);
}

TEST_CASE("At transaction version 2 EndTxn v5 bumps the epoch and Produce adds partitions",
          "[client]") {
  TransactionWorld world;
  world.broker.set_feature("transaction.version", 2);
  world.init();
  CHECK_FALSE(world.session.needs_add_partitions());
  REQUIRE(world.produce(state_0).ok());
  CHECK(world.produced.back().version == 13);
  REQUIRE(world.run(world.session.end_txn(true)).ok());
  CHECK(world.end_versions.back() == 5);
  CHECK(world.session.identity() == ProducerIdentity{40, 1});
  CHECK(world.session.next_sequence(state_0) == 0);
}

TEST_CASE("A session does not remember the sequences of every transaction it has had", "[client]") {
  TransactionWorld world;
  world.broker.set_feature("transaction.version", 2);
  world.init();
  REQUIRE(world.produce(state_0).ok());
  for (int i = 0; i < 40; ++i) REQUIRE(world.run(world.session.end_txn(true)).ok());
  world.session.set_identity({40, 0});
  CHECK(world.session.next_sequence(state_0) == 0);
}

TEST_CASE("Below transaction version 2 the older versions are used and the epoch stays",
          "[client]") {
  TransactionWorld world;
  SECTION("because the cluster has not finalized the feature") {}
  SECTION("because Produce cannot add partitions") {
    world.broker.set_feature("transaction.version", 2);
    world.broker.offer(ApiKey::produce, 3, 11);
  }
  SECTION("because the session is told so") {
    world.broker.set_feature("transaction.version", 2);
    world.session.limit_transaction_version(0);
  }
  world.init();
  CHECK(world.session.needs_add_partitions());
  REQUIRE(world.produce(state_0).ok());
  CHECK(world.produced.back().version == 11);
  REQUIRE(world.run(world.session.end_txn(true)).ok());
  CHECK(world.end_versions.back() == 4);
  CHECK(world.session.identity() == ProducerIdentity{40, 0});
  CHECK(world.session.next_sequence(state_0) == 1);
}

TEST_CASE("An EndTxn that fails, or is a zombie's, does not change the identity", "[client]") {
  TransactionWorld world;
  world.broker.set_feature("transaction.version", 2);
  world.init();
  world.end_error = ErrorCode::concurrent_transactions;
  CHECK(world.run(world.session.end_txn(true)).ok());
  CHECK(world.session.identity() == ProducerIdentity{40, 0});
  world.end_error = ErrorCode::none;
  ProducerOverrides zombie;
  zombie.producer_epoch = 7;
  CHECK(world.run(world.session.end_txn(false, zombie)).ok());
  CHECK(world.ends.back().producer_epoch == 7);
  CHECK(world.session.identity() == ProducerIdentity{40, 0});
}

TEST_CASE("AddPartitionsToTxn groups by topic and takes the clients' version", "[client]") {
  TransactionWorld world;
  world.init();
  using Request = protocol::AddPartitionsToTxnRequest;
  std::vector<Request> requests;
  world.broker.on<Request>([&requests](const Request& request, int) {
    requests.push_back(request);
    return std::optional(protocol::AddPartitionsToTxnResponse());
  });
  const std::vector<TopicPartition> partitions{state_0, {"other", 4}, state_1};
  CHECK(world.run(world.session.add_partitions_to_txn(partitions)).ok());
  CHECK(world.broker.received.back().version == 3);
  REQUIRE(requests.at(0).v3_and_below_topics.size() == 2);
  CHECK(requests.at(0).v3_and_below_topics.at(0).partitions == std::vector<std::int32_t>{0, 1});
  CHECK(requests.at(0).v3_and_below_producer_id == 40);
  ProducerOverrides as_a_broker;
  as_a_broker.call.version_max = 5;
  CHECK(world.run(world.session.add_partitions_to_txn(partitions, as_a_broker)).ok());
  CHECK(world.broker.received.back().version == 5);
  CHECK(requests.at(1).transactions.at(0).transactional_id == "t");
}

TEST_CASE("TxnOffsetCommit shows the generation that it is given", "[client]") {
  TransactionWorld world;
  world.init();
  using Request = protocol::TxnOffsetCommitRequest;
  std::optional<Request> seen;
  world.broker.on<Request>([&seen](const Request& request, int) {
    seen = request;
    protocol::TxnOffsetCommitResponse response;
    auto& topic = response.topics.emplace_back();
    topic.name = "in";
    topic.partitions.emplace_back().error_code = ErrorCode::illegal_generation;
    return std::optional(response);
  });
  GroupMetadata group{"g", 6, "m"};
  std::vector<CommittedOffset> offsets{{{"in", 0}, 17}};
  const auto response = world.run(world.session.txn_offset_commit(group, offsets));
  CHECK(first_error(response.value()) == ErrorCode::illegal_generation);
  CHECK(world.broker.received.back().version == 4);
  CHECK(seen->generation_id_or_member_epoch == 6);
  CHECK(seen->member_id == "m");
  CHECK(seen->topics.at(0).partitions.at(0).committed_offset == 17);
}

TEST_CASE("A session without a transactional.id is an idempotent or a plain producer", "[client]") {
  TransactionWorld world;
  TransactionalSession plain(world.cluster);
  REQUIRE(world.run(plain.produce(world.call(state_0))).ok());
  CHECK_FALSE(world.produced.back().header.has_producer_id());
  CHECK(world.produced.back().header.base_sequence == -1);
  CHECK_FALSE(world.produced.back().header.is_transactional());
  REQUIRE(world.run(plain.init_producer_id(std::chrono::seconds(1))).ok());
  CHECK(world.inits.back().transactional_id == std::nullopt);
  REQUIRE(world.run(plain.produce(world.call(state_0))).ok());
  CHECK(world.produced.back().header.producer_id == 40);
  CHECK_FALSE(world.produced.back().header.is_transactional());
  CHECK(world.produced.back().transactional_id == std::nullopt);
}

TEST_CASE("A batch with acks=0 is sent without waiting for an answer", "[client]") {
  TransactionWorld world;
  world.is_silent = true;
  TransactionalSession plain(world.cluster);
  ProduceCall call = world.call(state_0);
  call.acks = 0;
  const Instant begin = world.clock.now();
  CHECK(world.run(plain.produce(call)).ok());
  CHECK(world.clock.now() == begin);
  CHECK(world.produced.size() == 1);
}

TEST_CASE("A batch without records is refused before anything is sent", "[client]") {
  TransactionWorld world;
  CHECK(world.produce(state_0, 0).error().kind == ErrorKind::invalid_argument);
  CHECK(world.broker.received.empty());
}
