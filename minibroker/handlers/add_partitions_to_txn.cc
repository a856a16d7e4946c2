// AddPartitionsToTxn: looks at the partitions; the coordinator decides about the transaction, see
// transaction/add_partitions.cc.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Topics = std::vector<AddPartitionsToTxnRequest::AddPartitionsToTxnTopic>;
using TopicResults = std::vector<AddPartitionsToTxnResponse::AddPartitionsToTxnTopicResult>;

// A client reaches the offsets partition of a group only through AddOffsetsToTxn.
ErrorCode check(const Turn& turn, const RequestContext& context, const TopicPartition& partition,
                bool is_from_client) {
  const bool is_internal =
      partition.topic == consumer_offsets_topic || partition.topic == transaction_state_topic;
  const bool is_denied =
      is_internal || !allows_topic(turn, context, Operation::write, partition.topic);
  if (is_from_client && is_denied) return ErrorCode::topic_authorization_failed;
  return turn.controller.find_partition(partition) == nullptr
             ? ErrorCode::unknown_topic_or_partition
             : ErrorCode::none;
}

// The answer when any partition is bad: nothing is added, and the good ones are told that they were
// not attempted. Nothing when all are good.
std::optional<TopicResults> refuse_bad(const Turn& turn, const RequestContext& context,
                                       const Topics& topics, bool is_from_client) {
  TopicResults results;
  bool is_bad = false;
  for (const auto& topic : topics) {
    auto& answered = results.emplace_back();
    answered.name = topic.name;
    for (std::int32_t index : topic.partitions) {
      ErrorCode error = check(turn, context, {topic.name, index}, is_from_client);
      is_bad |= error != ErrorCode::none;
      if (error == ErrorCode::none) error = ErrorCode::operation_not_attempted;
      answered.results_by_partition.push_back({index, error, {}});
    }
  }
  if (!is_bad) return std::nullopt;
  return results;
}

TopicResults refuse_all(const Topics& topics, ErrorCode error) {
  TopicResults results;
  for (const auto& topic : topics) {
    auto& answered = results.emplace_back();
    answered.name = topic.name;
    for (const std::int32_t index : topic.partitions)
      answered.results_by_partition.push_back({index, error, {}});
  }
  return results;
}

}  // namespace

void add_partitions_to_txn(Broker& broker, Turn& turn, const RequestContext& context,
                           const AddPartitionsToTxnRequest& request) {
  if (context.api_version < 4) {
    if (!allows_transactional_id(turn, context, Operation::write,
                                 request.v3_and_below_transactional_id)) {
      AddPartitionsToTxnResponse response;
      response.results_by_topic_v3_and_below =
          refuse_all(request.v3_and_below_topics, ErrorCode::transactional_id_authorization_failed);
      return broker.reply(context, response);
    }
    if (auto refused = refuse_bad(turn, context, request.v3_and_below_topics, true)) {
      AddPartitionsToTxnResponse response;
      response.results_by_topic_v3_and_below = std::move(*refused);
      return broker.reply(context, response);
    }
    return broker.transactions().add_partitions_to_txn(context, request, turn.now);
  }
  // Only brokers ask for many transactions.
  if (!allows_cluster(turn, context, Operation::cluster_action)) {
    AddPartitionsToTxnResponse response;
    response.error_code = ErrorCode::cluster_authorization_failed;
    return broker.reply(context, response);
  }
  AddPartitionsToTxnRequest good;
  std::vector<AddPartitionsToTxnResponse::AddPartitionsToTxnResult> refused;
  for (const auto& transaction : request.transactions) {
    if (auto results = refuse_bad(turn, context, transaction.topics, false))
      refused.push_back({transaction.transactional_id, std::move(*results), {}});
    else
      good.transactions.push_back(transaction);
  }
  broker.transactions().add_partitions_to_txn(context, good, turn.now, std::move(refused));
}

}  // namespace fencepost::minibroker::handlers
