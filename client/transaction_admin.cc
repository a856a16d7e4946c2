#include "client/transaction_admin.h"

#include <algorithm>
#include <map>

#include "client/retry.h"
#include "protocol/messages/write_txn_markers.h"

namespace fencepost::client {

using protocol::ErrorCode;

namespace {

Error lacks(std::string what) {
  return {ErrorKind::malformed, "the answer lacks " + std::move(what)};
}

void add_partition(std::vector<protocol::DescribeProducersRequest::TopicRequest>& topics,
                   const TopicPartition& partition) {
  auto topic = std::ranges::find(topics, partition.topic,
                                 &protocol::DescribeProducersRequest::TopicRequest::name);
  if (topic == topics.end()) {
    topic = topics.emplace(topics.end());
    topic->name = partition.topic;
  }
  topic->partition_indexes.push_back(partition.partition);
}

Task<void> learn_brokers(ClusterClient& cluster) {
  std::optional<std::vector<std::string>> no_topics(std::in_place);
  Result<protocol::MetadataResponse> metadata = co_await cluster.refresh_metadata(no_topics);
  if (!metadata) co_return metadata.error();
  co_return Result<void>();
}

Task<std::shared_ptr<Connection>> replica_of(ClusterClient& cluster, TopicPartition partition,
                                             std::optional<std::int32_t> broker_id) {
  if (broker_id.has_value()) co_return co_await cluster.broker(*broker_id);
  co_return co_await cluster.leader_of(partition);
}

Task<DescribedTransaction> describe_once(ClusterClient& cluster, std::string transactional_id,
                                         CallOptions options) {
  protocol::DescribeTransactionsRequest request;
  request.transactional_ids.push_back(transactional_id);
  Result<std::shared_ptr<Connection>> coordinator =
      co_await cluster.coordinator_of(CoordinatorType::transaction, transactional_id, options);
  if (!coordinator) co_return coordinator.error();
  Result<protocol::DescribeTransactionsResponse> response =
      co_await coordinator.value()->call(std::move(request));
  if (!response) co_return response.error();
  if (response->transaction_states.empty()) co_return lacks("transaction " + transactional_id);
  DescribedTransaction described;
  described.state = std::move(response->transaction_states.front());
  for (const auto& [id, address] : cluster.brokers())
    if (to_string(address) == coordinator.value()->address()) described.coordinator_id = id;
  co_return described;
}

}  // namespace

Task<std::vector<CoordinatorTransactions>> list_transactions(ClusterClient& cluster,
                                                             TransactionFilter filter) {
  Result<void> known = co_await learn_brokers(cluster);
  if (!known) co_return known.error();
  protocol::ListTransactionsRequest request;
  request.state_filters = std::move(filter.states);
  request.producer_id_filters = std::move(filter.producer_ids);
  request.duration_filter = filter.duration_ms;
  request.transactional_id_pattern = std::move(filter.transactional_id_pattern);
  std::vector<std::int32_t> broker_ids;
  for (const auto& [id, address] : cluster.brokers()) broker_ids.push_back(id);
  std::vector<CoordinatorTransactions> all;
  for (const std::int32_t id : broker_ids) {
    Result<protocol::ListTransactionsResponse> response = co_await cluster.call_broker(id, request);
    if (!response) co_return response.error();
    CoordinatorTransactions& one = all.emplace_back();
    one.broker_id = id;
    one.error_code = response->error_code;
    one.unknown_states = std::move(response->unknown_state_filters);
    one.transactions = std::move(response->transaction_states);
  }
  co_return all;
}

Task<DescribedTransaction> describe_transaction(ClusterClient& cluster,
                                                std::string transactional_id) {
  if (cluster.brokers().empty()) {  // they name the coordinator
    Result<void> known = co_await learn_brokers(cluster);
    if (!known) co_return known.error();
  }
  Backoff backoff(RetryPolicy(), cluster.clock().now(), 0);
  while (true) {
    CallOptions options;
    options.fresh_lookup = backoff.needs_fresh_lookup();
    Result<DescribedTransaction> described =
        co_await describe_once(cluster, transactional_id, options);
    if (!described) co_return described.error();
    // A coordinator that has just moved, or still loads.
    const std::optional<Instant> again =
        backoff.after(described->state.error_code, cluster.clock().now());
    if (!again.has_value()) co_return described;
    co_await cluster.clock().sleep_until(*again);
  }
}

Task<std::vector<PartitionProducers>> describe_producers(ClusterClient& cluster,
                                                         std::vector<TopicPartition> partitions,
                                                         std::optional<std::int32_t> broker_id) {
  std::map<std::shared_ptr<Connection>, protocol::DescribeProducersRequest> requests;
  for (const TopicPartition& partition : partitions) {
    Result<std::shared_ptr<Connection>> broker = co_await replica_of(cluster, partition, broker_id);
    if (!broker) co_return broker.error();
    add_partition(requests[*broker].topics, partition);
  }
  std::vector<PartitionProducers> all;
  for (auto& [broker, request] : requests) {
    Result<protocol::DescribeProducersResponse> response =
        co_await broker->call(std::move(request));
    if (!response) co_return response.error();
    for (auto& topic : response->topics)
      for (auto& answer : topic.partitions) {
        PartitionProducers& one = all.emplace_back();
        one.partition = TopicPartition{topic.name, answer.partition_index};
        one.error_code = answer.error_code;
        one.error_message = answer.error_message.value_or("");
        one.producers = std::move(answer.active_producers);
      }
  }
  if (all.size() != partitions.size()) co_return lacks("a partition that was asked for");
  co_return all;
}

Task<ErrorCode> write_abort_marker(ClusterClient& cluster, AbortMarker marker) {
  protocol::WriteTxnMarkersRequest request;
  auto& written = request.markers.emplace_back();
  written.producer_id = marker.producer_id;
  written.producer_epoch = marker.producer_epoch;
  written.coordinator_epoch = marker.coordinator_epoch;
  written.transaction_result = false;
  auto& topic = written.topics.emplace_back();
  topic.name = marker.partition.topic;
  topic.partition_indexes.push_back(marker.partition.partition);
  Result<protocol::WriteTxnMarkersResponse> response =
      co_await cluster.call_leader(marker.partition, std::move(request));
  if (!response) co_return response.error();
  if (response->markers.empty() || response->markers.front().topics.empty() ||
      response->markers.front().topics.front().partitions.empty())
    co_return lacks(to_string(marker.partition));
  co_return response->markers.front().topics.front().partitions.front().error_code;
}

}  // namespace fencepost::client
