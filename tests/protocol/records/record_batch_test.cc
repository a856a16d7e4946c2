// Record batches against those of Kafka's own classes, in both directions.
#include "protocol/records/record_batch.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "protocol/codec.h"
#include "protocol/reader.h"
#include "protocol/records/control_records.h"
#include "tests/golden.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

using Json = nlohmann::json;

struct Golden {
  std::string name;
  SharedBytes bytes;
  Json json;  // an array of batches
};

std::vector<Golden> golden_batches() {
  std::vector<Golden> out;
  for (const golden::Row& row : golden::rows("record-batches.tsv.gz")) {
    Json json = Json::parse(row[2]);
    if (!json.is_array()) json = Json::array({json});
    out.push_back({row[0], golden::from_hex(row[1]), json});
  }
  return out;
}

std::vector<RecordBatchView> batches_in(const SharedBytes& bytes) {
  const Result<std::vector<RecordBatchView>> batches = open_batches(bytes);
  REQUIRE(batches.ok());
  return *batches;
}

std::vector<Record> records_in(const RecordBatchView& batch) {
  const Result<std::vector<Record>> records = batch.records();
  REQUIRE(records.ok());
  return *records;
}

Json json_of(const OptionalBytes& bytes) {
  return bytes ? Json(to_base64(bytes->view())) : Json(nullptr);
}

Json attributes_json(const RecordBatchHeader& header) {
  return {{"raw", header.attributes},
          {"compression", to_string(compression_of(header.compression_id()).value())},
          {"timestamp_type",
           header.timestamp_type() == TimestampType::log_append_time ? "append" : "create"},
          {"transactional", header.is_transactional()},
          {"control", header.is_control_batch()},
          {"delete_horizon", header.has_delete_horizon()}};
}

Json record_json(const Record& record, const RecordBatchHeader& header) {
  Json headers = Json::array();
  for (const RecordHeader& item : record.headers)
    headers.push_back({{"key", item.key}, {"value", json_of(item.value)}});
  RecordBatchHeader up_to_here = header;
  up_to_here.last_offset_delta = static_cast<std::int32_t>(record.offset - header.base_offset);
  return {{"offset", record.offset},
          {"timestamp", record.timestamp},
          {"sequence", up_to_here.last_sequence()},
          {"key", json_of(record.key)},
          {"value", json_of(record.value)},
          {"headers", headers}};
}

Json batch_json(const RecordBatchView& batch) {
  const RecordBatchHeader& header = batch.header();
  Json records = Json::array();
  for (const Record& record : records_in(batch)) records.push_back(record_json(record, header));
  return {{"base_offset", header.base_offset},
          {"batch_length", header.batch_length},
          {"partition_leader_epoch", header.partition_leader_epoch},
          {"magic", header.magic},
          {"crc", header.crc},
          {"attributes", attributes_json(header)},
          {"last_offset_delta", header.last_offset_delta},
          {"base_timestamp", header.base_timestamp},
          {"max_timestamp", header.max_timestamp},
          {"delete_horizon_ms",
           header.has_delete_horizon() ? Json(header.base_timestamp) : Json(nullptr)},
          {"producer_id", header.producer_id},
          {"producer_epoch", header.producer_epoch},
          {"base_sequence", header.base_sequence},
          {"record_count", header.record_count},
          {"records", records}};
}

// Kafka's JSON without its reading of control records, which has a test of its own.
Json without_control(Json batches) {
  for (Json& batch : batches)
    for (Json& record : batch["records"]) record.erase("control");
  return batches;
}

RecordBatchView open(const SharedBytes& bytes) {
  const Result<RecordBatchView> batch = RecordBatchView::open(bytes);
  REQUIRE(batch.ok());
  return *batch;
}

RecordBatchOptions options_of(const RecordBatchHeader& header) {
  RecordBatchOptions options;
  options.base_offset = header.base_offset;
  options.partition_leader_epoch = header.partition_leader_epoch;
  options.compression = compression_of(header.compression_id()).value();
  options.producer_id = header.producer_id;
  options.producer_epoch = header.producer_epoch;
  options.base_sequence = header.base_sequence;
  options.is_transactional = header.is_transactional();
  options.is_control_batch = header.is_control_batch();
  return options;
}

