// Hanging transactions: open at a partition's leader, and unknown to any coordinator that could
// end them. They hold the last stable offset back for ever (KIP-664, KIP-890).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/cluster_client.h"
#include "client/transaction_admin.h"

namespace fencepost::client {

struct HangingScope {
  std::optional<std::int32_t> broker_id = std::nullopt;  // only partitions led by that broker
  std::optional<std::string> topic = std::nullopt;
  std::optional<std::int32_t> partition = std::nullopt;  // of that topic
  // Younger transactions may be about to be decided: nothing is said of them. Counted from the
  // transaction's newest record. At least the cluster's transaction.max.timeout.ms is safe.
  Duration age_min = std::chrono::minutes(15);
};

struct HangingTransaction {
  TopicPartition partition;
  ActiveProducer producer;
  std::optional<std::string> transactional_id;  // of the producer id, where a coordinator knows it
  std::string reason;                           // why no coordinator will end it
};

struct HangingSearch {
  std::vector<HangingTransaction> found;          // by partition and start offset
  std::vector<PartitionProducers> could_not_ask;  // partitions whose leader refused, and why
  std::int64_t partitions_searched = 0;
  std::int64_t open_transactions = 0;  // of any age
};

// Compares what the leaders hold open with what the coordinators know. What it finds is looked at
// twice, so that a transaction that ends meanwhile is not called hanging. `now_ms` is the wall
// clock in Unix milliseconds, as the producers' timestamps are.
Task<HangingSearch> find_hanging_transactions(ClusterClient& cluster, HangingScope scope,
                                              std::int64_t now_ms);

// Whether a coordinator that answered `described` leaves the partition's transaction open for
// ever, and why; empty when it is the coordinator's to end.
std::string why_hanging(const TopicPartition& partition, const ActiveProducer& producer,
                        const DescribedTransaction& described);

}  // namespace fencepost::client
