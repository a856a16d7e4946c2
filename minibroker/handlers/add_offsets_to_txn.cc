// AddOffsetsToTxn: adds the group's partition of __consumer_offsets to the transaction. The group
// itself is not looked at.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void add_offsets_to_txn(Broker& broker, Turn& turn, const RequestContext& context,
                        const protocol::AddOffsetsToTxnRequest& request) {
  const TopicPartition offsets_partition{
      consumer_offsets_topic,
      coordinator_partition(request.group_id, broker.settings().offsets_topic_num_partitions)};
  broker.transactions().add_offsets_to_txn(context, request, offsets_partition, turn.now);
}

}  // namespace fencepost::minibroker::handlers
