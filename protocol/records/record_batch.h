// Record batches of magic 2: a view that touches no record it is not asked for, and a builder. The
// CRC covers everything from the attributes on, so base offset and leader epoch can be set in
// place. Source: the record batch format of Kafka's protocol guide; KIP-98, KIP-32, KIP-534.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/compression.h"

namespace fencepost::protocol {

constexpr std::int64_t no_producer_id = -1;
constexpr std::int16_t no_producer_epoch = -1;
constexpr std::int32_t no_sequence = -1;
constexpr std::int64_t no_timestamp = -1;
constexpr std::size_t record_batch_overhead_bytes = 61;

enum class TimestampType { create_time, log_append_time };

using OptionalBytes = std::optional<SharedBytes>;  // nothing stands for null

struct RecordHeader {
  std::string key;
  OptionalBytes value;
  bool operator==(const RecordHeader&) const = default;
};

struct Record {
  std::int64_t offset = 0;
  std::int64_t timestamp = no_timestamp;  // milliseconds
  OptionalBytes key;
  OptionalBytes value;
  std::vector<RecordHeader> headers;
  bool operator==(const Record&) const = default;
};

// The fixed part of a batch.
struct RecordBatchHeader {
  std::int64_t base_offset = 0;
  std::int32_t batch_length = 0;  // bytes after this field
  std::int32_t partition_leader_epoch = -1;
  std::int8_t magic = 2;
  std::uint32_t crc = 0;
  std::int16_t attributes = 0;
  std::int32_t last_offset_delta = 0;
  std::int64_t base_timestamp = no_timestamp;
  std::int64_t max_timestamp = no_timestamp;
  std::int64_t producer_id = no_producer_id;
  std::int16_t producer_epoch = no_producer_epoch;
  std::int32_t base_sequence = no_sequence;
  std::int32_t record_count = 0;

  // Wraps around as Kafka's does when a hostile batch makes it.
  std::int64_t last_offset() const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(base_offset) +
                                     static_cast<std::uint64_t>(last_offset_delta));
  }
  // Wraps from 2147483647 to 0.
  std::int32_t last_sequence() const;
  std::size_t size_bytes() const { return static_cast<std::size_t>(batch_length) + 12; }
  bool has_producer_id() const { return producer_id > no_producer_id; }
  bool is_transactional() const { return (attributes & 0x10) != 0; }
  bool is_control_batch() const { return (attributes & 0x20) != 0; }
  bool has_delete_horizon() const { return (attributes & 0x40) != 0; }
  TimestampType timestamp_type() const {
    return (attributes & 0x08) != 0 ? TimestampType::log_append_time : TimestampType::create_time;
  }
  // The number of the codec; not every number is a codec.
  int compression_id() const { return attributes & 0x07; }
};

// A whole batch in memory. Opening it checks sizes and magic, nothing else.
class RecordBatchView {
 public:
  // The batch at the start of `bytes`; more may follow it. Malformed when bytes are missing, the
  // length is impossible or the magic is not 2 (error text "magic N").
  static Result<RecordBatchView> open(const SharedBytes& bytes);

  const RecordBatchHeader& header() const { return header_; }
  // Exactly the bytes of this batch.
  const SharedBytes& bytes() const { return bytes_; }
  bool is_crc_valid() const;
  // All records, decompressed; refused when they unpack to more than `unpacked_bytes_max`.
  Result<std::vector<Record>> records(
      std::size_t unpacked_bytes_max = default_unpacked_bytes_max) const;
  // The bytes of the records, decompressed; refused as above. A slice of the batch when it is not
  // compressed.
  Result<SharedBytes> unpacked_records(
      std::size_t unpacked_bytes_max = default_unpacked_bytes_max) const;
  // Number of valid records without building them: keys, values and headers are checked only for
  // their lengths.
  Result<std::int32_t> count_records(
      std::size_t unpacked_bytes_max = default_unpacked_bytes_max) const;

 private:
  RecordBatchView(SharedBytes bytes, RecordBatchHeader header)
      : bytes_(std::move(bytes)), header_(header) {}

  SharedBytes bytes_;
  RecordBatchHeader header_;
};

// The batches in `bytes`, one after another. A batch that is cut off at the end is left out, as in
// a fetch answer; anything else that is wrong is an error.
Result<std::vector<RecordBatchView>> open_batches(const SharedBytes& bytes);

// What a leader writes into a batch. `log_append_time`, in milliseconds, also sets the timestamp
// type and renews the CRC.
struct Placement {
  std::int64_t base_offset = 0;
  std::int32_t partition_leader_epoch = -1;
  std::optional<std::int64_t> log_append_time = std::nullopt;
};
// Into the bytes of one whole batch.
void place(std::span<std::uint8_t> batch, const Placement& placement);
// Into a copy of the batch.
SharedBytes with_offset(const RecordBatchView& batch, std::int64_t base_offset,
                        std::int32_t partition_leader_epoch,
                        std::optional<std::int64_t> log_append_time = std::nullopt);

// A record as it is given to the builder.
struct NewRecord {
  std::int64_t timestamp = 0;  // milliseconds
  OptionalBytes key;
  OptionalBytes value;
  std::vector<RecordHeader> headers = {};
};

struct RecordBatchOptions {
  std::int64_t base_offset = 0;
  std::int32_t partition_leader_epoch = -1;
  CompressionType compression = CompressionType::none;
  std::int64_t producer_id = no_producer_id;
  std::int16_t producer_epoch = no_producer_epoch;
  std::int32_t base_sequence = no_sequence;
  bool is_transactional = false;
  bool is_control_batch = false;
  std::optional<std::int64_t> log_append_time = std::nullopt;
};

// One batch of these records, byte for byte as Kafka's builder writes it (uncompressed). At least
// one record.
SharedBytes build_batch(const RecordBatchOptions& options, const std::vector<NewRecord>& records);

// What log compaction leaves of a batch that keeps only these of its records: base offset, last
// offset and sequences stay, so that the producer's next batch still follows. `kept` is in the
// order of the offsets, which must be the batch's own. `delete_horizon` (milliseconds) becomes the
// base timestamp; one that the batch has already stays. When nothing is kept the header stays
// alone, without horizon and compression. Source: KIP-534.
SharedBytes compacted_batch(const RecordBatchView& batch, const std::vector<Record>& kept,
                            std::optional<std::int64_t> delete_horizon = std::nullopt);

// ---- control batches

enum class ControlType : std::int16_t { abort = 0, commit = 1, leader_change = 2 };

struct EndTransactionMarker {
  ControlType type = ControlType::abort;
  std::int32_t coordinator_epoch = 0;
  bool operator==(const EndTransactionMarker&) const = default;
};

// The control batch that ends a transaction of that producer.
SharedBytes build_marker(const EndTransactionMarker& marker, std::int64_t producer_id,
                         std::int16_t producer_epoch, std::int64_t timestamp);
// The marker in a control batch; nothing when it holds another control record. Malformed when the
// batch is not a control batch or its record cannot be read.
Result<std::optional<EndTransactionMarker>> read_marker(const RecordBatchView& batch);

}  // namespace fencepost::protocol