// Kafka took the batch's records with the times they had at the producer; those are the deltas.
std::vector<NewRecord> new_records_of(const RecordBatchView& batch) {
  ByteVector copy(batch.bytes().view().begin(), batch.bytes().view().end());
  copy[22] = static_cast<std::uint8_t>(copy[22] & ~0x08);  // create time
  std::vector<NewRecord> out;
  for (const Record& record : records_in(open(SharedBytes(copy))))
    out.push_back({record.timestamp, record.key, record.value, record.headers});
  return out;
}

SharedBytes rebuild(const RecordBatchView& batch) {
  RecordBatchOptions options = options_of(batch.header());
  if (batch.header().timestamp_type() == TimestampType::log_append_time)
    options.log_append_time = batch.header().max_timestamp;
  return build_batch(options, new_records_of(batch));
}

// What only compaction leaves behind: gaps, a delete horizon, no record at all.
bool is_compacted(const RecordBatchHeader& header) {
  return header.has_delete_horizon() || header.record_count != header.last_offset_delta + 1;
}

TEST_CASE("every batch of Kafka's is read as Kafka reads it", "[protocol][record_batch]") {
  for (const Golden& golden : golden_batches()) {
    INFO(golden.name);
    Json json = Json::array();
    for (const RecordBatchView& batch : batches_in(golden.bytes)) {
      CHECK(batch.is_crc_valid());
      const Result<std::int32_t> count = batch.count_records();
      REQUIRE(count.ok());
      CHECK(*count == batch.header().record_count);
      json.push_back(batch_json(batch));
    }
    CHECK(json.dump() == without_control(golden.json).dump());
  }
}

TEST_CASE("an uncompressed batch is built byte for byte as Kafka builds it",
          "[protocol][record_batch]") {
  std::size_t built = 0;
  for (const Golden& golden : golden_batches()) {
    INFO(golden.name);
    for (const RecordBatchView& batch : batches_in(golden.bytes)) {
      if (is_compacted(batch.header()) || batch.header().compression_id() != 0) continue;
      CHECK(to_hex(rebuild(batch).view()) == to_hex(batch.bytes().view()));
      ++built;
    }
  }
  CHECK(built >= 30);
}

TEST_CASE("a compacted batch is built byte for byte as Kafka's log cleaner leaves it",
          "[protocol][record_batch]") {
  std::size_t built = 0;
  for (const Golden& golden : golden_batches()) {
    const RecordBatchView batch = open(golden.bytes);
    if (!is_compacted(batch.header())) continue;
    INFO(golden.name);
    CHECK(to_hex(compacted_batch(batch, records_in(batch)).view()) == to_hex(golden.bytes.view()));
    ++built;
  }
  CHECK(built == 3);
}

TEST_CASE("compaction keeps offsets, sequences and codec, and drops the records not kept",
          "[protocol][record_batch]") {
  RecordBatchOptions options;
  options.base_offset = 100;
  options.partition_leader_epoch = 3;
  options.compression = CompressionType::lz4;
  options.producer_id = 7;
  options.producer_epoch = 1;
  options.base_sequence = 40;
  options.is_transactional = true;
  const RecordBatchView before =
      open(build_batch(options, {{10, SharedBytes::copy_of("a"), std::nullopt},
                                 {30, SharedBytes::copy_of("b"), SharedBytes::copy_of("1")},
                                 {20, SharedBytes::copy_of("c"), std::nullopt}}));
  const std::vector<Record> all = records_in(before);

  const RecordBatchView kept = open(compacted_batch(before, {all[0], all[2]}, 5000));
  CHECK(kept.is_crc_valid());
  CHECK(records_in(kept) == std::vector<Record>{all[0], all[2]});
  CHECK(kept.header().base_offset == 100);
  CHECK(kept.header().last_offset() == 102);
  CHECK(kept.header().last_sequence() == 42);
  CHECK(kept.header().has_delete_horizon());
  CHECK(kept.header().base_timestamp == 5000);
  CHECK(kept.header().max_timestamp == 20);
  CHECK(kept.header().is_transactional());
  CHECK(kept.header().compression_id() == before.header().compression_id());
  // A later pass has no say in the horizon.
  const RecordBatchView again = open(compacted_batch(kept, {all[2]}));
  CHECK(again.header().base_timestamp == 5000);
  CHECK(records_in(again) == std::vector<Record>{all[2]});

  const RecordBatchView emptied = open(compacted_batch(kept, {}));
  CHECK(emptied.bytes().size() == record_batch_overhead_bytes);
  CHECK(emptied.is_crc_valid());
  CHECK(emptied.header().last_sequence() == 42);
  CHECK(!emptied.header().has_delete_horizon());
  CHECK(emptied.header().compression_id() == 0);
}

