#include "tools/txn/tables.h"

namespace fencepost::tools {

namespace {

// A value that only sometimes exists; Kafka's tool prints None.
Cell none_if(bool is_absent, std::int64_t value) {
  if (is_absent) return std::string("None");
  return value;
}

std::string partition_list(
    const std::vector<protocol::DescribeTransactionsResponse::TopicData>& topics) {
  std::string list;
  for (const auto& topic : topics)
    for (const std::int32_t partition : topic.partitions)
      list += (list.empty() ? "" : ",") + topic.topic + "-" + std::to_string(partition);
  return list;
}

}  // namespace

Table list_table(const std::vector<client::CoordinatorTransactions>& coordinators) {
  Table table{{"TransactionalId", "Coordinator", "ProducerId", "TransactionState"}, {}};
  for (const auto& coordinator : coordinators)
    for (const auto& transaction : coordinator.transactions)
      table.rows.push_back({transaction.transactional_id, coordinator.broker_id,
                            transaction.producer_id, transaction.transaction_state});
  return table;
}

Table describe_table(const std::vector<client::DescribedTransaction>& transactions,
                     std::int64_t now_ms) {
  Table table{{"CoordinatorId", "TransactionalId", "ProducerId", "ProducerEpoch",
               "TransactionState", "TransactionTimeoutMs", "CurrentTransactionStartTimeMs",
               "TransactionDurationMs", "TopicPartitions"},
              {}};
  for (const auto& [coordinator_id, state] : transactions) {
    const std::int64_t start = state.transaction_start_time_ms;
    table.rows.push_back({coordinator_id, state.transactional_id, state.producer_id,
                          state.producer_epoch, state.transaction_state,
                          state.transaction_timeout_ms, none_if(start < 0, start),
                          none_if(start < 0, now_ms - start), partition_list(state.topics)});
  }
  return table;
}

Table producers_table(const client::PartitionProducers& partition) {
  Table table{{"ProducerId", "ProducerEpoch", "LatestCoordinatorEpoch", "LastSequence",
               "LastTimestamp", "CurrentTransactionStartOffset"},
              {}};
  for (const auto& producer : partition.producers)
    table.rows.push_back(
        {producer.producer_id, producer.producer_epoch,
         none_if(producer.coordinator_epoch < 0, producer.coordinator_epoch),
         producer.last_sequence, producer.last_timestamp,
         none_if(producer.current_txn_start_offset < 0, producer.current_txn_start_offset)});
  return table;
}

Table hanging_table(const std::vector<client::HangingTransaction>& transactions,
                    std::int64_t now_ms) {
  Table table{{"Topic", "Partition", "ProducerId", "ProducerEpoch", "CoordinatorEpoch",
               "StartOffset", "LastTimestamp", "Duration(min)", "TransactionalId", "Reason"},
              {}};
  for (const auto& hanging : transactions) {
    const auto& producer = hanging.producer;
    table.rows.push_back({hanging.partition.topic, hanging.partition.partition,
                          producer.producer_id, producer.producer_epoch, producer.coordinator_epoch,
                          producer.current_txn_start_offset, producer.last_timestamp,
                          (now_ms - producer.last_timestamp) / 60000,
                          hanging.transactional_id.value_or("-"), hanging.reason});
  }
  return table;
}

}  // namespace fencepost::tools
