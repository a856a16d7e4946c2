#include "minibroker/server/control/state_json.h"

#include "protocol/error_code.h"

namespace fencepost::minibroker::server {

namespace {

std::string_view name_of(NodeState state) {
  switch (state) {
    case NodeState::up:
      return "up";
    case NodeState::starting:
      return "starting";
    case NodeState::paused:
      return "paused";
    case NodeState::down:
      return "down";
  }
  return "";
}

std::string_view name_of(BatchState state) {
  switch (state) {
    case BatchState::plain:
      return "plain";
    case BatchState::open:
      return "open";
    case BatchState::committed:
      return "committed";
    case BatchState::aborted:
      return "aborted";
    case BatchState::commit_marker:
      return "commit_marker";
    case BatchState::abort_marker:
      return "abort_marker";
    case BatchState::other_control:
      return "other_control";
  }
  return "";
}

Json to_json(const BatchSummary& batch) {
  return {{"base_offset", batch.base_offset},
          {"last_offset", batch.last_offset},
          {"state", name_of(batch.state)},
          {"producer_id", batch.producer_id},
          {"producer_epoch", batch.producer_epoch},
          {"base_sequence", batch.base_sequence},
          {"records", batch.records}};
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Json to_json(const BrokerState& broker) {
  return {{"id", broker.id},
          {"state", name_of(broker.state)},
          {"is_fenced", broker.is_fenced},
          {"metadata_version", broker.metadata_version}};
}

Json to_json(const TransactionState& transaction) {
  return {{"transactional_id", transaction.transactional_id},
          {"state", transaction.state},
          {"producer_id", transaction.producer_id},
          {"producer_epoch", transaction.producer_epoch},
          {"timeout_ms", to_milliseconds(transaction.timeout)},
          {"started_ms",
           transaction.started ? Json(to_timestamp(*transaction.started)) : Json(nullptr)},
          {"partitions", transaction.partitions},
          {"has_pending_change", transaction.has_pending_change}};
}

Json to_json(const GroupState& group) {
  Json offsets = Json::array();
  for (const CommittedOffset& offset : group.offsets)
    offsets.push_back({{"topic", offset.topic},
                       {"partition", offset.partition},
                       {"offset", offset.offset},
                       {"is_pending", offset.is_pending},
                       {"producer_id", offset.producer_id}});
  return {{"group_id", group.group_id},
          {"state", group.state},
          {"generation", group.generation},
          {"members", group.members},
          {"offsets", std::move(offsets)}};
}

Json to_json(const ProducerState& producer) {
  return {{"producer_id", producer.producer_id},
          {"producer_epoch", producer.producer_epoch},
          {"coordinator_epoch", producer.coordinator_epoch},
          {"last_sequence", producer.last_sequence},
          {"last_timestamp", producer.last_timestamp},
          {"transaction_start_offset", or_null(producer.transaction_start_offset)}};
}

Json to_json(const Event& event) {
  return {{"at_ms", to_timestamp(event.at)}, {"text", event.text}};
}

Json to_json(const sim::FaultRule& rule, std::size_t held) {
  Json json = {{"id", rule.id},
               {"action", sim::to_string(rule.action)},
               {"name", rule.name},
               {"api", rule.api_key ? Json(to_string(*rule.api_key)) : Json(nullptr)},
               {"client_id", or_null(rule.client_id)},
               {"topic", or_null(rule.topic)},
               {"transactional_id", or_null(rule.transactional_id)},
               {"from_broker", or_null(rule.from_broker)},
               {"to_broker", or_null(rule.to_broker)},
               {"count", rule.count},
               {"hits", rule.hits},
               {"held", held}};
  if (rule.action == sim::FaultAction::delay) json["delay_ms"] = to_milliseconds(rule.delay);
  if (rule.action == sim::FaultAction::error) json["error"] = to_string(rule.error);
  return json;
}

Json to_json(const PartitionState& partition, bool has_batches) {
  Json json = {{"topic", partition.topic},
               {"partition", partition.index},
               {"leader_id", partition.leader_id},
               {"leader_epoch", partition.leader_epoch},
               {"replicas", partition.replicas},
               {"in_sync_replicas", partition.in_sync_replicas},
               {"log_start_offset", partition.log_start_offset},
               {"last_stable_offset", partition.last_stable_offset},
               {"high_watermark", partition.high_watermark},
               {"log_end_offset", partition.log_end_offset}};
  if (!has_batches) return json;
  Json& batches = json["batches"] = Json::array();
  for (const BatchSummary& batch : partition.batches) batches.push_back(to_json(batch));
  return json;
}

}  // namespace fencepost::minibroker::server
