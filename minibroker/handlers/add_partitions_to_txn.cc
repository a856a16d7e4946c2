// AddPartitionsToTxn: looks at the partitions; the coordinator decides about the transaction, see
// transaction/add_partitions.cc.
#include <algorithm>

#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Topics = std::vector<AddPartitionsToTxnRequest::AddPartitionsToTxnTopic>;
using TopicResults = std::vector<AddPartitionsToTxnResponse::AddPartitionsToTxnTopicResult>;

// A client reaches the offsets partition of a group only through AddOffsetsToTxn.
ErrorCode check(const Turn& turn, const TopicPartition& partition, bool is_from_client) {
  const bool is_internal =
      partition.topic == consumer_offsets_topic || partition.topic == transaction_state_topic;
  if (is_internal && is_from_client) return ErrorCode::topic_authorization_failed;
  return turn.controller.find_partition(partition) == nullptr
             ? ErrorCode::unknown_topic_or_partition
             : ErrorCode::none;
}

// The answer when any partition is bad: nothing is added, and the good ones are told that they were
// not attempted. Nothing when all are good.
std::optional<TopicResults> refuse_bad(const Turn& turn, const Topics& topics,
                                       bool is_from_client) {
  TopicResults results;
  bool is_bad = false;
  for (const auto& topic : topics) {
    auto& answered = results.emplace_back();
    answered.name = topic.name;
    for (std::int32_t index : topic.partitions) {
      ErrorCode error = check(turn, {topic.name, index}, is_from_client);
      is_bad |= error != ErrorCode::none;
      if (error == ErrorCode::none) error = ErrorCode::operation_not_attempted;
      answered.results_by_partition.push_back({index, error, {}});
    }
  }
  if (!is_bad) return std::nullopt;
  return results;
}

}  // namespace

void add_partitions_to_txn(Broker& broker, Turn& turn, const RequestContext& context,
                           const AddPartitionsToTxnRequest& request) {
  if (context.api_version < 4) {
    if (auto refused = refuse_bad(turn, request.v3_and_below_topics, true)) {
      AddPartitionsToTxnResponse response;
      response.results_by_topic_v3_and_below = std::move(*refused);
      return broker.reply(context, response);
    }
    return broker.transactions().add_partitions_to_txn(context, request, turn.now);
  }
  AddPartitionsToTxnRequest good;
  std::vector<AddPartitionsToTxnResponse::AddPartitionsToTxnResult> refused;
  for (const auto& transaction : request.transactions) {
    if (auto results = refuse_bad(turn, transaction.topics, false))
      refused.push_back({transaction.transactional_id, std::move(*results), {}});
    else
      good.transactions.push_back(transaction);
  }
  broker.transactions().add_partitions_to_txn(context, good, turn.now, std::move(refused));
}

}  // namespace fencepost::minibroker::handlers
