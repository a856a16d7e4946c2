// What the transaction coordinator answers to a partition leader that verifies or adds partitions
// (KIP-890), and what Produce and TxnOffsetCommit make of it.
#pragma once

#include <map>

#include "minibroker/broker.h"
#include "minibroker/era.h"
#include "minibroker/log/partition_log.h"
#include "minibroker/topic_partition.h"
#include "protocol/base/bytes.h"
#include "protocol/base/time.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::handlers {

// add.partitions.to.txn.retry.backoff.ms and ...max.ms
constexpr Duration concurrent_transactions_retry_backoff = milliseconds(20);
constexpr Duration concurrent_transactions_retry_max = milliseconds(100);

// What the leader sees before it asks: an epoch that is over is fenced at once (KAFKA-19690).
protocol::ErrorCode check_epoch_before_verification(const Era& era, const PartitionLog& log,
                                                    std::int64_t producer_id,
                                                    std::int16_t producer_epoch,
                                                    bool adds_partition);
// What it sees when the partition has been added: while a transaction of an older epoch is open,
// its marker is still to come, and would take this batch for one of its own (KAFKA-18575). Where
// the log does not verify, nobody looks.
protocol::ErrorCode check_marker_has_come(Broker& broker, const TopicPartition& partition,
                                          std::int64_t producer_id, std::int16_t producer_epoch);

class VerificationAnswer {
 public:
  // The body of an AddPartitionsToTxn response in the era's highest version; null when there was no
  // coordinator or no answer.
  VerificationAnswer(const Era& era, const SharedBytes* body);

  // NONE, or the coordinator's error; NETWORK_EXCEPTION when it said nothing.
  protocol::ErrorCode of(const TopicPartition& partition) const;

 private:
  std::map<TopicPartition, protocol::ErrorCode> errors_;
};

// The coordinator's error as Produce and as TxnOffsetCommit tell it, by version.
protocol::ErrorCode produce_error(protocol::ErrorCode error, std::int16_t api_version);
protocol::ErrorCode txn_offset_commit_error(protocol::ErrorCode error, std::int16_t api_version);

}  // namespace fencepost::minibroker::handlers
