// A partition as Metadata and DescribeTopicPartitions both show it.
#pragma once

#include <cstdint>

#include "minibroker/controller_view.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::handlers {

// Fills in what the partitions of both answers have in common.
template <class Described>
void describe_partition(Described& described, std::size_t index, const PartitionImage& partition,
                        const ControllerView& controller) {
  using protocol::ErrorCode;
  described.error_code =
      partition.leader_id < 0 ? ErrorCode::leader_not_available : ErrorCode::none;
  described.partition_index = static_cast<std::int32_t>(index);
  described.leader_id = partition.leader_id;
  described.leader_epoch = partition.leader_epoch;
  described.replica_nodes = partition.replicas;
  described.isr_nodes = partition.in_sync_replicas;
  described.offline_replicas = controller.offline_replicas(partition);
}

}  // namespace fencepost::minibroker::handlers