TEST_CASE("a compressed batch that is built again holds the same", "[protocol][record_batch]") {
  std::size_t built = 0;
  for (const Golden& golden : golden_batches()) {
    INFO(golden.name);
    for (const RecordBatchView& batch : batches_in(golden.bytes)) {
      if (is_compacted(batch.header()) || batch.header().compression_id() == 0) continue;
      Json again = batch_json(open(rebuild(batch)));
      Json before = batch_json(batch);
      for (Json* json : {&again, &before}) {
        json->erase("crc");
        json->erase("batch_length");
      }
      CHECK(again.dump() == before.dump());
      ++built;
    }
  }
  CHECK(built >= 30);
}

TEST_CASE("base offset and leader epoch are set without touching the CRC",
          "[protocol][record_batch]") {
  const RecordBatchView before = open(build_batch({}, {{1000, std::nullopt, std::nullopt}}));
  const RecordBatchView after = open(with_offset(before, 77, 5));
  CHECK(after.header().base_offset == 77);
  CHECK(after.header().partition_leader_epoch == 5);
  CHECK(after.header().crc == before.header().crc);
  CHECK(after.is_crc_valid());
  CHECK(after.records()->front().offset == 77);
  CHECK(after.records()->front().timestamp == 1000);
  CHECK(before.header().base_offset == 0);
}

TEST_CASE("log append time gives every record the broker's time", "[protocol][record_batch]") {
  const RecordBatchView before =
      open(build_batch({}, {{1000, std::nullopt, std::nullopt}, {2000, std::nullopt, {}}}));
  const RecordBatchView after = open(with_offset(before, 0, 0, 9000));
  CHECK(after.is_crc_valid());
  CHECK(after.header().max_timestamp == 9000);
  CHECK(after.header().base_timestamp == 1000);
  CHECK(after.header().timestamp_type() == TimestampType::log_append_time);
  for (const Record& record : records_in(after)) CHECK(record.timestamp == 9000);
}

TEST_CASE("keys and values are slices of the batch", "[protocol][record_batch]") {
  const RecordBatchView batch =
      open(build_batch({}, {{0, SharedBytes::copy_of("key"), SharedBytes::copy_of("value")}}));
  const std::vector<Record> records = records_in(batch);
  CHECK(records[0].value->text() == "value");
  CHECK(records[0].value->data() > batch.bytes().data());
  CHECK(records[0].value->data() < batch.bytes().data() + batch.bytes().size());
}

TEST_CASE("a batch with batches behind it is opened alone", "[protocol][record_batch]") {
  for (const Golden& golden : golden_batches()) {
    if (golden.json.size() < 2) continue;
    const RecordBatchView first = open(golden.bytes);
    CHECK(first.bytes().size() == first.header().size_bytes());
    CHECK(first.bytes().size() < golden.bytes.size());
  }
}

TEST_CASE("the last sequence wraps around to 0", "[protocol][record_batch]") {
  RecordBatchHeader header;
  header.last_offset_delta = 3;
  CHECK(header.last_sequence() == no_sequence);
  header.base_sequence = std::numeric_limits<std::int32_t>::max() - 3;
  CHECK(header.last_sequence() == std::numeric_limits<std::int32_t>::max());
  header.base_sequence += 1;
  CHECK(header.last_sequence() == 0);
}

