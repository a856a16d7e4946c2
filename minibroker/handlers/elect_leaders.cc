// ElectLeaders: the preferred replica, or any, becomes the leader; the controller decides.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int8_t preferred_election = 0;
constexpr std::int8_t unclean_election = 1;

using Results = ElectLeadersResponse::ReplicaElectionResult;

// What the controller says of the election, with Kafka's words for it.
ControllerAnswer elect(Turn& turn, const TopicPartition& partition, Election kind) {
  ControllerAnswer answer = turn.controller.elect(partition, kind);
  const bool is_topic = turn.controller.find_topic(partition.topic) != nullptr;
  if (answer.error == ErrorCode::unknown_topic_or_partition)
    answer.message = is_topic ? "No such partition as " + to_string(partition)
                              : "No such topic as " + partition.topic;
  if (answer.error == ErrorCode::election_not_needed)
    answer.message = "Leader election not needed for topic partition.";
  if (answer.error == ErrorCode::eligible_leaders_not_available)
    answer.message = "Eligible topic partition leaders are not available.";
  if (answer.error == ErrorCode::preferred_leader_not_available)
    answer.message = "The preferred leader was not available.";
  return answer;
}

void add(const ControllerAnswer& answer, std::int32_t partition, Results& out) {
  auto& result = out.partition_result.emplace_back();
  result.partition_id = partition;
  result.error_code = answer.error;
  result.error_message = std::nullopt;
  if (!answer.message.empty()) result.error_message = answer.message;
}

// Without a list, every partition; those that need no election are not named.
void elect_everywhere(Turn& turn, Election kind, ElectLeadersResponse& response) {
  std::vector<std::string> names;
  for (const auto& [name, topic] : turn.controller.topics()) names.push_back(name);
  for (const std::string& name : names) {
    Results& results = response.replica_election_results.emplace_back();
    results.topic = name;
    const auto count =
        static_cast<std::int32_t>(turn.controller.find_topic(name)->partitions.size());
    for (std::int32_t i = 0; i < count; ++i) {
      const ControllerAnswer answer = elect(turn, {name, i}, kind);
      if (answer.error != ErrorCode::election_not_needed) add(answer, i, results);
    }
  }
}

}  // namespace

void elect_leaders(Broker& broker, Turn& turn, const RequestContext& context,
                   const ElectLeadersRequest& request) {
  ElectLeadersResponse response;
  const std::int8_t type = request.election_type;
  const bool is_known = type == preferred_election || type == unclean_election;
  const ControllerAnswer unknown_type{ErrorCode::invalid_request,
                                      "Unknown election type " + std::to_string(type)};
  if (!is_known) response.error_code = unknown_type.error;
  const Election kind = type == unclean_election ? Election::unclean : Election::preferred;
  turn.controller.catch_up();
  const bool is_allowed = allows_cluster(turn, context, Operation::alter);
  // Version 0 has no place for it.
  if (!is_allowed && context.api_version >= 1)
    response.error_code = ErrorCode::cluster_authorization_failed;
  if (!request.topic_partitions && is_known && is_allowed) elect_everywhere(turn, kind, response);
  if (request.topic_partitions)
    for (const auto& topic : *request.topic_partitions) {
      Results& results = response.replica_election_results.emplace_back();
      results.topic = topic.topic;
      for (std::int32_t index : topic.partitions) {
        if (is_allowed)
          add(is_known ? elect(turn, {topic.topic, index}, kind) : unknown_type, index, results);
        else
          add({ErrorCode::cluster_authorization_failed, cluster_denied_message}, index, results);
      }
    }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
