#include "tools/wire/batch_json.h"

#include <fmt/format.h>

#include "protocol/codec.h"
#include "protocol/json.h"
#include "protocol/reader.h"
#include "protocol/records/control_records.h"
#include "tools/wire/lines.h"

namespace fencepost::tools::wire {

using namespace protocol;

namespace {

std::string bytes_json(const OptionalBytes& bytes) {
  return bytes ? '"' + to_base64(bytes->view()) + '"' : "null";
}

std::string attributes_json(const RecordBatchHeader& header) {
  const std::optional<CompressionType> compression = compression_of(header.compression_id());
  return fmt::format(
      R"({{"raw":{},"compression":"{}","timestamp_type":"{}","transactional":{},"control":{},)"
      R"("delete_horizon":{}}})",
      header.attributes, compression ? to_string(*compression) : "unknown",
      header.timestamp_type() == TimestampType::log_append_time ? "append" : "create",
      header.is_transactional(), header.is_control_batch(), header.has_delete_horizon());
}

Error in_field(Error error, std::string_view field, std::size_t offset) {
  error.field = error.field.empty() ? std::string(field) : fmt::format("{}.{}", field, error.field);
  error.offset += offset;
  return error;
}

// What the record of a control batch marks.
Result<std::string> control_json(const Record& record) {
  if (!record.key || !record.value)
    return Error{ErrorKind::malformed, "a control record without key or value", 0, {}};
  Reader key(*record.key);
  const std::int16_t version = key.int16();
  const std::int16_t type = key.int16();
  if (key.failed()) return in_field(key.error(), "key", 0);
  const std::string head = fmt::format(R"({{"version":{},"type":{})", version, type);
  Reader value(*record.value);
  const std::int16_t value_version = value.int16();
  if (type == static_cast<int>(ControlType::abort) ||
      type == static_cast<int>(ControlType::commit)) {
    const std::int32_t coordinator_epoch = value.int32();
    if (value.failed()) return in_field(value.error(), "value", 0);
    const bool is_commit = type == static_cast<int>(ControlType::commit);
    return fmt::format(R"({},"name":"{}","value_version":{},"coordinator_epoch":{}}})", head,
                       is_commit ? "COMMIT" : "ABORT", value_version, coordinator_epoch);
  }
  if (type == static_cast<int>(ControlType::leader_change)) {
    if (value.failed()) return in_field(value.error(), "value", 0);
    const auto message = Codec<LeaderChangeMessage>::decode(*record.value, value_version);
    if (!message) return in_field(message.error(), "value", 0);
    return fmt::format(R"({},"name":"LEADER_CHANGE","leader_change":{}}})", head,
                       Codec<LeaderChangeMessage>::to_json(*message, value_version));
  }
  return head + "}";
}

// A message behind its int16 version.
struct Prefixed {
  std::int16_t number = 0;
  SharedBytes body;
};

Result<Prefixed> split(const SharedBytes& bytes, std::string_view field) {
  Reader reader(bytes);
  Prefixed out;
  out.number = reader.int16();
  if (reader.failed()) return in_field(reader.error(), field, 0);
  out.body = reader.shared(reader.remaining());
  return out;
}

std::string content_member(std::string_view name, const Result<std::string>& json) {
  return fmt::format(R"(,"{}":{})", name, json ? *json : error_json(json.error()));
}

std::string record_json(const Record& record, const RecordBatchHeader& header,
                        std::optional<InternalTopic> topic) {
  RecordBatchHeader up_to_here = header;
  up_to_here.last_offset_delta = static_cast<std::int32_t>(record.offset - header.base_offset);
  std::string out = fmt::format(R"({{"offset":{},"timestamp":{},"sequence":{},"key":{},"value":{})",
                                record.offset, record.timestamp, up_to_here.last_sequence(),
                                bytes_json(record.key), bytes_json(record.value));
  out += ",\"headers\":[";
  for (std::size_t i = 0; i < record.headers.size(); ++i) {
    out += i > 0 ? ",{\"key\":" : "{\"key\":";
    append_json_string(out, record.headers[i].key);
    out += ",\"value\":" + bytes_json(record.headers[i].value) + "}";
  }
  out += "]";
  if (header.is_control_batch())
    out += content_member("control", control_json(record));
  else if (topic && record.key)
    out += content_member("content", internal_record_json(*topic, *record.key, record.value));
  return out + "}";
}

}  // namespace

Result<std::string> batch_json(const RecordBatchView& batch, std::optional<InternalTopic> topic) {
  const RecordBatchHeader& header = batch.header();
  const Result<std::vector<Record>> records = batch.records();
  if (!records) return records.error();
  std::string out = fmt::format(
      R"({{"base_offset":{},"batch_length":{},"partition_leader_epoch":{},"magic":{},"crc":{},)"
      R"("attributes":{},"last_offset_delta":{},"base_timestamp":{},"max_timestamp":{},)"
      R"("delete_horizon_ms":{},"producer_id":{},"producer_epoch":{},"base_sequence":{},)"
      R"("record_count":{},"records":[)",
      header.base_offset, header.batch_length, header.partition_leader_epoch, header.magic,
      header.crc, attributes_json(header), header.last_offset_delta, header.base_timestamp,
      header.max_timestamp,
      header.has_delete_horizon() ? std::to_string(header.base_timestamp) : "null",
      header.producer_id, header.producer_epoch, header.base_sequence, header.record_count);
  for (std::size_t i = 0; i < records->size(); ++i) {
    if (i > 0) out += ',';
    out += record_json((*records)[i], header, topic);
  }
  return out + "]}";
}

Result<std::string> internal_record_json(InternalTopic topic, const SharedBytes& key,
                                         const OptionalBytes& value) {
  const Result<Prefixed> key_parts = split(key, "key");
  if (!key_parts) return key_parts.error();
  const InternalRecordType* type = find_internal_record_type(topic, key_parts->number);
  if (type == nullptr)
    return Error{
        ErrorKind::malformed,
        fmt::format("record type {}, which {} does not have", key_parts->number, to_string(topic)),
        0, "key.type"};
  const Result<std::string> key_data = type->key.to_json(key_parts->body, 0);
  if (!key_data) return in_field(key_data.error(), "key", 2);
  std::string out =
      fmt::format(R"({{"key":{{"type":{},"data":{}}},"value":)", key_parts->number, *key_data);
  if (!value) return out + "null}";
  const Result<Prefixed> value_parts = split(*value, "value");
  if (!value_parts) return value_parts.error();
  const Result<std::string> data = type->value.to_json(value_parts->body, value_parts->number);
  if (!data) return in_field(data.error(), "value", 2);
  return out + fmt::format(R"({{"version":{},"data":{}}}}})", value_parts->number, *data);
}

}  // namespace fencepost::tools::wire
