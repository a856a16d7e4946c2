// InitProducerId, in the order of its checks; then takeovers, exhausted epochs and failing logs.
#include "tests/minibroker/transaction/fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

namespace {

TransactionValues at_rest(std::int16_t epoch) {
  TransactionValues values;
  values.producer_id = 7;
  values.producer_epoch = epoch;
  values.timeout = milliseconds(60'000);
  return values;
}

TransactionValues open_at(std::int16_t epoch) {
  TransactionValues values = at_rest(epoch);
  values.status = TransactionStatus::ongoing;
  values.partitions = {{"A", 0}};
  values.started = Instant(std::chrono::seconds(1'700'000'000));
  return values;
}

}  // namespace

TEST_CASE("A new transactional.id gets a producer id with epoch 0", "[transaction][init]") {
  Fixture f;
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 0}});
  CHECK(f.status("t") == "Empty");
}

TEST_CASE("InitProducerId is answered when its record is replicated", "[transaction][init]") {
  Fixture f;
  f.ask_init("t");
  CHECK_FALSE(f.is_answered());
  f.log_ok();
  CHECK(f.is_answered());
}

TEST_CASE("Each InitProducerId raises the epoch", "[transaction][init]") {
  Fixture f;
  f.init("t");
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 1}});
}

TEST_CASE("Without a transactional.id the answer is a fresh producer id", "[transaction][init]") {
  Fixture f;
  protocol::InitProducerIdRequest request;
  request.transactional_id.reset();
  request.producer_id = 5;  // ignored
  request.producer_epoch = 5;
  f.coordinator.init_producer_id(Fixture::context(ApiKey::init_producer_id, 5), request, f.now);
  CHECK(f.init_answer() == Answer{ErrorCode::none, {1000, 0}});
  CHECK(f.open_writes() == 0);
}

TEST_CASE("The bump of the current owner keeps its producer id", "[transaction][init]") {
  Fixture f;
  f.init("t");
  CHECK(f.init("t", {1000, 0}) == Answer{ErrorCode::none, {1000, 1}});
}

TEST_CASE("The repeat of a bump returns the current epoch again", "[transaction][init]") {
  Fixture f;
  f.init("t");
  f.init("t", {1000, 0});
  CHECK(f.init("t", {1000, 0}) == Answer{ErrorCode::none, {1000, 1}});
}

TEST_CASE("A bump from an epoch that somebody took over is fenced", "[transaction][init]") {
  Fixture f;
  f.init("t");
  f.init("t");
  CHECK(f.init("t", {1000, 0}) == refused(ErrorCode::producer_fenced));
}

TEST_CASE("A bump with another producer id is fenced", "[transaction][init]") {
  Fixture f;
  f.init("t");
  CHECK(f.init("t", {999, 0}) == refused(ErrorCode::producer_fenced));
  CHECK(f.init("t", {999, 0}, 3) == refused(ErrorCode::invalid_producer_epoch));
}

TEST_CASE("A new id takes any producer that the client names", "[transaction][init]") {
  Fixture f;
  CHECK(f.init("t", {999, 4}) == Answer{ErrorCode::none, {1000, 0}});
}

TEST_CASE("Producer id and epoch come together or not at all", "[transaction][init]") {
  Fixture f;
  CHECK(f.init("t", {1000, -1}) == refused(ErrorCode::invalid_request));
  CHECK(f.init("t", {-1, 0}) == refused(ErrorCode::invalid_request));
}

TEST_CASE("An empty transactional.id is no id", "[transaction][init]") {
  Fixture f;
  CHECK(f.init("") == refused(ErrorCode::invalid_request));
}

TEST_CASE("The timeout is positive and at most transaction.max.timeout.ms", "[transaction][init]") {
  Fixture f;
  f.timeout_ms = 15 * 60 * 1000;
  CHECK(f.init("t").error == ErrorCode::none);
  f.timeout_ms += 1;
  CHECK(f.init("t") == refused(ErrorCode::invalid_transaction_timeout));
  f.timeout_ms = 0;
  CHECK(f.init("t") == refused(ErrorCode::invalid_transaction_timeout));
}

TEST_CASE("A pending change is looked at before the owner", "[transaction][init]") {
  Fixture f;
  f.init("t");
  f.ask_init("t");
  f.ask_init("t", {999, 0});
  CHECK(f.init_answer() == refused(ErrorCode::concurrent_transactions));
  f.log_ok();
  CHECK(f.init_answer() == Answer{ErrorCode::none, {1000, 1}});
}

TEST_CASE("Without producer ids a new id is told to wait", "[transaction][init]") {
  Fixture f;
  TransactionCoordinator bare({.partition_count = 1}, newest_era(), f.now);
  bare.load(0, 1, {}, f.now);
  CHECK(bare.needs_producer_ids());
  f.coordinator = bare;
  CHECK(f.init("t") == refused(ErrorCode::coordinator_load_in_progress));
  CHECK(f.status("t").empty());
  f.coordinator.add_producer_ids(5, 1000);
  CHECK_FALSE(f.coordinator.needs_producer_ids());
  CHECK(f.init("t") == Answer{ErrorCode::none, {5, 0}});
}

TEST_CASE("The next block of producer ids is wanted when a tenth is left", "[transaction][init]") {
  Fixture f;
  for (int i = 0; i < 899; ++i) f.init("t" + std::to_string(i));
  CHECK_FALSE(f.coordinator.needs_producer_ids());
  f.init("last");
  CHECK(f.coordinator.needs_producer_ids());
}

