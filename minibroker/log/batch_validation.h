// What is wrong with records that a client sends, looked at before any producer state: the request
// layer's look at the bytes, and the leader's look at the batch, each with Kafka's answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/time.h"
#include "protocol/error_code.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

enum class AppendOrigin { client, coordinator };

// What of a topic's configuration decides whether a batch is accepted and how it is stored.
struct BatchRules {
  std::int32_t max_message_bytes = 1048588;  // max.message.bytes
  protocol::TimestampType timestamp_type = protocol::TimestampType::create_time;
  bool is_compacted = false;  // a record without key is refused
  // compression.type; nothing leaves a batch as its producer has compressed it.
  std::optional<protocol::CompressionType> compression;
  // message.timestamp.before.max.ms and ...after.max.ms; nothing is unlimited.
  std::optional<Duration> timestamp_before_max;
  std::optional<Duration> timestamp_after_max;
  bool operator==(const BatchRules&) const = default;
};

// A record that is to blame for the refusal of its batch.
struct RecordError {
  std::int32_t batch_index = 0;  // of the record in its batch
  std::string message;
  bool operator==(const RecordError&) const = default;
};

struct BatchRefusal {
  protocol::ErrorCode error = protocol::ErrorCode::none;
  // Empty where Kafka puts no text into its answer.
  std::string message;
  std::vector<RecordError> record_errors;
};

// What the request layer says to the records of one partition: NONE, INVALID_RECORD,
// CORRUPT_MESSAGE, UNSUPPORTED_COMPRESSION_TYPE, or UNKNOWN_SERVER_ERROR where Kafka fails.
protocol::ErrorCode check_produce_records(const SharedBytes& records, std::int16_t api_version);

// A batch that may be stored. `bytes` is what the client sent, except where Kafka corrects it: a
// wrong maximal timestamp or timestamp type, offsets inside a compressed batch.
struct ValidBatch {
  SharedBytes bytes;
  protocol::RecordBatchHeader header;
};

// The only batch of `records`, checked; bytes after it that are no batch are ignored. When refused,
// `refusal` says why and nothing is returned.
std::optional<ValidBatch> validate_batch(const SharedBytes& records, AppendOrigin origin,
                                         const BatchRules& rules, Instant now,
                                         BatchRefusal& refusal);

}  // namespace fencepost::minibroker
