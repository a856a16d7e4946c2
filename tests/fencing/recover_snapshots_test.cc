// Recovery: complete up to the captured bound, or a loud failure that says why.
#include "fencing/recover_snapshots.h"

#include "protocol/messages/describe_producers.h"
#include "protocol/messages/describe_transactions.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/list_transactions.h"
#include "protocol/records/record_batch.h"
#include "tests/catch.h"
#include "tests/client/world.h"

using namespace fencepost;
using namespace fencepost::fencing;
using protocol::ApiKey;
using protocol::ControlType;
using protocol::ErrorCode;
using protocol::FetchRequest;
using protocol::ListOffsetsRequest;

namespace {

const client::TopicPartition state_0{"state", 0};

// A partition whose last stable offset, end and batches the test sets by hand.
struct RecoveryWorld : client::World {
  RecoveryWorld() {
    serve_topic("state", 1);
    broker.on<ListOffsetsRequest>([this](const ListOffsetsRequest& request, int) {
      protocol::ListOffsetsResponse response;
      auto& topic = response.topics.emplace_back();
      topic.name = "state";
      auto& partition = topic.partitions.emplace_back();
      const bool is_earliest = request.topics.at(0).partitions.at(0).timestamp == -2;
      partition.offset = is_earliest ? 0 : request.isolation_level == 1 ? stable : end;
      return std::optional(response);
    });
    broker.on<FetchRequest>([this](const FetchRequest& request, int) {
      return std::optional(answer(request.topics.at(0).partitions.at(0).fetch_offset));
    });
  }
  // One batch an answer, up to the last stable offset.
  protocol::FetchResponse answer(std::int64_t offset) {
    if (on_fetch) on_fetch();
    protocol::FetchResponse response;
    auto& topic = response.responses.emplace_back();
    topic.topic_id = Uuid{{7}};
    auto& partition = topic.partitions.emplace_back();
    partition.error_code = fetch_error;
    partition.aborted_transactions = aborted;
    for (const SharedBytes& bytes : batches) {
      const auto header = protocol::RecordBatchView::open(bytes).value().header();
      if (header.last_offset() < offset || header.last_offset() >= stable) continue;
      partition.records = protocol::Records{bytes};
      break;
    }
    return response;
  }
  void append(const SharedBytes& batch) {
    const auto view = protocol::RecordBatchView::open(batch).value();
    batches.push_back(protocol::with_offset(view, end, 0));
    end += view.header().last_offset_delta + 1;
  }
  void write(std::int64_t producer_id, const std::string& key, const char* value) {
    protocol::RecordBatchOptions options;
    options.producer_id = producer_id;
    options.producer_epoch = 0;
    options.base_sequence = 0;
    options.is_transactional = true;
    protocol::NewRecord record;
    record.key = SharedBytes::copy_of(key);
    if (value != nullptr) record.value = SharedBytes::copy_of(std::string_view(value));
    append(protocol::build_batch(options, {record}));
  }
  void mark(std::int64_t producer_id, ControlType type) {
    append(protocol::build_marker({type, 0}, producer_id, 0, 0));
  }
  Result<Recovery> recover(RecoveryOptions options = {}) {
    return run(recover_snapshots(cluster, state_0, options));
  }

  std::vector<SharedBytes> batches;
  std::vector<protocol::FetchResponse::AbortedTransaction> aborted;
  std::int64_t stable = 0;
  std::int64_t end = 0;
  ErrorCode fetch_error = ErrorCode::none;
  std::function<void()> on_fetch;
};

// k1 in a transaction that is open, k2 committed behind it.
void write_behind_an_open_transaction(RecoveryWorld& world) {
  world.write(1, "k1", "s1");
  world.write(2, "k2", "s2");
  world.mark(2, ControlType::commit);
}

// At the leader: producer 1 has had a transaction open since offset 0.
void show_open_transaction(RecoveryWorld& world) {
  world.broker.on<protocol::DescribeProducersRequest>([](const auto&, int) {
    protocol::DescribeProducersResponse response;
    auto& producer =
        response.topics.emplace_back().partitions.emplace_back().active_producers.emplace_back();
    producer.producer_id = 1;
    producer.producer_epoch = 6;
    producer.current_txn_start_offset = 0;
    return std::optional(response);
  });
}

// At the coordinator: it is of x-0.
void show_transactional_id(RecoveryWorld& world) {
  world.broker.on<protocol::ListTransactionsRequest>([](const auto&, int) {
    protocol::ListTransactionsResponse response;
    auto& transaction = response.transaction_states.emplace_back();
    transaction.transactional_id = "x-0";
    transaction.producer_id = 1;
    return std::optional(response);
  });
}

std::string text_of(const Recovery& recovery) {
  std::string text;
  for (const auto& [key, value] : recovery.snapshots)
    text += key + "=" + std::string(value.text()) + " ";
  return text;
}

}  // namespace

