// Fetch: of consumers up to the high watermark or the last stable offset, of followers up to the
// log end. What a follower asks for is what it has: that moves the high watermark. What is found is
// in fetch_reading.cc, what a session leaves out of the answer in log/fetch_session.cc.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/fetch_reading.h"
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/partition_checks.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int16_t current_leader_version_min = 16;

bool parts_before(const PartitionLog& log, const FetchRequest::FetchPartition& wanted) {
  if (wanted.last_fetched_epoch < 0) return false;
  const EpochEndOffset end = log.end_offset_for_epoch(wanted.last_fetched_epoch);
  return end.leader_epoch != wanted.last_fetched_epoch || end.end_offset < wanted.fetch_offset;
}

// Every follower is told of a high watermark once.
void note_told(Broker& broker, int follower, const std::vector<FetchAnswer>& answers) {
  for (const FetchAnswer& answer : answers)
    if (Replica* replica = broker.replicas().find({answer.topic, answer.data.partition_index}))
      if (const auto it = replica->followers.find(follower); it != replica->followers.end())
        it->second.told_high_watermark = answer.data.high_watermark;
}

// What a follower asks for is what it has, unless the logs part before that.
void note_follower_offsets(Broker& broker, Turn& turn, const std::vector<FetchTarget>& targets,
                           int follower) {
  for (const FetchTarget& target : targets) {
    ErrorCode error = ErrorCode::none;
    const TopicPartition partition{target.topic, target.wanted.partition};
    Replica* replica = broker.replicas().leader(partition, error);
    if (replica != nullptr && target.wanted.fetch_offset <= replica->log.log_end_offset() &&
        check_leader_epoch(*replica, std::max(target.wanted.current_leader_epoch, -1)) ==
            ErrorCode::none &&
        !parts_before(replica->log, target.wanted))
      broker.replicas().on_follower_fetch(turn.controller, partition, *replica, follower,
                                          target.wanted.fetch_offset, turn.now);
  }
}

// Who leads the partition is told to whom it has moved away from (KIP-951).
void add_current_leader(const Turn& turn, const RequestContext& context, FetchAnswer& answer,
                        FetchResponse& response) {
  if (answer.data.error_code != ErrorCode::not_leader_or_follower &&
      answer.data.error_code != ErrorCode::fenced_leader_epoch)
    return;
  const PartitionImage* image =
      turn.controller.find_partition({answer.topic, answer.data.partition_index});
  if (image == nullptr) return;
  answer.data.current_leader.leader_id = image->leader_id;
  answer.data.current_leader.leader_epoch = image->leader_epoch;
  const auto is_there =
      std::ranges::find(response.node_endpoints, image->leader_id,
                        &FetchResponse::NodeEndpoint::node_id) != response.node_endpoints.end();
  if (image->leader_id < 0 || is_there) return;
  const Endpoint& address = turn.controller.broker(image->leader_id).on(context.identity->listener);
  response.node_endpoints.push_back(
      {image->leader_id, address.host, address.port, std::nullopt, {}});
}

void reply(Broker& broker, Turn& turn, const FetchOperation& operation, FetchReading reading) {
  FetchResponse response;
  if (operation.request.api_version >= current_leader_version_min)
    for (FetchAnswer& answer : reading.answers)
      add_current_leader(turn, operation.request, answer, response);
  std::tie(response.error_code, response.session_id) =
      broker.fetch_sessions().end(operation.context, reading.answers, turn.now);
  if (reading.answers.empty()) response.node_endpoints.clear();
  for (FetchAnswer& answer : reading.answers) {
    // Only neighbours share a topic: the order is that of the request.
    const bool is_same = !response.responses.empty() &&
                         response.responses.back().topic_id == answer.topic_id &&
                         response.responses.back().topic == answer.topic;
    if (!is_same) response.responses.push_back({answer.topic, answer.topic_id, {}, {}});
    response.responses.back().partitions.push_back(std::move(answer.data));
  }
  broker.reply(operation.request, response);
}

}  // namespace

bool answer_fetch(Broker& broker, Turn& turn, const FetchOperation& operation, FetchMoment moment) {
  if (moment == FetchMoment::on_change && !is_fetch_satisfied(broker, turn, operation))
    return false;
  FetchReading reading = read_for_fetch(broker, turn, operation);
  const FetchRequest& request = operation.body;
  const std::int32_t bytes_max = std::min(request.max_bytes, broker.settings().fetch_max_bytes);
  const auto min_bytes =
      static_cast<std::size_t>(std::max(std::min(request.min_bytes, bytes_max), 0));
  if (moment == FetchMoment::on_arrival && request.max_wait_ms > 0 && !reading.is_urgent &&
      reading.bytes < min_bytes)
    return false;
  if (const int follower = follower_id(request, operation.request.api_version); follower >= 0)
    note_told(broker, follower, reading.answers);
  reply(broker, turn, operation, std::move(reading));
  return true;
}

void fetch(Broker& broker, Turn& turn, const RequestContext& context, const FetchRequest& request) {
  const int follower = follower_id(request, context.api_version);
  FetchOperation operation;
  operation.request = context;
  operation.deadline = turn.now + milliseconds(request.max_wait_ms);
  const auto find_name = [&turn](const Uuid& id) {
    const TopicImage* image = turn.controller.find_topic(id);
    return image == nullptr ? std::string() : image->name;
  };
  operation.context = broker.fetch_sessions().begin(request, context.api_version, follower >= 0,
                                                    find_name, turn.now);
  operation.body = request;
  operation.body.topics.clear();
  if (operation.context.kind == FetchContext::Kind::refused)
    return reply(broker, turn, operation, {});
  if (follower >= 0 && allows_cluster(turn, context, Operation::cluster_action))
    note_follower_offsets(broker, turn, operation.context.targets, follower);
  if (answer_fetch(broker, turn, operation, FetchMoment::on_arrival)) return;
  for (const FetchTarget& target : operation.context.targets) {
    TopicPartition partition{target.topic, target.wanted.partition};
    if (turn.controller.find_partition(partition) != nullptr)
      operation.partitions.insert(std::move(partition));
  }
  broker.fetches().emplace(broker.next_operation(), std::move(operation));
}

}  // namespace fencepost::minibroker::handlers
