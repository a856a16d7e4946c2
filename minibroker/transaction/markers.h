// What the transaction coordinator wants written to the partitions of a transaction, and what
// became of it. The broker sends each marker to the partition's leader (WriteTxnMarkers, KIP-98).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "minibroker/topic_partition.h"
#include "minibroker/transaction/transaction_metadata.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::transaction {

// The marker of one transaction for these partitions. The broker looks each leader up afresh.
struct MarkerRequest {
  std::string transactional_id;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  bool is_commit = false;
  std::int32_t coordinator_epoch = -1;
  std::int16_t transaction_version = 0;  // 2: the leader demands a newer epoch (KIP-1228)
  std::vector<TopicPartition> partitions;
  bool operator==(const MarkerRequest&) const = default;
};

// What a leader answered for one partition of a MarkerRequest; the first four fields repeat those
// of the request, so that an answer to an earlier coordinator epoch is told apart.
struct MarkerResult {
  std::string transactional_id;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t coordinator_epoch = -1;
  TopicPartition partition;
  // No leader known yet, or no answer: not_leader_or_follower, so that it is asked again.
  protocol::ErrorCode error = protocol::ErrorCode::none;
  // The partition does not exist any more: counts as done, `error` is not looked at.
  bool is_partition_deleted = false;
  bool operator==(const MarkerResult&) const = default;
};

// A decided transaction whose markers are on their way; the coordinator's own book-keeping.
struct MarkerRound {
  MarkerRequest marker;        // without partitions
  TransactionValues complete;  // written when every partition has its marker
  std::set<TopicPartition> in_flight = {};
  std::map<TopicPartition, Instant> retries = {};
  std::optional<Instant> completion_retry = {};  // `complete` could not be written yet
};

}  // namespace fencepost::minibroker::transaction
