// Building a batch: the records, their compression, then the header with its checksum.
#include <algorithm>
#include <bit>
#include <limits>

#include "protocol/base/check.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_batch_layout.h"
#include "protocol/writer.h"

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

// Where a record stands in its batch.
struct Place {
  std::int64_t timestamp_delta = 0;
  std::int32_t offset_delta = 0;
};

std::size_t body_size(const NewRecord& record, const Place& place) {
  std::size_t size = 1 + varlong_size(place.timestamp_delta) + varlong_size(place.offset_delta) +
                     size_of(record.key) + size_of(record.value) +
                     varlong_size(static_cast<std::int64_t>(record.headers.size()));
  for (const RecordHeader& header : record.headers)
    size += size_of(header.key.size()) + size_of(header.value);
  return size;
}

void write_bytes(Writer& writer, const OptionalBytes& bytes) {
  writer.varint(bytes ? static_cast<std::int32_t>(bytes->size()) : -1);
  if (bytes) writer.raw(bytes->view());
}

void write_record(Writer& writer, const NewRecord& record, const Place& place) {
  writer.varint(static_cast<std::int32_t>(body_size(record, place)));
  writer.int8(0);  // attributes, of which no bit is in use
  writer.varlong(place.timestamp_delta);
  writer.varint(place.offset_delta);
  write_bytes(writer, record.key);
  write_bytes(writer, record.value);
  writer.varint(static_cast<std::int32_t>(record.headers.size()));
  for (const RecordHeader& header : record.headers) {
    writer.varint(static_cast<std::int32_t>(header.key.size()));
    writer.raw(header.key);
    write_bytes(writer, header.value);
  }
}

SharedBytes write_records(const std::vector<NewRecord>& records, CompressionType compression) {
  Writer writer;
  const auto base_timestamp = static_cast<std::uint64_t>(records.front().timestamp);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto timestamp = static_cast<std::uint64_t>(records[i].timestamp);
    write_record(
        writer, records[i],
        {static_cast<std::int64_t>(timestamp - base_timestamp), static_cast<std::int32_t>(i)});
  }
  SharedBytes plain = writer.finish().flatten();
  if (compression == CompressionType::none) return plain;
  return SharedBytes(compress(compression, plain.view()));
}

std::int16_t attributes_of(const RecordBatchOptions& options) {
  int attributes = static_cast<int>(options.compression);
  if (options.log_append_time) attributes |= log_append_time_flag;
  if (options.is_transactional) attributes |= transactional_flag;
  if (options.is_control_batch) attributes |= control_flag;
  return static_cast<std::int16_t>(attributes);
}

}  // namespace

SharedBytes build_batch(const RecordBatchOptions& options, const std::vector<NewRecord>& records) {
  CHECK(!records.empty());
  const SharedBytes content = write_records(records, options.compression);
  CHECK(content.size() < std::numeric_limits<std::int32_t>::max() - records_at);
  ByteVector batch(records_at + content.size());
  std::ranges::copy(content.view(), batch.begin() + records_at);
  const std::int64_t max_timestamp = options.log_append_time.value_or(
      std::ranges::max(records, {}, &NewRecord::timestamp).timestamp);
  put(batch, base_offset_at, options.base_offset);
  put(batch, batch_length_at, static_cast<std::int32_t>(batch.size() - log_overhead_bytes));
  put(batch, partition_leader_epoch_at, options.partition_leader_epoch);
  put(batch, magic_at, std::int8_t{2});
  put(batch, attributes_at, attributes_of(options));
  put(batch, last_offset_delta_at, static_cast<std::int32_t>(records.size() - 1));
  put(batch, base_timestamp_at, records.front().timestamp);
  put(batch, max_timestamp_at, max_timestamp);
  put(batch, producer_id_at, options.producer_id);
  put(batch, producer_epoch_at, options.producer_epoch);
  put(batch, base_sequence_at, options.base_sequence);
  put(batch, record_count_at, static_cast<std::int32_t>(records.size()));
  put(batch, crc_at, crc_of(batch));
  return SharedBytes(std::move(batch));
}

}  // namespace fencepost::protocol
