// DescribeProducers: what a partition leader knows of its producers (KIP-664).
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

// What is wrong with a whole topic; the message is empty when it is good.
ControllerAnswer check_topic(const Turn& turn, const RequestContext& context,
                             const std::string& name) {
  if (auto problem = topic_name_problem(name))
    return {ErrorCode::invalid_topic_exception, std::move(*problem)};
  if (!allows_topic(turn, context, Operation::read, name))
    return {ErrorCode::topic_authorization_failed, topic_denied_message};
  if (turn.controller.find_topic(name) != nullptr) return {};
  return {ErrorCode::unknown_topic_or_partition, "This server does not host this topic-partition."};
}

}  // namespace

void describe_producers(Broker& broker, Turn& turn, const RequestContext& context,
                        const DescribeProducersRequest& request) {
  DescribeProducersResponse response;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.name = topic.name;
    const ControllerAnswer refused = check_topic(turn, context, topic.name);
    for (std::int32_t index : topic.partition_indexes) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition_index = index;
      answer.error_message = std::nullopt;
      if (refused.error != ErrorCode::none) {
        answer.error_code = refused.error;
        answer.error_message = refused.message;
        continue;
      }
      Replica* replica = broker.replicas().leader({topic.name, index}, answer.error_code);
      if (replica == nullptr) continue;
      for (const auto& [producer_id, entry] : replica->log.producers()) {
        auto& producer = answer.active_producers.emplace_back();
        producer.producer_id = producer_id;
        producer.producer_epoch = entry.producer_epoch;
        producer.last_sequence = entry.last_sequence();
        producer.last_timestamp = entry.last_timestamp;
        producer.coordinator_epoch = entry.coordinator_epoch;
        producer.current_txn_start_offset = entry.transaction_first_offset.value_or(-1);
      }
    }
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
