#include "minibroker/log/batch_validation.h"

#include <algorithm>
#include <limits>

#include "minibroker/log/own_batches.h"
#include "protocol/reader.h"
#include "protocol/records/record_batch_layout.h"
#include "protocol/records/record_iterator.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::RecordBatchHeader;
using protocol::RecordBatchView;
using protocol::RecordIterator;
using protocol::RecordView;
using protocol::TimestampType;

namespace {

// As far as Kafka looks at the bytes before it looks into a batch.
constexpr std::size_t length_end = 12;
constexpr std::size_t magic_end = 17;
constexpr std::int32_t batch_length_min = 14;  // a record of magic 0
constexpr std::int16_t first_version_with_zstd = 7;

enum class Framing { batch, nothing, corrupt, failure };

struct Framed {
  Framing framing = Framing::nothing;
  std::size_t size = 0;
  std::int8_t magic = 0;
};

// What stands at the start of `bytes`, in the order of Kafka's checks.
Framed frame_at(ByteView bytes) {
  if (bytes.size() < length_end) return {};
  protocol::Reader reader(bytes);
  reader.int64();
  const std::int32_t length = reader.int32();
  if (length < batch_length_min) return {Framing::corrupt};
  if (bytes.size() < magic_end) return {};
  reader.int32();
  const std::int8_t magic = reader.int8();
  if (magic < 0 || magic > 2) return {Framing::corrupt};
  // Kafka's sum overflows here.
  constexpr auto overhead = static_cast<std::int32_t>(length_end);
  if (length > std::numeric_limits<std::int32_t>::max() - overhead) return {Framing::failure};
  const std::size_t size = static_cast<std::size_t>(length) + length_end;
  if (size > bytes.size()) return {};
  return {Framing::batch, size, magic};
}

ErrorCode error_of(Framing framing) {
  switch (framing) {
    case Framing::batch:
      return ErrorCode::none;
    case Framing::nothing:
      return ErrorCode::invalid_record;
    case Framing::corrupt:
      return ErrorCode::corrupt_message;
    case Framing::failure:
      return ErrorCode::unknown_server_error;
  }
  return ErrorCode::unknown_server_error;
}

bool is_zstd(const RecordBatchHeader& header) {
  return header.compression_id() == static_cast<int>(protocol::CompressionType::zstd);
}

// The fixed part of the batch, in the order of Kafka's checks.
ErrorCode check_header(const RecordBatchView& batch, AppendOrigin origin, const BatchRules& rules) {
  const RecordBatchHeader& header = batch.header();
  const bool is_client = origin == AppendOrigin::client;
  if (is_client && header.base_offset != 0) return ErrorCode::invalid_record;
  if (std::cmp_greater(header.size_bytes(), rules.max_message_bytes))
    return ErrorCode::message_too_large;
  if (!batch.is_crc_valid()) return ErrorCode::corrupt_message;
  if (!protocol::compression_of(header.compression_id())) return ErrorCode::unknown_server_error;
  if (!is_client) return ErrorCode::none;
  const std::int64_t offsets = std::int64_t{header.last_offset_delta} + 1;
  if (offsets <= 0 || offsets != header.record_count) return ErrorCode::invalid_record;
  if (header.has_producer_id() && header.base_sequence < 0) return ErrorCode::invalid_record;
  if (header.is_control_batch()) return ErrorCode::invalid_record;
  return ErrorCode::none;
}

// A length of a record that goes on after five bytes: Kafka fails at it instead of refusing it.
bool has_endless_length(ByteView records) {
  protocol::Reader reader(records);
  while (reader.remaining() > 0) {
    const ByteView rest = records.subspan(reader.offset());
    if (rest.size() >= 5 &&
        std::all_of(rest.begin(), rest.begin() + 5, [](std::uint8_t byte) { return byte >= 0x80; }))
      return true;
    const std::int32_t size = reader.varint();
    if (reader.failed() || size <= 0 || std::cmp_greater(size, reader.remaining())) return false;
    reader.skip(static_cast<std::size_t>(size));
  }
  return false;
}

// What Kafka answers to records that cannot be read: its codecs and varints fail with exceptions
// that no error code stands for.
ErrorCode error_of_unreadable(const RecordBatchView& batch) {
  const std::size_t records_at = protocol::batch_layout::records_at;
  const SharedBytes packed = batch.bytes().slice(records_at, batch.bytes().size() - records_at);
  const auto type = protocol::compression_of(batch.header().compression_id());
  if (!type) return ErrorCode::unknown_server_error;
  if (*type == protocol::CompressionType::none)
    return has_endless_length(packed.view()) ? ErrorCode::unknown_server_error
                                             : ErrorCode::invalid_record;
  // To its zstd no bytes at all are a stream, and an empty one.
  if (is_zstd(batch.header()) && packed.empty()) return ErrorCode::invalid_record;
  const Result<ByteVector> unpacked =
      protocol::decompress(*type, packed.view(), protocol::default_unpacked_bytes_max);
  if (!unpacked || has_endless_length(*unpacked)) return ErrorCode::unknown_server_error;
  return ErrorCode::invalid_record;
}

std::optional<std::string> timestamp_fault(std::int64_t timestamp, const BatchRules& rules,
                                           Instant now) {
  if (rules.timestamp_type == TimestampType::log_append_time) return std::nullopt;
  if (timestamp == protocol::no_timestamp) return std::nullopt;
  const std::int64_t age_ms = to_timestamp(now) - timestamp;
  const bool is_too_old =
      rules.timestamp_before_max && age_ms > to_milliseconds(*rules.timestamp_before_max);
  const bool is_too_new =
      rules.timestamp_after_max && -age_ms > to_milliseconds(*rules.timestamp_after_max);
  if (!is_too_old && !is_too_new) return std::nullopt;
  return "timestamp " + std::to_string(timestamp) + " is too far from the broker's " +
         std::to_string(to_timestamp(now));
}

// What the records of a batch are together.
struct Sum {
  std::int64_t max_timestamp = protocol::no_timestamp;
  bool has_consecutive_offsets = true;
};

// Each record on its own; all that are to blame are named.
Sum check_records(const RecordBatchView& batch, const BatchRules& rules, Instant now,
                  BatchRefusal& refusal) {
  Sum sum;
  Result<RecordIterator> records = RecordIterator::over(batch);
  if (!records) return (refusal.error = error_of_unreadable(batch), sum);
  bool is_about_time = false;
  std::int32_t index = 0;
  for (const RecordView* record = records->next(); record != nullptr; record = records->next()) {
    sum.max_timestamp = std::max(sum.max_timestamp, record->timestamp);
    if (record->offset != batch.header().base_offset + index) sum.has_consecutive_offsets = false;
    if (rules.is_compacted && !record->key) {
      refusal.record_errors.push_back({index, "a compacted topic takes no record without a key"});
    } else if (auto fault = timestamp_fault(record->timestamp, rules, now)) {
      refusal.record_errors.push_back({index, std::move(*fault)});
      is_about_time = true;
    }
    ++index;
  }
  if (records->error()) {
    refusal = {};
    refusal.error = error_of_unreadable(batch);
  } else if (!refusal.record_errors.empty()) {
    refusal.error = is_about_time ? ErrorCode::invalid_timestamp : ErrorCode::invalid_record;
    refusal.message = std::to_string(refusal.record_errors.size()) + " of " +
                      std::to_string(index) +
                      " records are refused; the first: " + refusal.record_errors.front().message;
  }
  return sum;
}

SharedBytes build_again(const RecordBatchView& batch, protocol::CompressionType compression) {
  const RecordBatchHeader& header = batch.header();
  protocol::RecordBatchOptions options;
  options.compression = compression;
  options.producer_id = header.producer_id;
  options.producer_epoch = header.producer_epoch;
  options.base_sequence = header.base_sequence;
  options.is_transactional = header.is_transactional();
  std::vector<protocol::NewRecord> again;
  for (protocol::Record& record : records_of(batch))
    again.push_back({record.timestamp, std::move(record.key), std::move(record.value),
                     std::move(record.headers)});
  return protocol::build_batch(options, again);
}

// The batch as Kafka would store it, offsets apart.
SharedBytes corrected(const RecordBatchView& batch, const Sum& sum, const BatchRules& rules) {
  namespace layout = protocol::batch_layout;
  const RecordBatchHeader& header = batch.header();
  const protocol::CompressionType sent = *protocol::compression_of(header.compression_id());
  const protocol::CompressionType wanted = rules.compression.value_or(sent);
  // Kafka's leader trusts the offsets of an uncompressed batch.
  const bool is_wrong = sent != protocol::CompressionType::none && !sum.has_consecutive_offsets;
  if (wanted != sent || is_wrong) return build_again(batch, wanted);
  if (rules.timestamp_type == TimestampType::log_append_time) return batch.bytes();
  if (header.max_timestamp == sum.max_timestamp &&
      header.timestamp_type() == TimestampType::create_time)
    return batch.bytes();
  ByteVector copy(batch.bytes().view().begin(), batch.bytes().view().end());
  layout::put(copy, layout::attributes_at,
              static_cast<std::int16_t>(header.attributes & ~layout::log_append_time_flag));
  layout::put(copy, layout::max_timestamp_at, sum.max_timestamp);
  layout::put(copy, layout::crc_at, layout::crc_of(copy));
  return SharedBytes(std::move(copy));
}

}  // namespace

