// Control batches: one record, whose key says what kind of marker it is.
#include "protocol/reader.h"
#include "protocol/records/record_batch.h"
#include "protocol/writer.h"

namespace fencepost::protocol {

namespace {

constexpr std::int16_t control_record_version = 0;

Error malformed(std::string text, std::string field) {
  return Error{ErrorKind::malformed, std::move(text), 0, std::move(field)};
}

// A version above ours only adds fields behind those we know.
std::int16_t read_version(Reader& reader) {
  const std::int16_t version = reader.int16();
  if (!reader.failed() && version < 0) reader.fail("version " + std::to_string(version));
  return version;
}

}  // namespace

SharedBytes build_marker(const EndTransactionMarker& marker, std::int64_t producer_id,
                         std::int16_t producer_epoch, std::int64_t timestamp) {
  Writer key;
  key.int16(control_record_version);
  key.int16(static_cast<std::int16_t>(marker.type));
  Writer value;
  value.int16(control_record_version);
  value.int32(marker.coordinator_epoch);
  RecordBatchOptions options;
  options.producer_id = producer_id;
  options.producer_epoch = producer_epoch;
  options.is_transactional = true;
  options.is_control_batch = true;
  return build_batch(options, {{timestamp, key.finish().flatten(), value.finish().flatten()}});
}

Result<std::optional<EndTransactionMarker>> read_marker(const RecordBatchView& batch) {
  if (!batch.header().is_control_batch()) return malformed("not a control batch", "attributes");
  // Compaction empties the batch once the whole transaction is gone.
  if (batch.header().record_count == 0) return std::optional<EndTransactionMarker>();
  const Result<std::vector<Record>> records = batch.records();
  if (!records) return records.error();
  const Record& record = records->front();
  if (!record.key) return malformed("a control record without a key", "records[0].key");
  Reader key(*record.key);
  read_version(key);
  const std::int16_t type = key.int16();
  if (key.failed()) return malformed(key.error().text, "records[0].key");
  if (type != static_cast<std::int16_t>(ControlType::abort) &&
      type != static_cast<std::int16_t>(ControlType::commit))
    return std::optional<EndTransactionMarker>();
  if (!record.value) return malformed("an end marker without a value", "records[0].value");
  Reader value(*record.value);
  read_version(value);
  const std::int32_t coordinator_epoch = value.int32();
  if (value.failed()) return malformed(value.error().text, "records[0].value");
  return std::optional(EndTransactionMarker{static_cast<ControlType>(type), coordinator_epoch});
}

}  // namespace fencepost::protocol
