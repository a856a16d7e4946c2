#include "minibroker/handlers/partition_checks.h"

namespace fencepost::minibroker::handlers {

using protocol::ErrorCode;

ErrorCode check_leader_epoch(const Replica& replica, std::int32_t current_leader_epoch) {
  if (current_leader_epoch == -1 || current_leader_epoch == replica.leader_epoch)
    return ErrorCode::none;
  return current_leader_epoch < replica.leader_epoch ? ErrorCode::fenced_leader_epoch
                                                     : ErrorCode::unknown_leader_epoch;
}

ErrorCode error_of_missing(const Turn& turn, const TopicPartition& partition) {
  return turn.controller.find_partition(partition) == nullptr
             ? ErrorCode::unknown_topic_or_partition
             : ErrorCode::not_leader_or_follower;
}

Replica* find_any_replica(Broker& broker, const Turn& turn, const TopicPartition& partition,
                          std::int32_t current_leader_epoch, ErrorCode& error) {
  Replica* replica = broker.replicas().find(partition);
  error = replica == nullptr ? error_of_missing(turn, partition)
                             : check_leader_epoch(*replica, current_leader_epoch);
  return error == ErrorCode::none ? replica : nullptr;
}

Replica* find_leader(Broker& broker, const Turn& turn, const TopicPartition& partition,
                     std::int32_t current_leader_epoch, ErrorCode& error) {
  Replica* replica = find_any_replica(broker, turn, partition, current_leader_epoch, error);
  if (replica == nullptr || replica->leader_id == broker.id()) return replica;
  error = ErrorCode::not_leader_or_follower;
  return nullptr;
}

}  // namespace fencepost::minibroker::handlers
