// The files beside a log segment against those that a broker of Kafka 4.4.0 left behind, whose
// content its own dump tool told.
#include "protocol/records/segment_files.h"

#include "tests/golden.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

constexpr std::int64_t base_offset = 3;

ByteVector kafka_file(std::string_view name) {
  for (const golden::Row& row : golden::rows("segment-files.tsv.gz")) {
    if (row[0] != name) continue;
    const SharedBytes bytes = golden::from_hex(row[1]);
    return {bytes.view().begin(), bytes.view().end()};
  }
  FAIL("no file " << name);
  return {};
}

template <class Entry>
std::string index_of(const std::vector<Entry>& entries) {
  Writer writer;
  for (const Entry& entry : entries) write_entry(writer, base_offset, entry);
  return to_hex(writer.finish().flatten().view());
}

void set_byte(ByteVector& file, std::size_t at, std::uint8_t value) {
  REQUIRE(at < file.size());
  REQUIRE(file[at] != value);
  file[at] = value;
}

// ---- .index

TEST_CASE("an offset index is Kafka's in both directions", "[protocol][segment_files]") {
  const ByteVector file = kafka_file("t-0/00000000000000000003.index");
  const auto entries = read_offset_index(file, base_offset);
  REQUIRE(entries.ok());
  CHECK(*entries == std::vector<OffsetIndexEntry>{
                        {6, 228}, {8, 475}, {11, 703}, {13, 950}, {16, 1178}, {18, 1425}});
  CHECK(index_of(*entries) == to_hex(file));
}

TEST_CASE("the part of an index that is allocated but not used holds no entries",
          "[protocol][segment_files]") {
  ByteVector file = kafka_file("t-0/00000000000000000003.index");
  file.resize(4096);
  CHECK(read_offset_index(file, base_offset)->size() == 6);
  file = kafka_file("t-0/00000000000000000003.timeindex");
  file.resize(12 * 100);
  CHECK(read_time_index(file, base_offset)->size() == 7);
  CHECK(read_offset_index(ByteVector(4096), base_offset)->empty());
  CHECK(read_offset_index({}, base_offset)->empty());
}

TEST_CASE("an offset index that is cut off or out of order is refused with the byte",
          "[protocol][segment_files]") {
  ByteVector file = kafka_file("t-0/00000000000000000003.index");
  const auto cut = read_offset_index(ByteView(file).first(20), base_offset);
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().offset == 16);
  ByteVector same_position = file;
  set_byte(same_position, 14, 0x00);
  CHECK(read_offset_index(same_position, base_offset).error().offset == 8);
  set_byte(file, 0, 0x80);
  CHECK(read_offset_index(file, base_offset).error().text == "an offset below the base offset");
}

// ---- .timeindex

TEST_CASE("a time index is Kafka's in both directions", "[protocol][segment_files]") {
  const ByteVector file = kafka_file("t-0/00000000000000000003.timeindex");
  const auto entries = read_time_index(file, base_offset);
  REQUIRE(entries.ok());
  std::vector<std::int64_t> offsets;
  for (const TimeIndexEntry& entry : *entries) offsets.push_back(entry.offset);
  CHECK(offsets == std::vector<std::int64_t>{4, 8, 9, 13, 14, 18, 19});
  CHECK(index_of(*entries) == to_hex(file));
}

TEST_CASE("a time index whose time or offset goes back is refused", "[protocol][segment_files]") {
  const ByteVector file = kafka_file("t-0/00000000000000000003.timeindex");
  ByteVector early = file;
  set_byte(early, 12 + 5, 0x00);
  CHECK(read_time_index(early, base_offset).error().offset == 12);
  ByteVector low = file;
  set_byte(low, 24 + 11, 0x04);
  CHECK(read_time_index(low, base_offset).error().field == "[2]");
  CHECK_FALSE(read_time_index(ByteView(file).first(13), base_offset).ok());
}

// ---- .txnindex

TEST_CASE("an index of aborted transactions is Kafka's in both directions",
          "[protocol][segment_files]") {
  const ByteVector file = kafka_file("t-0/00000000000000000003.txnindex");
  const auto entries = read_transaction_index(file);
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 2);
  const AbortedTxn& second = entries->back();
  CHECK(second.producer_id == 1);
  CHECK(second.first_offset == 11);
  CHECK(second.last_offset == 14);
  CHECK(second.last_stable_offset == 15);
  Writer writer;
  for (const AbortedTxn& entry : *entries) write_entry(writer, entry);
  CHECK(writer.size() == 2 * aborted_txn_bytes);
  CHECK(to_hex(writer.finish().flatten().view()) == to_hex(file));
}

TEST_CASE("an aborted transaction that is cut off, unknown or out of order is refused",
          "[protocol][segment_files]") {
  const ByteVector file = kafka_file("t-0/00000000000000000003.txnindex");
  for (std::size_t size = 0; size < file.size(); ++size)
    CHECK(read_transaction_index(ByteView(file).first(size)).ok() == (size % 34 == 0));
  CHECK(read_transaction_index(ByteView(file).first(60)).error().field == "[1].lastStableOffset");
  ByteVector newer = file;
  set_byte(newer, 34 + 1, 1);
  CHECK(read_transaction_index(newer).error().field == "[1].version");
  ByteVector twice(file.begin(), file.begin() + 34);
  twice.insert(twice.end(), file.begin(), file.begin() + 34);
  CHECK(read_transaction_index(twice).error().offset == 34);
}

// ---- .snapshot

TEST_CASE("a snapshot of the producers is Kafka's in both directions",
          "[protocol][segment_files]") {
  for (const golden::Row& row : golden::rows("segment-files.tsv.gz")) {
    if (!row[0].ends_with(".snapshot")) continue;
    INFO(row[0]);
    const auto snapshot = read_producer_snapshot(golden::from_hex(row[1]).view());
    REQUIRE(snapshot.ok());
    CHECK(to_hex(write_producer_snapshot(snapshot->producer_entries)) == row[1]);
  }
  const auto snapshot = read_producer_snapshot(kafka_file("t-0/00000000000000000021.snapshot"));
  REQUIRE(snapshot->producer_entries.size() == 4);
  const ProducerSnapshot::ProducerEntry& open = snapshot->producer_entries[2];
  CHECK(open.producer_id == 2);
  CHECK(open.epoch == 0);
  CHECK(open.last_sequence == 0);
  CHECK(open.last_offset == 20);
  CHECK(open.coordinator_epoch == -1);
  CHECK(open.current_txn_first_offset == 20);
}

TEST_CASE("a snapshot of which a single byte is cut off or changed is refused",
          "[protocol][segment_files]") {
  ByteVector file = kafka_file("t-0/00000000000000000003.snapshot");
  for (std::size_t i = 0; i < file.size(); ++i) {
    INFO(i);
    CHECK_FALSE(read_producer_snapshot(ByteView(file).first(i)).ok());
    file[i] ^= 0x10;
    CHECK_FALSE(read_producer_snapshot(file).ok());
    file[i] ^= 0x10;
  }
  file.push_back(0);
  CHECK_FALSE(read_producer_snapshot(file).ok());
}

}  // namespace
}  // namespace fencepost::protocol
