// Sessions that were played against real brokers, and what these wrote into __transaction_state:
// the same requests at the same times have to leave the same bytes.
#include "tests/minibroker/transaction/fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

namespace {

// A broker whose first producer id is `first`, at a time of the recording.
Fixture recorded(Era era, std::int64_t first) {
  Fixture f(era);
  f.coordinator = TransactionCoordinator({.partition_count = 1}, era, f.now);
  f.coordinator.load(0, Fixture::first_coordinator_epoch, {}, f.now);
  f.coordinator.add_producer_ids(first, 1000);
  return f;
}

void at(Fixture& f, std::int64_t timestamp) {
  f.now = Instant(milliseconds(timestamp));
}

// The decision that was asked for is replicated at `timestamp`; then come the markers.
void decided_at(Fixture& f, std::int64_t timestamp) {
  at(f, timestamp);
  f.log_ok();
  f.markers_ok();
}

std::vector<std::string> values(const Fixture& f) {
  std::vector<std::string> all;
  for (const protocol::Record& record : f.log.records)
    all.push_back(record.value ? to_hex(record.value->view()) : "null");
  return all;
}

}  // namespace

TEST_CASE("Kafka 4.4.0 wrote this: aborts of nothing, a takeover, bumps, a classic abort",
          "[transaction][log]") {
  Fixture f = recorded(newest_era(), 0);
  at(f, 0x01a22ab439f6);
  f.init("t");
  at(f, 0x01a22ab43a18);
  f.init("t");
  at(f, 0x01a22ab43a28);
  f.ask_end("t", {0, 1}, false);
  decided_at(f, 0x01a22ab43a30);
  CHECK(f.end_answer() == Answer{ErrorCode::none, {0, 2}});
  at(f, 0x01a22ab43b11);
  f.add("t", {0, 2}, {{"A", 0}});
  at(f, 0x01a22ab43b1d);
  f.ask_init("t");
  decided_at(f, 0x01a22ab43b20);
  CHECK(f.init_answer() == refused(ErrorCode::concurrent_transactions));
  at(f, 0x01a22ab43c50);
  CHECK(f.init("t", {0, 2}) == Answer{ErrorCode::none, {0, 3}});
  at(f, 0x01a22ab43c53);
  CHECK(f.init("t", {0, 3}) == Answer{ErrorCode::none, {0, 4}});
  at(f, 0x01a22ab43c57);
  f.init("t");
  at(f, 0x01a22ab43c66);
  f.add("t", {0, 5}, {{consumer_offsets_topic, 3}});
  at(f, 0x01a22ab43c76);
  f.ask_end("t", {0, 5}, false, 4);
  decided_at(f, 0x01a22ab43c79);
  CHECK(f.end_answer() == refused(ErrorCode::none));
  CHECK(values(f) ==
        std::vector<std::string>{
            "0001000000000000000000000000ea600000000001a22ab439f6ffffffffffffffff01000800000000000"
            "00000",
            "0001000000000000000000010000ea600000000001a22ab43a18ffffffffffffffff01000800000000000"
            "00000",
            "0001000000000000000000020000ea600301000001a22ab43a28000001a22ab43a2802000800000000000"
            "0000002020002",
            "0001000000000000000000020000ea600501000001a22ab43a30000001a22ab43a2802000800000000000"
            "0000002020002",
            "0001000000000000000000020000ea6001020241020000000000000001a22ab43b11000001a22ab43b110"
            "100080000000000000000",
            "0001000000000000000000030000ea6003020241020000000000000001a22ab43b1d000001a22ab43b110"
            "20008000000000000000002020002",
            "0001000000000000000000030000ea600501000001a22ab43b20000001a22ab43b1102000800000000000"
            "0000002020002",
            "0001000000000000000000030000ea600000000001a22ab43c50ffffffffffffffff02000800000000000"
            "0000002020002",
            "0001000000000000000000040000ea600000000001a22ab43c53ffffffffffffffff02000800000000000"
            "0000002020002",
            "0001000000000000000000050000ea600000000001a22ab43c57ffffffffffffffff02000800000000000"
            "0000002020002",
            "0001000000000000000000050000ea600102135f5f636f6e73756d65725f6f66667365747302000000030"
            "0000001a22ab43c66000001a22ab43c660100080000000000000000",
            "0001000000000000000000050000ea600302135f5f636f6e73756d65725f6f66667365747302000000030"
            "0000001a22ab43c76000001a22ab43c660100080000000000000000",
            "0001000000000000000000050000ea600501000001a22ab43c79000001a22ab43c6601000800000000000"
            "00000",
        });
}

