// OffsetForLeaderEpoch: where an epoch of the log ended, so that a client can find out where its
// own and the leader's part (KIP-101, KIP-320).
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/partition_checks.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

void offset_for_leader_epoch(Broker& broker, Turn& turn, const RequestContext& context,
                             const OffsetForLeaderEpochRequest& request) {
  OffsetForLeaderEpochResponse response;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.topic = topic.topic;
    const bool is_allowed = allows_cluster(turn, context, Operation::cluster_action) ||
                            allows_topic(turn, context, Operation::describe, topic.topic);
    for (const auto& wanted : topic.partitions) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition = wanted.partition;
      if (!is_allowed) {
        answer.error_code = ErrorCode::topic_authorization_failed;
        continue;
      }
      const Replica* replica = find_leader(broker, turn, {topic.topic, wanted.partition},
                                           wanted.current_leader_epoch, answer.error_code);
      if (replica == nullptr) continue;
      const EpochEndOffset end = replica->log.end_offset_for_epoch(wanted.leader_epoch);
      answer.leader_epoch = end.leader_epoch;
      answer.end_offset = end.end_offset;
    }
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
