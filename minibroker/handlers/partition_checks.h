// Small checks that several partition APIs share.
#pragma once

#include "minibroker/broker.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::handlers {

constexpr int consumer_id = -1;            // replica_id
constexpr std::int8_t read_committed = 1;  // isolation_level

// FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH for a client that knows another epoch (KIP-320);
// -1 is not checked.
protocol::ErrorCode check_leader_epoch(const Replica& replica, std::int32_t current_leader_epoch);

// Of a partition that this broker has no replica of: UNKNOWN_TOPIC_OR_PARTITION, or
// NOT_LEADER_OR_FOLLOWER when others have one.
protocol::ErrorCode error_of_missing(const Turn& turn, const TopicPartition& partition);

// This broker's replica, whether it leads or follows.
Replica* find_any_replica(Broker& broker, const Turn& turn, const TopicPartition& partition,
                          std::int32_t current_leader_epoch, protocol::ErrorCode& error);

// The leader's replica, for a client that knows this leader epoch. As in Kafka a wrong epoch is
// told before that another broker leads.
Replica* find_leader(Broker& broker, const Turn& turn, const TopicPartition& partition,
                     std::int32_t current_leader_epoch, protocol::ErrorCode& error);

}  // namespace fencepost::minibroker::handlers