TEST_CASE("A recovery gives the latest committed value of each key", "[fencing]") {
  RecoveryWorld world;
  world.write(1, "a", "old");
  world.write(1, "b", "gone");
  world.write(1, "a", "new");
  world.write(1, "b", nullptr);
  world.mark(1, ControlType::commit);
  world.stable = world.end;
  const Recovery recovery = world.recover().value();
  CHECK(text_of(recovery) == "a=new ");
  CHECK(recovery.position == 5);
  CHECK(recovery.records_read == 4);
  CHECK_FALSE(recovery.had_to_wait());
}

TEST_CASE("A topic without records is recovered at once", "[fencing]") {
  RecoveryWorld world;
  CHECK(world.recover().value().snapshots.empty());
  CHECK(world.broker.count(ApiKey::fetch) == 0);
}

TEST_CASE("Bounded by the last stable offset a recovery misses what is committed above it",
          "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  RecoveryOptions options;
  options.bound = RecoveryBound::last_stable_offset;
  CHECK(text_of(world.recover(options).value()) == "");
}

TEST_CASE("Bounded by the high watermark a recovery waits for the open transaction", "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  const Instant timed_out = world.clock.now() + std::chrono::seconds(71);
  world.on_fetch = [&world, timed_out] {
    if (world.clock.now() < timed_out || world.stable > 0) return;
    world.mark(1, ControlType::abort);
    world.aborted.emplace_back().producer_id = 1;
    world.stable = world.end;
  };
  const Recovery recovery = world.recover().value();
  CHECK(text_of(recovery) == "k2=s2 ");
  CHECK(recovery.had_to_wait());
  CHECK(recovery.target == 3);
  CHECK(world.clock.now() >= timed_out);
}

TEST_CASE("What is committed behind the bound after its capture is left out", "[fencing]") {
  RecoveryWorld world;
  world.write(1, "a", "1");
  world.mark(1, ControlType::commit);
  world.stable = world.end;
  world.on_fetch = [&world] {
    if (world.end > 2) return;
    world.write(1, "a", "2");
    world.mark(1, ControlType::commit);
    world.stable = world.end;
  };
  CHECK(text_of(world.recover().value()) == "a=1 ");
}

TEST_CASE("A recovery that stalls names the open transaction", "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  show_open_transaction(world);
  show_transactional_id(world);
  world.broker.on<protocol::DescribeTransactionsRequest>([](const auto&, int) {
    protocol::DescribeTransactionsResponse response;
    auto& transaction = response.transaction_states.emplace_back();
    transaction.transactional_id = "x-0";
    transaction.transaction_start_time_ms = 3'600'000 - 20'000;
    return std::optional(response);
  });
  const Instant begin = world.clock.now();
  const Error error = world.recover().error();
  CHECK(error.kind == ErrorKind::stalled);
  CHECK(error.text ==
        "recovery of state-0 stopped at offset 0 of 3 without progress for 180 s: the "
        "transaction of producer 1 (epoch 6, transactional.id x-0, begun 200 s ago) is open "
        "since offset 0");
  CHECK(world.clock.now() - begin >= std::chrono::minutes(3));
  CHECK(world.clock.now() - begin < std::chrono::minutes(3) + std::chrono::seconds(2));
}

TEST_CASE("A stalled recovery that cannot learn whose transaction it is says so", "[fencing]") {
  RecoveryWorld world;
  world.broker.withdraw(ApiKey::describe_producers);
  write_behind_an_open_transaction(world);
  const Error error = world.recover().error();
  CHECK(error.kind == ErrorKind::stalled);
  CHECK(error.text.find("an open transaction holds back the last stable offset") !=
        std::string::npos);
}

TEST_CASE("A transaction that no coordinator knows is called hanging", "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  show_open_transaction(world);
  world.broker.on<protocol::ListTransactionsRequest>(
      [](const auto&, int) { return std::optional(protocol::ListTransactionsResponse()); });
  const Error error = world.recover().error();
  CHECK(error.text.find("which no coordinator knows: it is hanging") != std::string::npos);
}