ErrorCode check_produce_records(const SharedBytes& records, std::int16_t api_version) {
  const Framed first = frame_at(records.view());
  if (first.framing != Framing::batch) return error_of(first.framing);
  if (first.magic != 2) return ErrorCode::invalid_record;
  const Result<RecordBatchView> batch = RecordBatchView::open(records);
  if (batch.ok() && api_version < first_version_with_zstd && is_zstd(batch->header()))
    return ErrorCode::unsupported_compression_type;
  const Framed second = frame_at(records.view().subspan(first.size));
  if (second.framing == Framing::batch) return ErrorCode::invalid_record;
  if (second.framing != Framing::nothing) return error_of(second.framing);
  return ErrorCode::none;
}

std::optional<ValidBatch> validate_batch(const SharedBytes& records, AppendOrigin origin,
                                         const BatchRules& rules, Instant now,
                                         BatchRefusal& refusal) {
  const auto refuse = [&](ErrorCode error) {
    refusal.error = error;
    return std::nullopt;
  };
  const Framed first = frame_at(records.view());
  if (first.framing != Framing::batch) return refuse(error_of(first.framing));
  const Result<RecordBatchView> batch = RecordBatchView::open(records);
  if (!batch) return refuse(ErrorCode::corrupt_message);
  if (const ErrorCode error = check_header(*batch, origin, rules); error != ErrorCode::none)
    return refuse(error);
  const Framed second = frame_at(records.view().subspan(first.size));
  if (second.framing == Framing::batch) return refuse(ErrorCode::invalid_record);
  if (second.framing != Framing::nothing) return refuse(error_of(second.framing));

  const Sum sum = check_records(*batch, rules, now, refusal);
  if (refusal.error != ErrorCode::none) return std::nullopt;
  const SharedBytes bytes = corrected(*batch, sum, rules);
  const Result<RecordBatchView> stored = RecordBatchView::open(bytes);
  CHECK(stored.ok());
  // What was compressed anew may be larger than what was sent.
  if (std::cmp_greater(bytes.size(), rules.max_message_bytes))
    return refuse(ErrorCode::message_too_large);
  return ValidBatch{bytes, stored->header()};
}

}  // namespace fencepost::minibroker
