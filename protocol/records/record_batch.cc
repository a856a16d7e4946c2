#include "protocol/records/record_batch.h"

#include <limits>

#include "protocol/reader.h"
#include "protocol/records/record_batch_layout.h"

namespace fencepost::protocol {

namespace {

using namespace batch_layout;

// Up to the magic every format has the same fields.
constexpr std::size_t common_header_bytes = 17;
// The smallest record of magic 0, which Kafka takes as the least length of anything.
constexpr std::int32_t any_batch_length_min = 14;
constexpr std::int32_t batch_length_min = records_at - log_overhead_bytes;
constexpr std::int32_t batch_length_max =
    std::numeric_limits<std::int32_t>::max() - static_cast<std::int32_t>(log_overhead_bytes);

Error malformed(std::string text, std::size_t offset, std::string field) {
  return Error{ErrorKind::malformed, std::move(text), offset, std::move(field)};
}

RecordBatchHeader read_header(ByteView bytes) {
  Reader reader(bytes);
  RecordBatchHeader header;
  header.base_offset = reader.int64();
  header.batch_length = reader.int32();
  header.partition_leader_epoch = reader.int32();
  header.magic = reader.int8();
  header.crc = reader.uint32();
  header.attributes = reader.int16();
  header.last_offset_delta = reader.int32();
  header.base_timestamp = reader.int64();
  header.max_timestamp = reader.int64();
  header.producer_id = reader.int64();
  header.producer_epoch = reader.int16();
  header.base_sequence = reader.int32();
  header.record_count = reader.int32();
  return header;
}

// What stands at the start of the bytes, as far as its first 17 bytes tell.
struct Opening {
  std::optional<Error> error;
  bool is_cut_off = false;  // nothing wrong with what is there
};

Opening look_at(ByteView bytes) {
  if (bytes.size() < common_header_bytes) return {std::nullopt, true};
  Reader reader(bytes);
  reader.skip(batch_length_at);
  const std::int32_t length = reader.int32();
  reader.skip(magic_at - partition_leader_epoch_at);
  const std::int8_t magic = reader.int8();
  const auto bad_length = [&] {
    return Opening{
        malformed("a batch length of " + std::to_string(length), batch_length_at, "batchLength")};
  };
  if (length < any_batch_length_min || length > batch_length_max) return bad_length();
  if (magic != 2) return {malformed("magic " + std::to_string(magic), magic_at, "magic")};
  if (length < batch_length_min) return bad_length();
  return {std::nullopt, bytes.size() < static_cast<std::size_t>(length) + log_overhead_bytes};
}

// A length below zero is null in records, whatever it is.
OptionalBytes read_bytes(Reader& reader, bool keep) {
  const std::int32_t length = reader.varint();
  if (reader.failed() || length < 0) return std::nullopt;
  if (keep) return reader.shared(static_cast<std::size_t>(length));
  reader.skip(static_cast<std::size_t>(length));
  return SharedBytes();
}

bool read_record_header(Reader& reader, Record* record) {
  const std::int32_t key_length = reader.varint();
  if (!reader.failed() && key_length < 0)
    reader.fail("a header key of " + std::to_string(key_length) + " bytes");
  const ByteView key = reader.view(static_cast<std::size_t>(key_length));
  OptionalBytes value = read_bytes(reader, record != nullptr);
  if (reader.failed()) return false;
  if (record != nullptr) record->headers.push_back({std::string(as_text(key)), std::move(value)});
  return true;
}

// Reads the next record; into `record`, unless that is null.
bool read_record(Reader& reader, const RecordBatchHeader& header, Record* record) {
  const std::int32_t size = reader.varint();
  if (!reader.failed() && (size < 0 || static_cast<std::size_t>(size) > reader.remaining()))
    reader.fail("a record of " + std::to_string(size) + " bytes, " +
                std::to_string(reader.remaining()) + " are left");
  const std::size_t start = reader.offset();
  reader.int8();  // attributes, of which no bit is in use
  const std::int64_t timestamp_delta = reader.varlong();
  const std::int32_t offset_delta = reader.varint();
  OptionalBytes key = read_bytes(reader, record != nullptr);
  OptionalBytes value = read_bytes(reader, record != nullptr);
  const std::int32_t header_count = reader.varint();
  if (!reader.failed() &&
      (header_count < 0 || static_cast<std::size_t>(header_count) > reader.remaining()))
    reader.fail(std::to_string(header_count) + " headers");
  for (std::int32_t i = 0; i < header_count && !reader.failed(); ++i)
    read_record_header(reader, record);
  if (!reader.failed() && reader.offset() - start != static_cast<std::size_t>(size))
    reader.fail("a record of " + std::to_string(size) + " bytes that takes " +
                std::to_string(reader.offset() - start));
  if (reader.failed()) return false;
  if (record != nullptr) {
    record->offset = wrapping_sum(header.base_offset, offset_delta);
    record->timestamp = header.timestamp_type() == TimestampType::log_append_time
                            ? header.max_timestamp
                            : wrapping_sum(header.base_timestamp, timestamp_delta);
    record->key = std::move(key);
    record->value = std::move(value);
  }
  return true;
}

// The records' bytes, decompressed.
Result<SharedBytes> unpack(const RecordBatchView& batch, std::size_t unpacked_bytes_max) {
  const SharedBytes packed = batch.bytes().slice(records_at, batch.bytes().size() - records_at);
  const int id = batch.header().compression_id();
  const std::optional<CompressionType> type = compression_of(id);
  if (!type) return malformed("compression " + std::to_string(id), attributes_at, "attributes");
  if (*type == CompressionType::none) return packed;
  Result<ByteVector> unpacked = decompress(*type, packed.view(), unpacked_bytes_max);
  if (unpacked.ok()) return SharedBytes(std::move(*unpacked));
  return malformed(unpacked.error().text, unpacked.error().offset + records_at, "records");
}

// The field of a batch that stands at the offset.
std::string field_at(std::size_t offset) {
  struct Start {
    std::size_t at;
    std::string_view field;
  };
  constexpr Start starts[] = {
      {base_offset_at, "baseOffset"},
      {batch_length_at, "batchLength"},
      {partition_leader_epoch_at, "partitionLeaderEpoch"},
      {magic_at, "magic"},
      {crc_at, "crc"},
      {attributes_at, "attributes"},
      {last_offset_delta_at, "lastOffsetDelta"},
      {base_timestamp_at, "baseTimestamp"},
      {max_timestamp_at, "maxTimestamp"},
      {producer_id_at, "producerId"},
      {producer_epoch_at, "producerEpoch"},
      {base_sequence_at, "baseSequence"},
      {record_count_at, "recordCount"},
      {records_at, "records"},
  };
  std::string_view found;
  for (const Start& start : starts)
    if (start.at <= offset) found = start.field;
  return std::string(found);
}

// Calls next(reader) for each record and sees that nothing is left over.
template <class Next>
std::optional<Error> read_records(const RecordBatchView& batch, std::size_t unpacked_bytes_max,
                                  Next&& next) {
  const std::int32_t count = batch.header().record_count;
  if (count < 0)
    return malformed("a record count of " + std::to_string(count), record_count_at, "recordCount");
  if (count == 0) return std::nullopt;
  const Result<SharedBytes> unpacked = unpack(batch, unpacked_bytes_max);
  if (!unpacked) return unpacked.error();
  Reader reader(*unpacked);
  for (std::int32_t i = 0; i < count && !reader.failed(); ++i)
    if (!next(reader)) reader.prefix_field("records[" + std::to_string(i) + "]");
  if (!reader.failed() && reader.remaining() > 0) {
    reader.fail(std::to_string(reader.remaining()) + " bytes after the last record");
    reader.prefix_field("records");
  }
  if (!reader.failed()) return std::nullopt;
  Error error = reader.error();
  if (batch.header().compression_id() == 0) error.offset += records_at;
  return error;
}

}  // namespace

std::int32_t RecordBatchHeader::last_sequence() const {
  if (base_sequence == no_sequence) return no_sequence;
  constexpr std::int64_t sequences = std::int64_t{1} << 31;
  return static_cast<std::int32_t>((std::int64_t{base_sequence} + last_offset_delta) % sequences);
}

Result<RecordBatchView> RecordBatchView::open(const SharedBytes& bytes) {
  const Opening opening = look_at(bytes.view());
  if (opening.error) return *opening.error;
  if (opening.is_cut_off)
    return malformed("a batch that is cut off after " + std::to_string(bytes.size()) + " bytes",
                     bytes.size(), field_at(bytes.size()));
  const RecordBatchHeader header = read_header(bytes.view());
  return RecordBatchView(bytes.slice(0, header.size_bytes()), header);
}

bool RecordBatchView::is_crc_valid() const {
  return crc_of(bytes_.view()) == header_.crc;
}

Result<std::vector<Record>> RecordBatchView::records(std::size_t unpacked_bytes_max) const {
  std::vector<Record> records;
  const std::optional<Error> error = read_records(*this, unpacked_bytes_max, [&](Reader& reader) {
    return read_record(reader, header_, &records.emplace_back());
  });
  if (error) return *error;
  return records;
}

Result<SharedBytes> RecordBatchView::unpacked_records(std::size_t unpacked_bytes_max) const {
  return unpack(*this, unpacked_bytes_max);
}

Result<std::int32_t> RecordBatchView::count_records(std::size_t unpacked_bytes_max) const {
  const std::optional<Error> error = read_records(*this, unpacked_bytes_max, [&](Reader& reader) {
    return read_record(reader, header_, nullptr);
  });
  if (error) return *error;
  return header_.record_count;
}

Result<std::vector<RecordBatchView>> open_batches(const SharedBytes& bytes) {
  std::vector<RecordBatchView> batches;
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    const SharedBytes rest = bytes.slice(offset, bytes.size() - offset);
    const Opening opening = look_at(rest.view());
    if (!opening.error && opening.is_cut_off) break;
    const Result<RecordBatchView> batch = RecordBatchView::open(rest);
    if (!batch) {
      Error error = batch.error();
      error.offset += offset;
      return error;
    }
    offset += batch->bytes().size();
    batches.push_back(*batch);
  }
  return batches;
}

void place(std::span<std::uint8_t> batch, const Placement& placement) {
  put(batch, base_offset_at, placement.base_offset);
  put(batch, partition_leader_epoch_at, placement.partition_leader_epoch);
  if (!placement.log_append_time) return;
  batch[attributes_at + 1] |= log_append_time_flag;
  put(batch, max_timestamp_at, *placement.log_append_time);
  put(batch, crc_at, crc_of(batch));
}

SharedBytes with_offset(const RecordBatchView& batch, std::int64_t base_offset,
                        std::int32_t partition_leader_epoch,
                        std::optional<std::int64_t> log_append_time) {
  const ByteView view = batch.bytes().view();
  ByteVector copy(view.begin(), view.end());
  place(copy, {base_offset, partition_leader_epoch, log_append_time});
  return SharedBytes(std::move(copy));
}

}  // namespace fencepost::protocol