// ---- takeover

TEST_CASE("A takeover aborts what is open and asks to come back", "[transaction][init]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  CHECK(f.status("t") == "PrepareAbort");
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  REQUIRE(f.markers().size() == 1);
  CHECK_FALSE(f.markers()[0].is_commit);
  CHECK(f.markers()[0].producer_epoch == 1);
  f.markers_ok();
  CHECK(f.status("t") == "CompleteAbort");
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("Fence and abort raised the epoch twice before KAFKA-19367", "[transaction][init]") {
  Era era = newest_era();
  era.fences_with_one_bump = false;
  Fixture f(era);
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.init("t");
  f.markers_ok();
  CHECK(f.producer("t") == Producer{1000, 2});
}

TEST_CASE("The classic fence raises the epoch once", "[transaction][init]") {
  Fixture f(classic_era());
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  CHECK(f.markers()[0].producer_epoch == 1);
  f.markers_ok();
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("The owner that bumps with an open transaction fences itself", "[transaction][init]") {
  Fixture f(classic_era());
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  CHECK(f.init("t", {1000, 0}) == refused(ErrorCode::concurrent_transactions));
  f.markers_ok();
  CHECK(f.init("t", {1000, 0}) == refused(ErrorCode::producer_fenced));
}

TEST_CASE("After a newest takeover's abort the old pair still passes as a repeat",
          "[transaction][init]") {
  Fixture f;
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.init("t");
  f.markers_ok();
  // As Kafka 4.4.0 does: the abort left 0 as the last epoch, and nobody has been initialised since.
  CHECK(f.init("t", {1000, 0}) == Answer{ErrorCode::none, {1000, 1}});
  f.init("t");
  CHECK(f.init("t", {1000, 0}) == refused(ErrorCode::producer_fenced));
}

TEST_CASE("An owner that aborts first can bump and keeps its producer id", "[transaction][init]") {
  Fixture f(classic_era());
  f.init("t");
  f.run_transaction("t", {1000, 0}, false, 4);
  CHECK(f.init("t", {1000, 0}) == Answer{ErrorCode::none, {1000, 1}});
}

TEST_CASE("Fencing while the log fails does not eat epochs", "[transaction][init]") {
  Era era = GENERATE(newest_era(), classic_era());
  Fixture f(era);
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  for (int i = 0; i < 5; ++i) {
    f.ask_init("t");
    f.log_fails();
    CHECK(f.init_answer() == refused(ErrorCode::coordinator_not_available));
  }
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  f.markers_ok();
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 2}});
}

TEST_CASE("A fence that failed once does not spare the next owner", "[transaction][init]") {
  Fixture f(classic_era());
  f.init("t");
  f.add("t", {1000, 0}, {{"A", 0}});
  f.ask_init("t");
  f.log_fails();
  f.init_answer();
  f.init("t");
  f.markers_ok();
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 2}});
  f.add("t", {1000, 2}, {{"A", 0}});
  f.init("t");
  CHECK(f.markers()[0].producer_epoch == 3);
}

// ---- the last epochs

TEST_CASE("After epoch 32766 comes a new producer id", "[transaction][init]") {
  Fixture f;
  f.given("t", at_rest(32765));
  CHECK(f.init("t") == Answer{ErrorCode::none, {7, 32766}});
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 0}});
}

TEST_CASE("The repeat of a rotation is recognised by the old producer id", "[transaction][init]") {
  Fixture f;
  f.given("t", at_rest(32766));
  CHECK(f.init("t", {7, 32766}) == Answer{ErrorCode::none, {1000, 0}});
  CHECK(f.init("t", {7, 0}) == refused(ErrorCode::producer_fenced));
  CHECK(f.init("t", {7, 32766}) == Answer{ErrorCode::none, {1000, 0}});
  CHECK(f.init("t", {7, 32765}) == refused(ErrorCode::producer_fenced));
}

TEST_CASE("At the last epoch a stale owner meets Kafka's unchecked exception",
          "[transaction][init]") {
  Fixture f;
  f.given("t", at_rest(32766));
  CHECK(f.init("t", {7, 3}) == refused(ErrorCode::unknown_server_error));
}

TEST_CASE("A classic takeover at the last epoch writes 32767 only into the markers",
          "[transaction][init]") {
  Fixture f(classic_era());
  f.given("t", open_at(32766));
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  CHECK(f.markers()[0].producer_epoch == 32767);
  f.markers_ok();
  CHECK(f.init("t") == Answer{ErrorCode::none, {1000, 0}});
}

TEST_CASE("A takeover at the last epoch moves on to a new producer id", "[transaction][init]") {
  Fixture f;
  f.given("t", open_at(32766));
  f.ask_end("t", {7, 32766}, false);  // delayed: decided after the takeover below
  f.log_fails();
  CHECK(f.end_answer() == refused(ErrorCode::coordinator_not_available));
  CHECK(f.init("t") == refused(ErrorCode::concurrent_transactions));
  CHECK(f.end("t", {7, 32766}, false) == refused(ErrorCode::concurrent_transactions));
  f.markers_ok();
  CHECK(f.producer("t") == Producer{1001, 0});
  CHECK(f.end("t", {7, 32766}, false) == Answer{ErrorCode::none, {1001, 0}});
}

}  // namespace fencepost::minibroker::transaction
