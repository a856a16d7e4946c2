// WriteTxnMarkers: from the transaction coordinator, or from an operator who ends a hanging
// transaction. A marker is answered when it is replicated, and on an offsets partition when the
// group's offsets are decided.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr Duration replication_timeout = std::chrono::seconds(30);  // request.timeout.ms

using Marker = WriteTxnMarkersRequest::WritableTxnMarker;

WriteTxnMarkersResponse::WritableTxnMarkerPartitionResult& answer_at(MarkerOperation& operation,
                                                                     const AnswerSlot& slot) {
  return operation.response.markers[slot.first].topics[slot.second].partitions[slot.third];
}

void finish_if_answered(Broker& broker, OperationId id) {
  const auto found = broker.markers().find(id);
  if (found == broker.markers().end() || found->second.unanswered > 0) return;
  const MarkerOperation operation = std::move(found->second);
  broker.markers().erase(found);
  broker.reply(operation.request, operation.response);
}

ErrorCode append(Broker& broker, Turn& turn, OperationId id, const Marker& marker,
                 const TopicPartition& partition, const AnswerSlot& slot) {
  ErrorCode error = ErrorCode::none;
  Replica* replica = broker.replicas().leader(partition, error);
  if (replica == nullptr) return error;
  if (error = Replicas::check_in_sync(*replica); error != ErrorCode::none) return error;
  const MarkerRequest request{marker.transaction_result ? ControlType::commit : ControlType::abort,
                              marker.producer_id, marker.producer_epoch, marker.coordinator_epoch,
                              marker.transaction_version};
  broker.reach(turn, "before", "marker", to_string(partition));
  const AppendOutcome outcome =
      replica->log.append_marker(request, replica->leader_epoch, turn.now);
  if (!outcome.ok()) return outcome.error;
  broker.reach(turn, "after", "marker", to_string(partition));
  broker.replicas().on_appended(partition, *replica);
  broker.replicas().wait({partition, replica->leader_epoch, outcome.base_offset,
                          outcome.last_offset + 1, turn.now + replication_timeout,
                          MarkerWait{id, slot, marker.producer_id, marker.transaction_result}},
                         *replica);
  return ErrorCode::none;
}

bool is_for_nobody(const Marker& marker) {
  return marker.producer_id <= no_producer_id || marker.producer_epoch <= no_producer_epoch;
}

void refuse_all(Broker& broker, const RequestContext& context,
                const WriteTxnMarkersRequest& request, ErrorCode error) {
  WriteTxnMarkersResponse response;
  for (const Marker& marker : request.markers) {
    auto& answered = response.markers.emplace_back();
    answered.producer_id = marker.producer_id;
    for (const auto& topic : marker.topics) {
      auto& topic_answer = answered.topics.emplace_back();
      topic_answer.name = topic.name;
      for (const std::int32_t index : topic.partition_indexes)
        topic_answer.partitions.push_back({index, error, {}});
    }
  }
  broker.reply(context, response);
}

}  // namespace

void write_txn_markers(Broker& broker, Turn& turn, const RequestContext& context,
                       const WriteTxnMarkersRequest& request) {
  // An operator who ends a hanging transaction needs ALTER, brokers CLUSTER_ACTION.
  const bool is_allowed = allows_cluster(turn, context, Operation::alter) ||
                          allows_cluster(turn, context, Operation::cluster_action);
  if (!is_allowed)
    return refuse_all(broker, context, request, ErrorCode::cluster_authorization_failed);
  // Kafka stumbles over a marker that it cannot write.
  if (std::ranges::any_of(request.markers, is_for_nobody))
    return refuse_all(broker, context, request, ErrorCode::unknown_server_error);
  const OperationId id = broker.next_operation();
  MarkerOperation& operation = broker.markers()[id];
  operation.request = context;
  for (const Marker& marker : request.markers) {
    auto& marker_answer = operation.response.markers.emplace_back();
    marker_answer.producer_id = marker.producer_id;
    for (const auto& topic : marker.topics) {
      auto& topic_answer = marker_answer.topics.emplace_back();
      topic_answer.name = topic.name;
      for (std::int32_t index : topic.partition_indexes) {
        if (operation.unanswered > 0)
          broker.reach(turn, "between", "markers", to_string(TopicPartition{topic.name, index}));
        const AnswerSlot slot{operation.response.markers.size() - 1,
                              marker_answer.topics.size() - 1, topic_answer.partitions.size()};
        topic_answer.partitions.emplace_back().partition_index = index;
        const ErrorCode error = append(broker, turn, id, marker, {topic.name, index}, slot);
        if (error == ErrorCode::none)
          ++operation.unanswered;
        else
          answer_at(operation, slot).error_code = error;
      }
    }
  }
  finish_if_answered(broker, id);
}

void on_marker_replicated(Broker& broker, Turn& turn, const MarkerWait& wait,
                          const TopicPartition& partition, ErrorCode error) {
  if (error == ErrorCode::none && partition.topic == consumer_offsets_topic) {
    broker.reach(turn, "before", "offsets_visible", to_string(partition));
    broker.groups().on_marker(partition.partition, wait.producer_id, wait.is_commit);
    broker.reach(turn, "after", "offsets_visible", to_string(partition));
  }
  const auto found = broker.markers().find(wait.operation);
  if (found == broker.markers().end()) return;
  if (error != ErrorCode::none) answer_at(found->second, wait.slot).error_code = error;
  --found->second.unanswered;
  finish_if_answered(broker, wait.operation);
}

}  // namespace fencepost::minibroker::handlers