TEST_CASE("Kafka 4.4.0 wrote this: a commit at the last epoch", "[transaction][log]") {
  Fixture f = recorded(newest_era(), 3);
  at(f, 0x01a22ab4958b);
  TransactionValues last;
  last.producer_id = 2;
  last.previous_producer_id = 2;
  last.producer_epoch = 32766;
  last.timeout = milliseconds(60'000);
  last.last_update = f.now;
  f.given("o", last);
  at(f, 0x01a22ab4958e);
  f.add("o", {2, 32766}, {{"A", 0}});
  at(f, 0x01a22ab4958f);
  f.end("o", {2, 32766}, true);
  f.markers_ok();
  at(f, 0x01a22ab496c1);
  CHECK(f.init("o", {2, 32766}) == Answer{ErrorCode::none, {3, 0}});
  CHECK(values(f) ==
        std::vector<std::string>{
            "000100000000000000027ffe0000ea600000000001a22ab4958bffffffffffffffff01000800000000000"
            "00002",
            "000100000000000000027ffe0000ea6001020241020000000000000001a22ab4958e000001a22ab4958e0"
            "100080000000000000002",
            "000100000000000000027fff0000ea6002020241020000000000000001a22ab4958f000001a22ab4958e0"
            "3000800000000000000020108000000000000000302020002",
            "0001000000000000000300000000ea600401000001a22ab4958f000001a22ab4958e02000800000000000"
            "0000202020002",
            "0001000000000000000300000000ea600000000001a22ab496c1ffffffffffffffff02000800000000000"
            "0000302020002",
        });
}

TEST_CASE("Kafka 3.9.2 wrote this: a takeover, a bump and its repeat, a commit",
          "[transaction][log]") {
  Fixture f = recorded(classic_era(), 0);
  at(f, 0x01a22ab55dbe);
  f.init("t");
  at(f, 0x01a22ab55dd5);
  f.init("t");
  at(f, 0x01a22ab55dea);
  f.add("t", {0, 1}, {{"A", 0}});
  at(f, 0x01a22ab55df5);
  f.ask_init("t");
  decided_at(f, 0x01a22ab55dfc);
  CHECK(f.init_answer() == refused(ErrorCode::concurrent_transactions));
  CHECK(f.init("t", {0, 1}) == refused(ErrorCode::producer_fenced));
  at(f, 0x01a22ab55f38);
  CHECK(f.init("t", {0, 2}) == Answer{ErrorCode::none, {0, 3}});
  at(f, 0x01a22ab55f3b);
  CHECK(f.init("t", {0, 2}) == Answer{ErrorCode::none, {0, 3}});
  at(f, 0x01a22ab55f3d);
  f.init("t");
  at(f, 0x01a22ab55f40);
  f.add("t", {0, 4}, {{"A", 0}});
  at(f, 0x01a22ab55f53);
  f.ask_end("t", {0, 4}, true, 4);
  decided_at(f, 0x01a22ab55f55);
  CHECK(f.end_answer() == refused(ErrorCode::none));
  CHECK(values(f) ==
        std::vector<std::string>{
            "0000000000000000000000000000ea6000ffffffff000001a22ab55dbeffffffffffffffff",
            "0000000000000000000000010000ea6000ffffffff000001a22ab55dd5ffffffffffffffff",
            "0000000000000000000000010000ea6001000000010001410000000100000000000001a22ab55dea00000"
            "1a22ab55dea",
            "0000000000000000000000020000ea6003000000010001410000000100000000000001a22ab55df500000"
            "1a22ab55dea",
            "0000000000000000000000020000ea600500000000000001a22ab55dfc000001a22ab55dea",
            "0000000000000000000000030000ea6000ffffffff000001a22ab55f38ffffffffffffffff",
            "0000000000000000000000030000ea6000ffffffff000001a22ab55f3bffffffffffffffff",
            "0000000000000000000000040000ea6000ffffffff000001a22ab55f3dffffffffffffffff",
            "0000000000000000000000040000ea6001000000010001410000000100000000000001a22ab55f4000000"
            "1a22ab55f40",
            "0000000000000000000000040000ea6002000000010001410000000100000000000001a22ab55f5300000"
            "1a22ab55f40",
            "0000000000000000000000040000ea600400000000000001a22ab55f55000001a22ab55f40",
        });
}

}  // namespace fencepost::minibroker::transaction
