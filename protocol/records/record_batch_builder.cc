// Building a batch: the records, their compression, then the header with its checksum.
#include <algorithm>
#include <bit>
#include <limits>

#include "protocol/base/check.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_batch_layout.h"

namespace fencepost::protocol {

namespace {

using namespace batch_layout;

std::size_t varlong_size(std::int64_t value) {
  const std::uint64_t zigzag =
      (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  return static_cast<std::size_t>(std::bit_width(zigzag | 1) + 6) / 7;
}

std::size_t size_of(std::size_t bytes) {
  return varlong_size(static_cast<std::int64_t>(bytes)) + bytes;
}
std::size_t size_of(const OptionalBytes& bytes) {
  return bytes ? size_of(bytes->size()) : 1;
}

// A record as it is written: where it stands in its batch, and what is in it.
struct Placed {
  std::int64_t timestamp_delta = 0;
  std::int32_t offset_delta = 0;
  const OptionalBytes& key;
  const OptionalBytes& value;
  const std::vector<RecordHeader>& headers;
};

std::size_t body_size(const Placed& record) {
  std::size_t size = 1 + varlong_size(record.timestamp_delta) + varlong_size(record.offset_delta) +
                     size_of(record.key) + size_of(record.value) +
                     varlong_size(static_cast<std::int64_t>(record.headers.size()));
  for (const RecordHeader& header : record.headers)
    size += size_of(header.key.size()) + size_of(header.value);
  return size;
}

// The batch under construction: space for its header, and the records behind it. They are written
// where they will stand, so that large values are copied once.
class Body {
 public:
  Body() : bytes_(records_at) {}

  void reserve(std::size_t record_bytes) { bytes_.reserve(records_at + record_bytes); }
  void varint(std::int64_t value) {
    std::uint64_t bits =
        (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    for (; bits >= 0x80; bits >>= 7) bytes_.push_back(static_cast<std::uint8_t>(bits | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(bits));
  }
  void int8(std::int8_t value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }
  void raw(ByteView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void bytes(const OptionalBytes& bytes) {
    varint(bytes ? static_cast<std::int64_t>(bytes->size()) : -1);
    if (bytes) raw(bytes->view());
  }
  void record(const Placed& record) {
    varint(static_cast<std::int64_t>(body_size(record)));
    int8(0);  // attributes, of which no bit is in use
    varint(record.timestamp_delta);
    varint(record.offset_delta);
    bytes(record.key);
    bytes(record.value);
    varint(static_cast<std::int64_t>(record.headers.size()));
    for (const RecordHeader& header : record.headers) {
      varint(static_cast<std::int64_t>(header.key.size()));
      raw(as_bytes(header.key));
      bytes(header.value);
    }
  }
  void compress_records(CompressionType type) {
    const ByteVector packed = compress(type, ByteView(bytes_).subspan(records_at));
    bytes_.resize(records_at);
    raw(packed);
  }
  ByteVector take() { return std::move(bytes_); }

 private:
  ByteVector bytes_;
};

// Wraps around, as the reader's sum does.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::int16_t attributes_of(const RecordBatchOptions& options) {
  int attributes = static_cast<int>(options.compression);
  if (options.log_append_time) attributes |= log_append_time_flag;
  if (options.is_transactional) attributes |= transactional_flag;
  if (options.is_control_batch) attributes |= control_flag;
  return static_cast<std::int16_t>(attributes);
}

// The whole batch; length, magic and checksum of `header` are not looked at.
SharedBytes assemble(const RecordBatchHeader& header, Body body) {
  const CompressionType compression = compression_of(header.compression_id()).value();
  if (compression != CompressionType::none) body.compress_records(compression);
  ByteVector batch = body.take();
  CHECK(batch.size() < std::numeric_limits<std::int32_t>::max());
  put(batch, base_offset_at, header.base_offset);
  put(batch, batch_length_at, static_cast<std::int32_t>(batch.size() - log_overhead_bytes));
  put(batch, partition_leader_epoch_at, header.partition_leader_epoch);
  put(batch, magic_at, std::int8_t{2});
  put(batch, attributes_at, header.attributes);
  put(batch, last_offset_delta_at, header.last_offset_delta);
  put(batch, base_timestamp_at, header.base_timestamp);
  put(batch, max_timestamp_at, header.max_timestamp);
  put(batch, producer_id_at, header.producer_id);
  put(batch, producer_epoch_at, header.producer_epoch);
  put(batch, base_sequence_at, header.base_sequence);
  put(batch, record_count_at, header.record_count);
  put(batch, crc_at, crc_of(batch));
  return SharedBytes(std::move(batch));
}

// What stays of a batch whose records are all gone: that there was one, and its sequences.
SharedBytes emptied_batch(RecordBatchHeader header) {
  header.attributes =
      static_cast<std::int16_t>(header.attributes & ~(compression_mask | delete_horizon_flag));
  header.base_timestamp = no_timestamp;
  header.record_count = 0;
  return assemble(header, Body());
}

}  // namespace

SharedBytes build_batch(const RecordBatchOptions& options, const std::vector<NewRecord>& records) {
  CHECK(!records.empty());
  RecordBatchHeader header;
  header.base_offset = options.base_offset;
  header.partition_leader_epoch = options.partition_leader_epoch;
  header.attributes = attributes_of(options);
  header.last_offset_delta = static_cast<std::int32_t>(records.size() - 1);
  header.base_timestamp = records.front().timestamp;
  header.max_timestamp = options.log_append_time.value_or(
      std::ranges::max_element(records, {}, &NewRecord::timestamp)->timestamp);
  header.producer_id = options.producer_id;
  header.producer_epoch = options.producer_epoch;
  header.base_sequence = options.base_sequence;
  header.record_count = static_cast<std::int32_t>(records.size());
  const auto placed = [&header](const NewRecord& record, std::int32_t offset_delta) {
    return Placed{difference(record.timestamp, header.base_timestamp), offset_delta, record.key,
                  record.value, record.headers};
  };
  std::size_t record_bytes = 0;
  for (const NewRecord& record : records)
    record_bytes += size_of(body_size(placed(record, header.last_offset_delta)));
  Body body;
  body.reserve(record_bytes);
  std::int32_t offset_delta = 0;
  for (const NewRecord& record : records) body.record(placed(record, offset_delta++));
  return assemble(header, std::move(body));
}

SharedBytes compacted_batch(const RecordBatchView& batch, const std::vector<Record>& kept,
                            std::optional<std::int64_t> delete_horizon) {
  RecordBatchHeader header = batch.header();
  if (kept.empty()) return emptied_batch(header);
  if (!delete_horizon && header.has_delete_horizon()) delete_horizon = header.base_timestamp;
  if (delete_horizon)
    header.attributes = static_cast<std::int16_t>(header.attributes | delete_horizon_flag);
  header.base_timestamp = delete_horizon.value_or(kept.front().timestamp);
  if (header.timestamp_type() == TimestampType::create_time)
    header.max_timestamp = std::ranges::max_element(kept, {}, &Record::timestamp)->timestamp;
  header.record_count = static_cast<std::int32_t>(kept.size());
  Body body;
  for (const Record& record : kept) {
    const std::int64_t offset_delta = difference(record.offset, header.base_offset);
    CHECK(offset_delta >= 0 && offset_delta <= header.last_offset_delta);
    body.record({difference(record.timestamp, header.base_timestamp),
                 static_cast<std::int32_t>(offset_delta), record.key, record.value,
                 record.headers});
  }
  return assemble(header, std::move(body));
}

}  // namespace fencepost::protocol