TEST_CASE("A transaction that its coordinator has ended is called hanging", "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  show_open_transaction(world);
  show_transactional_id(world);
  world.broker.on<protocol::DescribeTransactionsRequest>([](const auto&, int) {
    protocol::DescribeTransactionsResponse response;
    response.transaction_states.emplace_back().transaction_state = "CompleteAbort";
    return std::optional(response);
  });
  const Error error = world.recover().error();
  CHECK(error.text.find("x-0, which has ended as CompleteAbort: it is hanging") !=
        std::string::npos);
}

TEST_CASE("A re-read that fails does not hide the stall", "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  world.on_fetch = [&world] {
    world.broker.on_raw(ApiKey::list_offsets,
                        [](const client::ReceivedRequest&) { return client::Answer{}; });
  };
  const Error error = world.recover().error();
  CHECK(error.kind == ErrorKind::stalled);
  CHECK(error.text.find("stopped at offset 0 of 3 without progress for 180 s: the leader cannot "
                        "be asked") != std::string::npos);
}

TEST_CASE("A target above the last stable offset is warned of, once", "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  std::vector<std::string> warnings;
  std::vector<std::int64_t> positions;
  RecoveryOptions options;
  options.on_warning = [&warnings](const std::string& text) { warnings.push_back(text); };
  options.on_progress = [&positions](const RecoveryProgress& it) {
    positions.push_back(it.position);
  };
  world.on_fetch = [&world] { world.stable = world.end; };
  CHECK(world.recover(options).ok());
  CHECK(warnings == std::vector<std::string>{
                        "a transaction is open on state-0: reading up to 3 has to wait for its "
                        "end, the last stable offset is 0"});
  CHECK(positions.front() == 0);
  CHECK(positions.back() == 3);
}

TEST_CASE("A recovery that nobody wants any more ends", "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  RecoveryOptions options;
  options.should_stop = [&world] { return world.broker.count(ApiKey::fetch) >= 2; };
  const Instant begin = world.clock.now();
  CHECK(world.recover(options).error().kind == ErrorKind::closed);
  CHECK(world.clock.now() - begin < std::chrono::seconds(2));
}

TEST_CASE("Each advance begins the stall timeout anew", "[fencing]") {
  RecoveryWorld world;
  for (int i = 0; i < 4; ++i) world.write(1, "k", "v");
  const Instant begin = world.clock.now();
  world.on_fetch = [&world, begin] {
    world.stable = (world.clock.now() - begin) / std::chrono::minutes(2);
  };
  CHECK(world.recover().ok());
  CHECK(world.clock.now() - begin >= std::chrono::minutes(8));
}

TEST_CASE("A log that ends below the target is reported as truncated", "[fencing]") {
  RecoveryWorld world;
  write_behind_an_open_transaction(world);
  world.on_fetch = [&world] { world.end = 1; };
  const Error error = world.recover().error();
  CHECK(error.kind == ErrorKind::malformed);
  CHECK(error.text.find("the log ends at 1, below the target: it was truncated") !=
        std::string::npos);
}

TEST_CASE("A leader that moved is looked up again and the recovery goes on", "[fencing]") {
  RecoveryWorld world;
  world.write(1, "a", "1");
  world.mark(1, ControlType::commit);
  world.stable = world.end;
  world.fetch_error = ErrorCode::not_leader_or_follower;
  world.on_fetch = [&world] {
    if (world.broker.count(ApiKey::fetch) > 2) world.fetch_error = ErrorCode::none;
  };
  CHECK(text_of(world.recover().value()) == "a=1 ");
  CHECK(world.broker.count(ApiKey::metadata) >= 2);
}

TEST_CASE("An answer that makes going on pointless ends the recovery at once", "[fencing]") {
  RecoveryWorld world;
  world.write(1, "a", "1");
  world.fetch_error = ErrorCode::topic_authorization_failed;
  const Instant begin = world.clock.now();
  const Error error = world.recover().error();
  CHECK(error.kind == ErrorKind::stalled);
  CHECK(error.text ==
        "recovery of state-0 stopped at offset 0 of 1: the last fetch failed: "
        "TOPIC_AUTHORIZATION_FAILED");
  CHECK(world.clock.now() == begin);
}
