// What an administrator asks of transactions: the coordinators' view, the partition leaders' view,
// and the marker that ends a transaction which no coordinator knows any more. Each function asks
// the brokers that know; what a broker refuses is data, with its error code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/cluster_client.h"
#include "protocol/messages/describe_producers.h"
#include "protocol/messages/describe_transactions.h"
#include "protocol/messages/list_transactions.h"

namespace fencepost::client {

struct TransactionFilter {
  std::vector<std::string> states;         // Kafka's names: "Ongoing"; empty: all
  std::vector<std::int64_t> producer_ids;  // empty: all
  std::int64_t duration_ms = -1;           // only what runs longer (brokers from 3.8 on); -1: all
  std::optional<std::string> transactional_id_pattern;  // RE2 (brokers from 4.1 on)
};

// What one coordinator lists.
struct CoordinatorTransactions {
  std::int32_t broker_id = -1;
  protocol::ErrorCode error_code = protocol::ErrorCode::none;
  std::vector<std::string> unknown_states;  // of the filter, as that broker says
  std::vector<protocol::ListTransactionsResponse::TransactionState> transactions;
};

// API 66, to every broker. A filter that a broker's version does not have is
// ErrorKind::not_encodable: nothing is listed rather than too much.
Task<std::vector<CoordinatorTransactions>> list_transactions(ClusterClient& cluster,
                                                             TransactionFilter filter);

struct DescribedTransaction {
  std::int32_t coordinator_id = -1;
  // Its error_code is TRANSACTIONAL_ID_NOT_FOUND when the coordinator does not know the id.
  protocol::DescribeTransactionsResponse::TransactionState state;
};

// API 65, to the coordinator of that id; asked again while it moves or loads.
Task<DescribedTransaction> describe_transaction(ClusterClient& cluster,
                                                std::string transactional_id);

using ActiveProducer = protocol::DescribeProducersResponse::ProducerState;

struct PartitionProducers {
  TopicPartition partition;
  protocol::ErrorCode error_code = protocol::ErrorCode::none;
  std::string error_message;
  std::vector<ActiveProducer> producers;
};

// API 61, to the leader of each partition, or to that broker as one of its replicas. In no order.
Task<std::vector<PartitionProducers>> describe_producers(
    ClusterClient& cluster, std::vector<TopicPartition> partitions,
    std::optional<std::int32_t> broker_id = std::nullopt);

// Which transaction to end on one partition, as DescribeProducers tells it.
struct AbortMarker {
  TopicPartition partition;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t coordinator_epoch = 0;
};

// API 27, an abort marker to the leader of the partition, as a coordinator would send it. It ends
// the open transaction of that producer on this partition alone.
Task<protocol::ErrorCode> write_abort_marker(ClusterClient& cluster, AbortMarker marker);

}  // namespace fencepost::client
