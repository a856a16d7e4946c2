// Routes that show: brokers, partitions, transactions, groups.
#include <algorithm>

#include "minibroker/server/control/routes.h"

namespace fencepost::minibroker::server {

namespace {

ControlAnswer cluster(ControlledCluster& controlled, const ControlValues&) {
  Json brokers = Json::array();
  for (const BrokerState& broker : controlled.cluster().brokers())
    brokers.push_back(to_json(broker));
  return answer({{"brokers", std::move(brokers)},
                 {"now_ms", to_timestamp(controlled.now())},
                 {"clock", controlled.has_manual_clock() ? "manual" : "real"},
                 {"digest", controlled.cluster().digest()}});
}

ControlAnswer partitions(ControlledCluster& controlled, const ControlValues& values) {
  const auto topic = values.text("topic");
  Json list = Json::array();
  for (const PartitionState& partition : controlled.cluster().partitions())
    if (!topic || partition.topic == *topic) list.push_back(to_json(partition, false));
  return answer({{"partitions", std::move(list)}});
}

ControlAnswer partition(ControlledCluster& controlled, const ControlValues& values) {
  const std::string topic = *values.text("topic");
  const int index = *values.number("partition");
  const auto state = controlled.cluster().partition(topic, index);
  if (!state) return refuse(404, "there is no partition " + topic + "-" + std::to_string(index));
  Json json = to_json(*state, true);
  Json& producers = json["producers"] = Json::array();
  for (const ProducerState& producer : controlled.cluster().producers(topic, index))
    producers.push_back(to_json(producer));
  const auto offset = values.integer("until_last_stable_offset");
  return wait_for(!offset || state->last_stable_offset >= *offset, answer(json), values);
}

ControlAnswer transactions(ControlledCluster& controlled, const ControlValues&) {
  Json list = Json::array();
  for (const TransactionState& transaction : controlled.cluster().transactions())
    list.push_back(to_json(transaction));
  return answer({{"transactions", std::move(list)}});
}

ControlAnswer transaction(ControlledCluster& controlled, const ControlValues& values) {
  const std::string id = *values.text("transactional_id");
  const auto until = values.text("until_state");
  const std::vector<TransactionState> all = controlled.cluster().transactions();
  const auto found = std::ranges::find(all, id, &TransactionState::transactional_id);
  if (found == all.end()) {
    const auto missing = refuse(404, "no coordinator knows the transactional id '" + id + "'");
    return until ? wait_for(false, missing, values) : missing;
  }
  return wait_for(!until || found->state == *until, answer(to_json(*found)), values);
}

ControlAnswer groups(ControlledCluster& controlled, const ControlValues&) {
  Json list = Json::array();
  for (const GroupState& group : controlled.cluster().groups()) list.push_back(to_json(group));
  return answer({{"groups", std::move(list)}});
}

ControlAnswer group(ControlledCluster& controlled, const ControlValues& values) {
  const std::string id = *values.text("group_id");
  const auto until = values.text("until_state");
  const std::vector<GroupState> all = controlled.cluster().groups();
  const auto found = std::ranges::find(all, id, &GroupState::group_id);
  if (found == all.end()) {
    const auto missing = refuse(404, "no coordinator knows the group '" + id + "'");
    return until ? wait_for(false, missing, values) : missing;
  }
  return wait_for(!until || found->state == *until, answer(to_json(*found)), values);
}

ControlField until_field(std::string_view name, FieldType type, std::string_view text) {
  return {name, FieldPlace::query, type, text};
}

}  // namespace

std::vector<ControlRoute> state_routes() {
  return {
      {"GET",
       "/v1/cluster",
       "The brokers, the time, and a digest of everything that decides",
       {},
       cluster},
      {"GET",
       "/v1/partitions",
       "Every partition's leader, replicas and offsets",
       {{"topic", FieldPlace::query, FieldType::text, "Of this topic only"}},
       partitions},
      {"GET",
       "/v1/partitions/{topic}/{partition}",
       "One partition with its batches, as its leader has them, and its producers",
       {path_field("topic", FieldType::text, "The topic's name"),
        path_field("partition", FieldType::integer, "The partition's number"),
        until_field("until_last_stable_offset", FieldType::integer,
                    "Wait until the last stable offset is at least this"),
        wait_field()},
       partition},
      {"GET",
       "/v1/transactions",
       "Every transactional id that a coordinator knows",
       {},
       transactions},
      {"GET",
       "/v1/transactions/{transactional_id}",
       "One transactional id's state, as DescribeTransactions names it",
       {path_field("transactional_id", FieldType::text, "The transactional id"),
        until_field("until_state", FieldType::text, "Wait for this state, as CompleteCommit"),
        wait_field()},
       transaction},
      {"GET", "/v1/groups", "Every group with its members and committed offsets", {}, groups},
      {"GET",
       "/v1/groups/{group_id}",
       "One group with its members and committed offsets",
       {path_field("group_id", FieldType::text, "The group's id"),
        until_field("until_state", FieldType::text, "Wait for this state, as Stable"),
        wait_field()},
       group},
  };
}

}  // namespace fencepost::minibroker::server
