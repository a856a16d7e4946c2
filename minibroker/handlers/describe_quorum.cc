// DescribeQuorum: the controller is the only voter, every broker follows it at once.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Partition = DescribeQuorumResponse::TopicData::PartitionData;

constexpr const char* metadata_topic = "__cluster_metadata";
constexpr std::int32_t controller_epoch = 1;

void describe(const Turn& turn, Partition& out) {
  const int controller_id = turn.controller.controller_id();
  out.leader_id = controller_id;
  out.leader_epoch = controller_epoch;
  out.high_watermark = turn.controller.version();
  for (const BrokerAddress& address : turn.controller.brokers()) {
    Partition::ReplicaState replica;
    replica.replica_id = address.id;
    replica.log_end_offset = turn.controller.version();
    replica.last_fetch_timestamp = to_timestamp(turn.now);
    replica.last_caught_up_timestamp = to_timestamp(turn.now);
    (address.id == controller_id ? out.current_voters : out.observers).push_back(replica);
  }
}

}  // namespace

void describe_quorum(Broker& broker, Turn& turn, const RequestContext& context,
                     const DescribeQuorumRequest& request) {
  DescribeQuorumResponse response;
  if (!allows_cluster(turn, context, Operation::describe)) {
    response.error_code = ErrorCode::cluster_authorization_failed;
    if (context.api_version >= 2) response.error_message = cluster_denied_message;
    return broker.reply(context, response);
  }
  bool is_described = false;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.topic_name = topic.topic_name;
    for (const auto& wanted : topic.partitions) {
      Partition& partition = answered.partitions.emplace_back();
      partition.partition_index = wanted.partition_index;
      if (topic.topic_name == metadata_topic && wanted.partition_index == 0) {
        describe(turn, partition);
        is_described = true;
        continue;
      }
      partition.error_code = ErrorCode::unknown_topic_or_partition;
      partition.error_message = "This server does not host this topic-partition.";
    }
  }
  // The controller listens nowhere by itself.
  if (is_described && context.api_version >= 2)
    response.nodes.push_back({turn.controller.controller_id(), {}, {}});
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
