// AddOffsetsToTxn: adds the group's partition of __consumer_offsets to the transaction. The group
// itself is not looked at.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void add_offsets_to_txn(Broker& broker, Turn& turn, const RequestContext& context,
                        const protocol::AddOffsetsToTxnRequest& request) {
  protocol::AddOffsetsToTxnResponse refused;
  if (!allows_transactional_id(turn, context, Operation::write, request.transactional_id))
    refused.error_code = protocol::ErrorCode::transactional_id_authorization_failed;
  else if (!allows_group(turn, context, Operation::read, request.group_id))
    refused.error_code = protocol::ErrorCode::group_authorization_failed;
  if (refused.error_code != protocol::ErrorCode::none) return broker.reply(context, refused);
  const TopicPartition offsets_partition{
      consumer_offsets_topic,
      coordinator_partition(request.group_id, broker.settings().offsets_topic_num_partitions)};
  broker.transactions().add_offsets_to_txn(context, request, offsets_partition, turn.now);
}

}  // namespace fencepost::minibroker::handlers