TEST_CASE("a batch that unpacks to more than allowed is refused", "[protocol][record_batch]") {
  RecordBatchOptions options;
  options.compression = CompressionType::zstd;
  const RecordBatchView batch =
      open(build_batch(options, {{0, std::nullopt, SharedBytes(ByteVector(1 << 20, 'a'))}}));
  CHECK(batch.bytes().size() < 1000);
  CHECK(batch.records().ok());
  CHECK(!batch.records(1 << 20).ok());
  CHECK(!batch.count_records(1 << 20).ok());
}

TEST_CASE("the markers of a transaction are those of Kafka", "[protocol][control_batch]") {
  std::size_t markers = 0;
  for (const Golden& golden : golden_batches()) {
    if (!golden.name.starts_with("control-")) continue;
    INFO(golden.name);
    const RecordBatchView batch = open(golden.bytes);
    const Result<std::optional<EndTransactionMarker>> marker = read_marker(batch);
    REQUIRE(marker.ok());
    const Json& control = golden.json[0]["records"][0]["control"];
    CHECK(marker->has_value() == control.contains("coordinator_epoch"));
    if (!marker->has_value()) continue;
    CHECK((*marker)->type ==
          (control["name"] == "COMMIT" ? ControlType::commit : ControlType::abort));
    CHECK((*marker)->coordinator_epoch == control["coordinator_epoch"].get<std::int32_t>());
    const RecordBatchHeader& header = batch.header();
    const RecordBatchView built = open(
        build_marker(**marker, header.producer_id, header.producer_epoch, header.base_timestamp));
    const SharedBytes placed =
        with_offset(built, header.base_offset, header.partition_leader_epoch);
    CHECK(to_hex(placed.view()) == to_hex(golden.bytes.view()));
    ++markers;
  }
  CHECK(markers == 8);
}

TEST_CASE("a leader change is a control record of its own kind", "[protocol][control_batch]") {
  for (const Golden& golden : golden_batches()) {
    if (golden.name != "control-leader-change") continue;
    const std::vector<Record> records = records_in(open(golden.bytes));
    const Result<LeaderChangeMessage> change =
        Codec<LeaderChangeMessage>::decode(records[0].value.value(), 0);
    REQUIRE(change.ok());
    CHECK(golden::normalized_json(Codec<LeaderChangeMessage>::to_json(*change, 0)) ==
          golden.json[0]["records"][0]["control"]["leader_change"].dump());
  }
}

TEST_CASE("what is no marker is refused, and an emptied control batch has none",
          "[protocol][control_batch]") {
  const auto marker_in = [](bool is_control_batch, OptionalBytes key, OptionalBytes value) {
    RecordBatchOptions options;
    options.is_control_batch = is_control_batch;
    return read_marker(open(build_batch(options, {{0, std::move(key), std::move(value)}})));
  };
  const SharedBytes commit = golden::from_hex("00000001");
  const SharedBytes epoch = golden::from_hex("000000000005");
  CHECK(marker_in(true, commit, epoch).ok());
  CHECK(!marker_in(false, commit, epoch).ok());
  CHECK(!marker_in(true, std::nullopt, epoch).ok());
  CHECK(!marker_in(true, golden::from_hex("0000"), epoch).ok());
  CHECK(!marker_in(true, golden::from_hex("ffff0001"), epoch).ok());
  CHECK(!marker_in(true, commit, std::nullopt).ok());
  CHECK(!marker_in(true, commit, golden::from_hex("0000000000")).ok());
  CHECK(marker_in(true, golden::from_hex("00000063"), epoch)->has_value() == false);
  // As compaction leaves it: the header of a control batch, and no record.
  ByteVector emptied(61);
  emptied[11] = 49;
  emptied[16] = 2;
  emptied[22] = 0x30;
  CHECK(read_marker(open(SharedBytes(emptied)))->has_value() == false);
}

}  // namespace
}  // namespace fencepost::protocol
