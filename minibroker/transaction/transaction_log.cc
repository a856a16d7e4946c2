#include "minibroker/transaction/transaction_log.h"

#include <utility>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/codec.h"
#include "protocol/records/transaction_log.h"

namespace fencepost::minibroker::transaction {

using protocol::Codec;
using protocol::TransactionLogKey;
using protocol::TransactionLogValue;

namespace {

constexpr std::int16_t key_record_type = 0;
constexpr std::int16_t value_version_max = 1;
constexpr std::size_t prefix_bytes = 2;

template <class Message>
SharedBytes with_prefix(std::int16_t prefix, const Message& message, std::int16_t version) {
  Result<Frame> body = Codec<Message>::encode(message, version);
  CHECK(body.ok());
  SharedBytes encoded = body->flatten();
  ByteVector bytes{static_cast<std::uint8_t>(prefix >> 8), static_cast<std::uint8_t>(prefix)};
  bytes.insert(bytes.end(), encoded.view().begin(), encoded.view().end());
  return SharedBytes(std::move(bytes));
}

std::optional<std::int16_t> prefix_of(const SharedBytes& bytes) {
  if (bytes.size() < prefix_bytes) return std::nullopt;
  return static_cast<std::int16_t>((bytes.data()[0] << 8) | bytes.data()[1]);
}

SharedBytes body_of(const SharedBytes& bytes) {
  return bytes.slice(prefix_bytes, bytes.size() - prefix_bytes);
}

SharedBytes make_key(const std::string& transactional_id) {
  TransactionLogKey key;
  key.transactional_id = transactional_id;
  return with_prefix(key_record_type, key, 0);
}

std::vector<TransactionLogValue::PartitionsSchema> by_topic(
    const std::set<TopicPartition>& partitions) {
  std::vector<TransactionLogValue::PartitionsSchema> topics;
  for (const TopicPartition& partition : partitions) {
    if (topics.empty() || topics.back().topic != partition.topic)
      topics.emplace_back().topic = partition.topic;
    topics.back().partition_ids.push_back(partition.partition);
  }
  return topics;
}

Error malformed(std::string text, std::string field) {
  return {ErrorKind::malformed, std::move(text), 0, std::move(field)};
}

Result<TransactionValues> to_values(const TransactionLogValue& value) {
  std::optional<TransactionStatus> status = status_in_log(value.transaction_status);
  if (!status)
    return malformed("no such status: " + std::to_string(value.transaction_status),
                     "transactionStatus");
  TransactionValues values;
  values.producer_id = value.producer_id;
  values.previous_producer_id = value.previous_producer_id;
  values.next_producer_id = value.next_producer_id;
  values.producer_epoch = value.producer_epoch;
  values.timeout = milliseconds(value.transaction_timeout_ms);
  values.status = *status;
  values.last_update = Instant(milliseconds(value.transaction_last_update_timestamp_ms));
  if (value.transaction_start_timestamp_ms >= 0)
    values.started = Instant(milliseconds(value.transaction_start_timestamp_ms));
  values.client_transaction_version = value.client_transaction_version;
  if (*status == TransactionStatus::empty) return values;
  if (!value.transaction_partitions)
    return malformed("partitions are null in a state that has them", "transactionPartitions");
  for (const TransactionLogValue::PartitionsSchema& topic : *value.transaction_partitions)
    for (std::int32_t partition : topic.partition_ids)
      values.partitions.insert({topic.topic, partition});
  return values;
}

}  // namespace

protocol::NewRecord make_log_record(const std::string& transactional_id,
                                    const TransactionValues& values, std::int16_t value_version,
                                    Instant now) {
  TransactionLogValue value;
  value.producer_id = values.producer_id;
  value.producer_epoch = values.producer_epoch;
  value.transaction_timeout_ms = static_cast<std::int32_t>(to_milliseconds(values.timeout));
  value.transaction_status = static_cast<std::int8_t>(values.status);
  value.transaction_partitions.reset();
  if (values.status != TransactionStatus::empty)
    value.transaction_partitions = by_topic(values.partitions);
  value.transaction_last_update_timestamp_ms = to_timestamp(values.last_update);
  value.transaction_start_timestamp_ms = values.started ? to_timestamp(*values.started) : -1;
  if (value_version >= 1) {
    value.previous_producer_id = values.previous_producer_id;
    value.next_producer_id = values.next_producer_id;
    value.client_transaction_version = values.client_transaction_version;
  }
  return {to_timestamp(now), make_key(transactional_id),
          with_prefix(value_version, value, value_version)};
}

protocol::NewRecord make_tombstone(const std::string& transactional_id, Instant now) {
  return {to_timestamp(now), make_key(transactional_id), std::nullopt};
}

Result<std::optional<LogEntry>> read_log_record(const protocol::Record& record) {
  if (!record.key) return malformed("a record without a key", "key");
  std::optional<std::int16_t> type = prefix_of(*record.key);
  if (!type) return malformed("a key without a record type", "key");
  if (*type != key_record_type) return std::optional<LogEntry>{};
  Result<TransactionLogKey> key = Codec<TransactionLogKey>::decode(body_of(*record.key), 0);
  if (!key) return key.error();
  LogEntry entry{key->transactional_id, std::nullopt};
  if (!record.value) return std::optional{std::move(entry)};

  std::optional<std::int16_t> version = prefix_of(*record.value);
  if (!version) return malformed("a value without a version", "value");
  if (*version < 0 || *version > value_version_max) return std::optional<LogEntry>{};
  Result<TransactionLogValue> value =
      Codec<TransactionLogValue>::decode(body_of(*record.value), *version);
  if (!value) return value.error();
  Result<TransactionValues> values = to_values(*value);
  if (!values) return values.error();
  entry.values = std::move(*values);
  return std::optional{std::move(entry)};
}

}  // namespace fencepost::minibroker::transaction
