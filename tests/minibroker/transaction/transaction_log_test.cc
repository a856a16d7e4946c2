// The records of __transaction_state, byte for byte, and what a damaged one reads as.
#include "minibroker/transaction/transaction_log.h"

#include "tests/catch.h"

namespace fencepost::minibroker::transaction {

namespace {

const Instant written_at(milliseconds(0x0102));

TransactionValues open_transaction() {
  TransactionValues values;
  values.producer_id = 5;
  values.previous_producer_id = 5;
  values.producer_epoch = 3;
  values.timeout = milliseconds(1000);
  values.status = TransactionStatus::ongoing;
  values.partitions = {{"A", 0}, {"A", 2}, {"B", 1}};
  values.started = Instant(milliseconds(16));
  values.last_update = Instant(milliseconds(17));
  return values;
}

std::string hex(const protocol::OptionalBytes& bytes) {
  return to_hex(bytes->view());
}

protocol::Record as_record(const protocol::NewRecord& it) {
  return {0, it.timestamp, it.key, it.value, {}};
}

protocol::OptionalBytes bytes(ByteVector it) {
  return SharedBytes(std::move(it));
}

}  // namespace

TEST_CASE("A key is the record type and the id", "[transaction][log]") {
  protocol::NewRecord record = make_log_record("t", open_transaction(), 0, written_at);
  CHECK(hex(record.key) == "0000000174");
  CHECK(record.timestamp == 0x0102);
}

TEST_CASE("A value of version 0 groups partitions by topic", "[transaction][log]") {
  protocol::NewRecord record = make_log_record("t", open_transaction(), 0, written_at);
  CHECK(hex(record.value) ==
        "0000"
        "0000000000000005"
        "0003"
        "000003e8"
        "01"
        "00000002"
        "000141"
        "00000002"
        "00000000"
        "00000002"
        "000142"
        "00000001"
        "00000001"
        "0000000000000011"
        "0000000000000010");
}

TEST_CASE("A value of version 1 carries what differs from the default as tags",
          "[transaction][log]") {
  TransactionValues values = open_transaction();
  values.partitions = {{"A", 0}};
  values.next_producer_id = 9;
  values.client_transaction_version = transaction_version_2;
  protocol::NewRecord record = make_log_record("t", values, 1, written_at);
  CHECK(hex(record.value) ==
        "0001"
        "0000000000000005"
        "0003"
        "000003e8"
        "01"
        "02"
        "0241"
        "02"
        "00000000"
        "00"
        "0000000000000011"
        "0000000000000010"
        "03"
        "0008"
        "0000000000000005"
        "0108"
        "0000000000000009"
        "0202"
        "0002");
}

TEST_CASE("While Empty the partitions are null and the start is -1", "[transaction][log]") {
  TransactionValues values;
  values.producer_id = 5;
  values.producer_epoch = 0;
  values.timeout = milliseconds(1000);
  values.last_update = Instant(milliseconds(17));
  protocol::NewRecord record = make_log_record("t", values, 0, written_at);
  CHECK(hex(record.value) ==
        "0000"
        "0000000000000005"
        "0000"
        "000003e8"
        "00"
        "ffffffff"
        "0000000000000011"
        "ffffffffffffffff");
}

TEST_CASE("What was written is read again, except for the last epoch", "[transaction][log]") {
  TransactionValues values = open_transaction();
  values.client_transaction_version = transaction_version_2;
  values.next_producer_id = 77;
  values.last_producer_epoch = 2;
  auto entry = read_log_record(as_record(make_log_record("t", values, 1, written_at)));
  REQUIRE(entry.ok());
  REQUIRE(entry->has_value());
  values.last_producer_epoch = -1;
  CHECK((*entry)->transactional_id == "t");
  CHECK((*entry)->values == values);
}

TEST_CASE("Version 0 forgets the previous producer id", "[transaction][log]") {
  auto entry = read_log_record(as_record(make_log_record("t", open_transaction(), 0, written_at)));
  REQUIRE(entry.ok());
  CHECK((*entry)->values->previous_producer_id == -1);
}

TEST_CASE("A tombstone forgets the id", "[transaction][log]") {
  auto entry = read_log_record(as_record(make_tombstone("t", written_at)));
  REQUIRE(entry.ok());
  CHECK(**entry == LogEntry{"t", std::nullopt});
}

TEST_CASE("Records of a later kind or version are left alone", "[transaction][log]") {
  protocol::Record record = as_record(make_log_record("t", open_transaction(), 0, written_at));
  protocol::Record other_kind = record;
  other_kind.key = bytes({0, 1, 0, 1, 't'});
  CHECK_FALSE(read_log_record(other_kind)->has_value());
  protocol::Record other_version = record;
  other_version.value = bytes({0, 2, 9, 9});
  CHECK_FALSE(read_log_record(other_version)->has_value());
}

TEST_CASE("Damaged records are errors", "[transaction][log]") {
  protocol::Record record = as_record(make_log_record("t", open_transaction(), 0, written_at));
  protocol::Record damaged = record;
  damaged.key.reset();
  CHECK_FALSE(read_log_record(damaged).ok());
  damaged.key = bytes({0});
  CHECK_FALSE(read_log_record(damaged).ok());
  damaged.key = bytes({0, 0, 0, 9, 't'});
  CHECK_FALSE(read_log_record(damaged).ok());
  damaged = record;
  damaged.value = bytes({0});
  CHECK_FALSE(read_log_record(damaged).ok());
  for (std::size_t size = 2; size < record.value->size(); ++size) {
    damaged.value = record.value->slice(0, size);
    CHECK_FALSE(read_log_record(damaged).ok());
  }
}

TEST_CASE("A status that is never written, or partitions that are missing, are errors",
          "[transaction][log]") {
  protocol::Record record = as_record(make_log_record("t", open_transaction(), 0, written_at));
  ByteVector value(record.value->view().begin(), record.value->view().end());
  value[16] = 7;
  record.value = bytes(value);
  auto entry = read_log_record(record);
  REQUIRE_FALSE(entry.ok());
  CHECK(entry.error().field == "transactionStatus");

  TransactionValues empty;
  empty.producer_epoch = 0;
  record = as_record(make_log_record("t", empty, 0, written_at));
  value.assign(record.value->view().begin(), record.value->view().end());
  value[16] = 1;  // Ongoing
  record.value = bytes(value);
  entry = read_log_record(record);
  REQUIRE_FALSE(entry.ok());
  CHECK(entry.error().field == "transactionPartitions");
}

}  // namespace fencepost::minibroker::transaction
