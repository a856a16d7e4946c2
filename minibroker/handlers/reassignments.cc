// AlterPartitionReassignments and ListPartitionReassignments: replicas can be put in another order;
// moving them to other brokers is refused, so none is ever under way.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

ControllerAnswer reassign(Turn& turn, const TopicPartition& partition,
                          const std::optional<std::vector<std::int32_t>>& replicas) {
  const TopicImage* topic = turn.controller.find_topic(partition.topic);
  if (topic == nullptr)
    return {ErrorCode::unknown_topic_or_partition,
            "Unable to find a topic named " + partition.topic + "."};
  if (turn.controller.find_partition(partition) == nullptr)
    return {ErrorCode::unknown_topic_or_partition, "Unable to find partition " + partition.topic +
                                                       ":" + std::to_string(partition.partition) +
                                                       "."};
  if (!replicas) return {ErrorCode::no_reassignment_in_progress, ""};
  return turn.controller.reorder_replicas(partition, *replicas);
}

}  // namespace

void alter_partition_reassignments(Broker& broker, Turn& turn, const RequestContext& context,
                                   const AlterPartitionReassignmentsRequest& request) {
  AlterPartitionReassignmentsResponse response;
  turn.controller.catch_up();
  response.allow_replication_factor_change = request.allow_replication_factor_change;
  const bool is_allowed = allows_cluster(turn, context, Operation::alter);
  if (!request.topics.empty()) response.error_message = std::nullopt;
  if (!is_allowed) {
    response.error_code = ErrorCode::cluster_authorization_failed;
    response.error_message = cluster_denied_message;
  }
  for (const auto& topic : request.topics) {
    auto& answered = response.responses.emplace_back();
    answered.name = topic.name;
    for (const auto& partition : topic.partitions) {
      const ControllerAnswer answer =
          is_allowed ? reassign(turn, {topic.name, partition.partition_index}, partition.replicas)
                     : ControllerAnswer{response.error_code, cluster_denied_message};
      auto& result = answered.partitions.emplace_back();
      result.partition_index = partition.partition_index;
      result.error_code = answer.error;
      result.error_message = std::nullopt;
      if (!answer.message.empty()) result.error_message = answer.message;
    }
  }
  broker.reply(context, response);
}

void list_partition_reassignments(Broker& broker, Turn& turn, const RequestContext& context,
                                  const ListPartitionReassignmentsRequest&) {
  ListPartitionReassignmentsResponse response;
  response.error_message = std::nullopt;
  if (!allows_cluster(turn, context, Operation::describe)) {
    response.error_code = ErrorCode::cluster_authorization_failed;
    response.error_message = cluster_denied_message;
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
