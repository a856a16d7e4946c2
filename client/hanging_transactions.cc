// Three questions: which transactions are open at the leaders, which of their producers do the
// coordinators know, and do those coordinators hold the partition in an open transaction.
#include "client/hanging_transactions.h"

#include <algorithm>
#include <map>

#include "client/explained.h"

namespace fencepost::client {

using protocol::ErrorCode;

namespace {

bool is_open(const ActiveProducer& producer) {
  return producer.current_txn_start_offset >= 0;
}

bool is_in_scope(const HangingScope& scope, const std::string& topic,
                 const protocol::MetadataResponse::MetadataResponsePartition& partition) {
  if (scope.topic.has_value() && topic != *scope.topic) return false;
  if (scope.partition.has_value() && partition.partition_index != *scope.partition) return false;
  return !scope.broker_id.has_value() || partition.leader_id == *scope.broker_id;
}

Task<std::vector<TopicPartition>> partitions_in(ClusterClient& cluster, const HangingScope& scope) {
  std::optional<std::vector<std::string>> topics;
  if (scope.topic.has_value()) topics.emplace(1, *scope.topic);
  Result<protocol::MetadataResponse> metadata = co_await cluster.refresh_metadata(topics);
  if (!metadata) co_return metadata.error();
  std::vector<TopicPartition> partitions;
  for (const auto& topic : metadata->topics) {
    const std::string name = topic.name.value_or("");
    if (scope.topic.has_value() && topic.error_code != ErrorCode::none)
      co_return Error{ErrorKind::stalled,
                      "topic " + name + " is answered with " + explained(topic.error_code)};
    for (const auto& partition : topic.partitions)
      if (is_in_scope(scope, name, partition))
        partitions.push_back({name, partition.partition_index});
  }
  if (scope.partition.has_value() && partitions.empty())
    co_return Error{ErrorKind::invalid_argument, "topic " + scope.topic.value_or("") +
                                                     " has no partition " +
                                                     std::to_string(*scope.partition)};
  co_return partitions;
}

// The transactional.id of each producer id that a coordinator knows.
Task<std::map<std::int64_t, std::string>> known_producers(
    ClusterClient& cluster, const std::vector<HangingTransaction>& candidates) {
  TransactionFilter filter;
  for (const HangingTransaction& candidate : candidates)
    filter.producer_ids.push_back(candidate.producer.producer_id);
  Result<std::vector<CoordinatorTransactions>> listed =
      co_await list_transactions(cluster, std::move(filter));
  if (!listed) co_return listed.error();
  std::map<std::int64_t, std::string> known;
  for (const CoordinatorTransactions& coordinator : *listed) {
    // One that cannot answer may be the one that knows: better no finding than a wrong one.
    if (coordinator.error_code != ErrorCode::none)
      co_return Error{ErrorKind::stalled, "broker " + std::to_string(coordinator.broker_id) +
                                              " does not list its transactions: " +
                                              std::string(to_string(coordinator.error_code))};
    for (const auto& transaction : coordinator.transactions)
      known[transaction.producer_id] = transaction.transactional_id;
  }
  co_return known;
}

// Fills in why each candidate hangs; an empty reason is for one that does not.
Task<void> ask_coordinators(ClusterClient& cluster, std::vector<HangingTransaction>& candidates) {
  Result<std::map<std::int64_t, std::string>> known = co_await known_producers(cluster, candidates);
  if (!known) co_return known.error();
  for (HangingTransaction& candidate : candidates) {
    const auto found = known->find(candidate.producer.producer_id);
    if (found == known->end()) {
      candidate.reason = "no coordinator knows the producer id";
      continue;
    }
    candidate.transactional_id = found->second;
    Result<DescribedTransaction> described = co_await describe_transaction(cluster, found->second);
    if (!described) co_return described.error();
    candidate.reason = why_hanging(candidate.partition, candidate.producer, *described);
  }
  co_return Result<void>();
}

// Keeps those whose partition still holds the same transaction open.
Task<void> look_again(ClusterClient& cluster, std::vector<HangingTransaction>& candidates) {
  std::vector<TopicPartition> partitions;
  for (const HangingTransaction& candidate : candidates)
    if (partitions.empty() || partitions.back() != candidate.partition)
      partitions.push_back(candidate.partition);
  Result<std::vector<PartitionProducers>> now =
      co_await describe_producers(cluster, std::move(partitions));
  if (!now) co_return now.error();
  std::erase_if(candidates, [&now](const HangingTransaction& candidate) {
    const auto at = std::ranges::find(*now, candidate.partition, &PartitionProducers::partition);
    return at == now->end() ||
           std::ranges::none_of(at->producers, [&candidate](const ActiveProducer& producer) {
             return producer.producer_id == candidate.producer.producer_id &&
                    producer.current_txn_start_offset ==
                        candidate.producer.current_txn_start_offset;
           });
  });
  co_return Result<void>();
}

}  // namespace

std::string why_hanging(const TopicPartition& partition, const ActiveProducer& producer,
                        const DescribedTransaction& described) {
  const auto& state = described.state;
  if (state.error_code != ErrorCode::none)
    return "its coordinator answers " + std::string(to_string(state.error_code));
  if (state.producer_id != producer.producer_id)
    return "its transactional.id has moved on to producer id " + std::to_string(state.producer_id);
  for (const auto& topic : state.topics)
    if (topic.topic == partition.topic &&
        std::ranges::find(topic.partitions, partition.partition) != topic.partitions.end())
      return "";
  return "its transaction is " + state.transaction_state + " and does not hold the partition";
}

Task<HangingSearch> find_hanging_transactions(ClusterClient& cluster, HangingScope scope,
                                              std::int64_t now_ms) {
  Result<std::vector<TopicPartition>> partitions = co_await partitions_in(cluster, scope);
  if (!partitions) co_return partitions.error();
  HangingSearch search;
  search.partitions_searched = static_cast<std::int64_t>(partitions->size());
  Result<std::vector<PartitionProducers>> described =
      co_await describe_producers(cluster, std::move(*partitions));
  if (!described) co_return described.error();
  std::ranges::sort(*described, {}, &PartitionProducers::partition);
  for (PartitionProducers& partition : *described) {
    for (const ActiveProducer& producer : partition.producers) {
      if (!is_open(producer)) continue;
      ++search.open_transactions;
      if (now_ms - producer.last_timestamp >= to_milliseconds(scope.age_min))
        search.found.push_back({partition.partition, producer, std::nullopt, ""});
    }
    if (partition.error_code != ErrorCode::none)
      search.could_not_ask.push_back(std::move(partition));
  }
  if (search.found.empty()) co_return search;
  if (Result<void> asked = co_await ask_coordinators(cluster, search.found); !asked)
    co_return asked.error();
  std::erase_if(search.found, [](const HangingTransaction& it) { return it.reason.empty(); });
  if (search.found.empty()) co_return search;
  if (Result<void> looked = co_await look_again(cluster, search.found); !looked)
    co_return looked.error();
  co_return search;
}

}  // namespace fencepost::client
