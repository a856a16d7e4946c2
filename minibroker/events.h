// What a cluster shows of itself: events as they happen, and snapshots of partitions, transactions
// and groups. Only for people and properties; nothing in the cluster decides by them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/time.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker {

// One message that was delivered, held, dropped or lost; or a change of state worth a line.
struct Event {
  Instant at;
  std::string text;  // one line, in Kafka's terms
};

enum class BatchState {
  plain,
  open,
  committed,
  aborted,
  commit_marker,
  abort_marker,
  other_control
};

struct BatchSummary {
  std::int64_t base_offset = 0;
  std::int64_t last_offset = 0;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
  BatchState state = BatchState::plain;
  std::vector<std::string> records;  // "k1=s1" for each record, what is not printable as hex
  bool operator==(const BatchSummary&) const = default;
};

// A partition as its leader sees it.
struct PartitionState {
  std::string topic;
  int index = 0;
  int leader_id = -1;
  std::int32_t leader_epoch = 0;
  std::vector<int> replicas;
  std::vector<int> in_sync_replicas;
  std::int64_t log_start_offset = 0;
  std::int64_t last_stable_offset = 0;
  std::int64_t high_watermark = 0;
  std::int64_t log_end_offset = 0;
  std::vector<BatchSummary> batches;
  bool operator==(const PartitionState&) const = default;
};

struct TransactionState {
  std::string transactional_id;
  std::string state;  // "Ongoing", "PrepareCommit", ...: as DescribeTransactions prints it
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  Duration timeout{};
  std::optional<Instant> started;
  std::vector<std::string> partitions;  // "state-0"
  bool has_pending_change = false;
  bool operator==(const TransactionState&) const = default;
};

struct CommittedOffset {
  std::string topic;
  int partition = 0;
  std::int64_t offset = -1;
  bool is_pending = false;  // inside a transaction that has no marker yet
  std::int64_t producer_id = -1;
  bool operator==(const CommittedOffset&) const = default;
};

struct GroupState {
  std::string group_id;
  std::string state;  // "Empty", "PreparingRebalance", ...: as DescribeGroups prints it
  std::int32_t generation = 0;
  std::vector<std::string> members;
  std::vector<CommittedOffset> offsets;
  bool operator==(const GroupState&) const = default;
};

}  // namespace fencepost::minibroker
