// Reconciliation: a member's way from what it holds to what it should hold. It gives up first, then
// moves to the epoch of its target, then gets what the others have given up.
#pragma once

#include <optional>
#include <vector>

#include "minibroker/group/consumer_group.h"
#include "protocol/messages/consumer_group_heartbeat.h"

namespace fencepost::minibroker {

using OwnedPartitions =
    std::optional<std::vector<protocol::ConsumerGroupHeartbeatRequest::TopicPartitions>>;

struct ReconciliationInput {
  const ConsumerGroup& group;
  const std::set<Uuid>& subscribed_topic_ids;  // of the member
  std::int32_t target_epoch = 0;
  const Assignment& target;
  bool has_subscription_changed = false;
  const OwnedPartitions& owned;  // what the member says it holds; nothing when it did not say
};

// The member as it goes on. Nothing: its state cannot be told, and it still holds partitions; it
// has to give up all and join again.
std::optional<ConsumerMember> reconcile(const ConsumerMember& member,
                                        const ReconciliationInput& input);

}  // namespace fencepost::minibroker
