// The records of __transaction_state: one per change of a transactional.id, byte for byte as Kafka
// writes them. The newest record of an id is its whole state, so the topic can be compacted.
#pragma once

#include <optional>
#include <string>

#include "minibroker/transaction/transaction_metadata.h"
#include "protocol/base/result.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker::transaction {

// Value version 1 (cluster on transaction.version 2) also keeps the producer ids before and after
// and the client's transaction version; version 0 has no place for them.
protocol::NewRecord make_log_record(const std::string& transactional_id,
                                    const TransactionValues& values, std::int16_t value_version,
                                    Instant now);
protocol::NewRecord make_tombstone(const std::string& transactional_id, Instant now);

struct LogEntry {
  std::string transactional_id;
  std::optional<TransactionValues> values;  // nothing: a tombstone
  bool operator==(const LogEntry&) const = default;
};

// The last epoch is not in the log and reads as -1. Nothing for a record of a kind or version that
// Kafka 4.4.0 does not know; malformed when the bytes are not what their version says.
Result<std::optional<LogEntry>> read_log_record(const protocol::Record& record);

}  // namespace fencepost::minibroker::transaction
