#include "minibroker/log/batch_validation.h"

#include "protocol/records/record_batch_layout.h"
#include "tests/catch.h"
#include "tests/minibroker/log/log_bench.h"

namespace fencepost::minibroker {
namespace {

using protocol::ErrorCode;
using protocol::RecordBatchView;
using protocol::TimestampType;

ErrorCode refusal_of(const SharedBytes& records, const BatchRules& rules,
                     AppendOrigin origin = AppendOrigin::client) {
  BatchRefusal refusal;
  const auto valid = validate_batch(records, origin, rules, test_start, refusal);
  CHECK(valid.has_value() == (refusal.error == ErrorCode::none));
  return refusal.error;
}

TEST_CASE("zstd is refused in requests older than version 7", "[log][validation]") {
  protocol::RecordBatchOptions options;
  options.compression = protocol::CompressionType::zstd;
  const SharedBytes batch = protocol::build_batch(options, {{1000, {}, {}}});
  CHECK(check_produce_records(batch, 6) == ErrorCode::unsupported_compression_type);
  CHECK(check_produce_records(batch, 7) == ErrorCode::none);
}

TEST_CASE("A batch is as large as max.message.bytes allows", "[log][validation]") {
  const SharedBytes batch = plain({"value"}).bytes();
  BatchRules rules;
  rules.max_message_bytes = static_cast<std::int32_t>(batch.size());
  CHECK(refusal_of(batch, rules) == ErrorCode::none);
  --rules.max_message_bytes;
  CHECK(refusal_of(batch, rules) == ErrorCode::message_too_large);
  CHECK(refusal_of(batch, rules, AppendOrigin::coordinator) == ErrorCode::message_too_large);
}

TEST_CASE("A compacted topic names the records without a key", "[log][validation]") {
  const SharedBytes key = SharedBytes::copy_of(std::string_view("k"));
  const SharedBytes batch =
      protocol::build_batch({}, {{1000, key, {}}, {1000, {}, key}, {1000, {}, {}}});
  LogSettings settings;
  settings.rules.is_compacted = true;
  PartitionLog log(settings);
  const AppendOutcome outcome =
      log.append_as_leader(batch, AppendOrigin::client, 0, no_guard, test_start);
  CHECK(outcome.error == ErrorCode::invalid_record);
  REQUIRE(outcome.record_errors.size() == 2);
  CHECK(outcome.record_errors[0].batch_index == 1);
  CHECK(outcome.record_errors[1].batch_index == 2);
  CHECK_FALSE(outcome.message.empty());
  CHECK(outcome.log_start_offset == 0);
  CHECK(log.log_end_offset() == 0);
}

TEST_CASE("Timestamps may differ from the clock as much as the topic allows", "[log][validation]") {
  BatchRules rules;
  rules.timestamp_before_max = milliseconds(2000);
  rules.timestamp_after_max = milliseconds(500);
  const std::int64_t now_ms = to_timestamp(test_start);
  CHECK(refusal_of(plain({"v"}, now_ms - 2000).bytes(), rules) == ErrorCode::none);
  CHECK(refusal_of(plain({"v"}, now_ms - 2001).bytes(), rules) == ErrorCode::invalid_timestamp);
  CHECK(refusal_of(plain({"v"}, now_ms + 500).bytes(), rules) == ErrorCode::none);
  CHECK(refusal_of(plain({"v"}, now_ms + 501).bytes(), rules) == ErrorCode::invalid_timestamp);
  rules.timestamp_type = TimestampType::log_append_time;
  CHECK(refusal_of(plain({"v"}, now_ms + 501).bytes(), rules) == ErrorCode::none);
}

TEST_CASE("A wrong maximal timestamp is corrected, checksum included", "[log][validation]") {
  protocol::RecordBatchOptions options;
  options.log_append_time = 77;  // which a client may not set
  const SharedBytes batch = protocol::build_batch(options, {{1000, {}, {}}});
  PartitionLog log;
  log.append_as_leader(batch, AppendOrigin::client, 0, no_guard, test_start);
  const auto stored = RecordBatchView::open(everything(log));
  REQUIRE(stored.ok());
  CHECK(stored->is_crc_valid());
  CHECK(stored->header().timestamp_type() == TimestampType::create_time);
  CHECK(stored->header().max_timestamp == 77);
}

// Two records whose offsets within the batch are both 0, packed with gzip.
SharedBytes batch_with_repeated_offsets() {
  namespace layout = protocol::batch_layout;
  const SharedBytes plain_batch = plain({"a", "b"}).bytes();
  const ByteView view = plain_batch.view();
  ByteVector records(view.begin() + layout::records_at, view.end());
  const std::size_t second_at = records.size() / 2;
  records[second_at + 3] = 0;  // behind length, attributes and timestamp, of a byte each
  const ByteVector packed = protocol::compress(protocol::CompressionType::gzip, records);
  ByteVector batch(view.begin(), view.begin() + layout::records_at);
  batch.insert(batch.end(), packed.begin(), packed.end());
  layout::put(batch, layout::batch_length_at,
              static_cast<std::int32_t>(batch.size() - layout::log_overhead_bytes));
  layout::put(batch, layout::attributes_at, std::int16_t{1});
  layout::put(batch, layout::crc_at, layout::crc_of(batch));
  return SharedBytes(std::move(batch));
}

TEST_CASE("Wrong offsets inside a compressed batch are put right", "[log][validation]") {
  PartitionLog log;
  append(log, plain());
  const SharedBytes sent = batch_with_repeated_offsets();
  CHECK(RecordBatchView::open(sent)->records()->at(1).offset == 0);
  REQUIRE(log.append_as_leader(sent, AppendOrigin::client, 0, no_guard, test_start).ok());
  const auto stored = RecordBatchView::open(log.read(1, 3, 1000, true));
  REQUIRE(stored.ok());
  CHECK(stored->is_crc_valid());
  CHECK(stored->header().compression_id() == 1);
  const auto records = stored->records();
  REQUIRE(records.ok());
  CHECK(records->at(0).offset == 1);
  CHECK(records->at(1).offset == 2);
  CHECK(records->at(1).value->text() == "b");
}

TEST_CASE("Log append time replaces the timestamps of the client", "[log][validation]") {
  LogSettings settings;
  settings.rules.timestamp_type = TimestampType::log_append_time;
  PartitionLog log(settings);
  const AppendOutcome outcome = append(log, plain({"a", "b"}, 5));
  CHECK(outcome.log_append_time_ms == to_timestamp(test_start));
  const auto stored = RecordBatchView::open(everything(log));
  REQUIRE(stored.ok());
  CHECK(stored->is_crc_valid());
  CHECK(stored->records()->at(1).timestamp == to_timestamp(test_start));
}

TEST_CASE("With create time the answer names no append time", "[log][validation]") {
  PartitionLog log;
  CHECK(append(log, plain()).log_append_time_ms == protocol::no_timestamp);
}

TEST_CASE("A refusal tells the log start, except of size and checksum", "[log][validation]") {
  PartitionLog log;
  append(log, plain({"a", "b"}));
  replicate_all(log);
  log.delete_records_before(2);
  CHECK(append(log, idempotent(1, -2, 0)).log_start_offset == 2);
  const SharedBytes good = plain().bytes();
  ByteVector damaged(good.view().begin(), good.view().end());
  damaged.back() ^= 1;
  const AppendOutcome outcome = log.append_as_leader(SharedBytes(std::move(damaged)),
                                                     AppendOrigin::client, 0, no_guard, test_start);
  CHECK(outcome.error == ErrorCode::corrupt_message);
  CHECK(outcome.log_start_offset == -1);
}

}  // namespace
}  // namespace fencepost::minibroker
