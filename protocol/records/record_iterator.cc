// The quick way through the records: it only tells right from wrong. What is wrong, and where, is
// then found by RecordBatchView, so that both say the same.
#include "protocol/records/record_iterator.h"

#include "protocol/base/check.h"
#include "protocol/records/record_batch_layout.h"

namespace fencepost::protocol {

namespace {

// Base 128, least significant group first; `Number` is uint32_t or uint64_t.
template <class Number>
bool read_long_unsigned(const std::uint8_t*& at, const std::uint8_t* end, Number& out) {
  constexpr int bits = static_cast<int>(sizeof(Number)) * 8;
  Number value = 0;
  for (int shift = 0; shift < bits && at != end; shift += 7) {
    const Number part = *at & 0x7f;
    const bool is_last = (*at++ & 0x80) == 0;
    if (shift + 7 > bits && (part >> (bits - shift)) != 0) return false;
    value |= part << shift;
    if (is_last) return (out = value, true);
  }
  return false;
}

// Nearly all are of one byte or two.
template <class Number>
bool read_unsigned(const std::uint8_t*& at, const std::uint8_t* end, Number& out) {
  if (end - at < 2) return read_long_unsigned(at, end, out);
  if (at[0] < 0x80) {
    out = at[0];
    at += 1;
    return true;
  }
  if (at[1] < 0x80) {
    out = static_cast<Number>(at[0] & 0x7f) | static_cast<Number>(at[1]) << 7;
    at += 2;
    return true;
  }
  return read_long_unsigned(at, end, out);
}

bool read_varint(const std::uint8_t*& at, const std::uint8_t* end, std::int32_t& out) {
  std::uint32_t value = 0;
  if (!read_unsigned(at, end, value)) return false;
  out = static_cast<std::int32_t>((value >> 1) ^ (~(value & 1) + 1));
  return true;
}

bool read_varlong(const std::uint8_t*& at, const std::uint8_t* end, std::int64_t& out) {
  std::uint64_t value = 0;
  if (!read_unsigned(at, end, value)) return false;
  out = static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  return true;
}

// A length below zero is null, whatever it is.
bool read_bytes(const std::uint8_t*& at, const std::uint8_t* end, std::optional<ByteView>& out) {
  std::int32_t length = 0;
  if (!read_varint(at, end, length)) return false;
  if (length < 0) return (out.reset(), true);
  if (length > end - at) return false;
  out.emplace(at, static_cast<std::size_t>(length));
  at += length;
  return true;
}

bool skip_headers(const std::uint8_t*& at, const std::uint8_t* end, std::int32_t count) {
  std::optional<ByteView> part;
  for (std::int32_t i = 0; i < count; ++i) {
    if (!read_bytes(at, end, part) || !part) return false;  // the key is never null
    if (!read_bytes(at, end, part)) return false;
  }
  return true;
}

}  // namespace

RecordIterator::RecordIterator(const RecordBatchView& batch, SharedBytes content,
                               std::size_t unpacked_bytes_max)
    : batch_(batch),
      content_(std::move(content)),
      unpacked_bytes_max_(unpacked_bytes_max),
      at_(content_.data()),
      end_(at_ + content_.size()),
      records_left_(batch.header().record_count) {}

Result<RecordIterator> RecordIterator::over(const RecordBatchView& batch,
                                            std::size_t unpacked_bytes_max) {
  const RecordBatchHeader& header = batch.header();
  SharedBytes content = batch.bytes().slice(record_batch_overhead_bytes,
                                            batch.bytes().size() - record_batch_overhead_bytes);
  // Nobody looks at what is behind the header of a batch without records.
  if (header.record_count == 0) return RecordIterator(batch, {}, unpacked_bytes_max);
  const std::optional<CompressionType> type = compression_of(header.compression_id());
  if (header.record_count < 0 || !type) return batch.count_records(unpacked_bytes_max).error();
  if (*type != CompressionType::none) {
    Result<ByteVector> unpacked = decompress(*type, content.view(), unpacked_bytes_max);
    if (!unpacked) return batch.count_records(unpacked_bytes_max).error();
    content = SharedBytes(std::move(*unpacked));
  }
  return RecordIterator(batch, std::move(content), unpacked_bytes_max);
}

const RecordView* RecordIterator::next() {
  if (error_) return nullptr;
  if (records_left_ > 0 && read_record()) {
    --records_left_;
    return &record_;
  }
  if (records_left_ > 0 || at_ != end_) error_ = batch_.count_records(unpacked_bytes_max_).error();
  return nullptr;
}

bool RecordIterator::read_record() {
  std::int32_t size = 0;
  const std::uint8_t* at = at_;  // a local one stays in a register
  if (!read_varint(at, end_, size) || size < 1 || size > end_ - at) return false;
  const std::uint8_t* const end = at + size;
  ++at;  // attributes, of which no bit is in use
  std::int64_t timestamp_delta = 0;
  std::int32_t offset_delta = 0;
  if (!read_varlong(at, end, timestamp_delta) || !read_varint(at, end, offset_delta) ||
      !read_bytes(at, end, record_.key) || !read_bytes(at, end, record_.value) ||
      !read_varint(at, end, record_.header_count) || record_.header_count < 0)
    return false;
  const std::uint8_t* const headers = at;
  if (!skip_headers(at, end, record_.header_count) || at != end) return false;
  at_ = end;
  record_.headers = ByteView(headers, end);
  const RecordBatchHeader& header = batch_.header();
  record_.offset = batch_layout::wrapping_sum(header.base_offset, offset_delta);
  record_.timestamp = header.timestamp_type() == TimestampType::log_append_time
                          ? header.max_timestamp
                          : batch_layout::wrapping_sum(header.base_timestamp, timestamp_delta);
  return true;
}

}  // namespace fencepost::protocol
