// Groups change their protocol without a stop: a classic group whose first member comes with the
// consumer protocol becomes a consumer group, and back when only classic members are left.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "minibroker/group/classic_group.h"
#include "minibroker/group/consumer_records.h"
#include "minibroker/group/consumer_step.h"
#include "protocol/messages/join_group.h"
#include "protocol/records/consumer_protocol.h"

namespace fencepost::minibroker {

// Why the classic group cannot become a consumer group; nothing when it can.
std::optional<Refusal> upgrade_problem(const ClassicGroup& group,
                                       const ConsumerGroupSettings& settings);

// The records that make the classic group, which holds members, a consumer group of the same
// generation. Nothing: what its members have embedded cannot be read (`problem` says so).
std::optional<std::vector<ConsumerChange>> upgrade(const ClassicGroup& group,
                                                   const TopicDirectory& topics,
                                                   bool with_assignment_epochs,
                                                   std::string& problem);

// Whether the group would be left with classic members only once those `leaving` are gone.
bool can_downgrade_without(const ConsumerGroup& group, const std::vector<ConsumerMember>& leaving,
                           const ConsumerGroupSettings& settings, int classic_max_size);
// The same when a classic member takes the place of that static member.
bool can_downgrade_with_replaced(const ConsumerGroup& group, const ConsumerMember& replaced,
                                 const ConsumerGroupSettings& settings, int classic_max_size);

// The classic group that the remaining members form; `joining` takes the place of the static member
// of its instance. It is Stable, in the generation of the group's epoch.
ClassicGroup downgrade(const ConsumerGroup& group, const std::vector<ConsumerMember>& leaving,
                       const ConsumerMember* joining, const TopicDirectory& topics, Instant now);

// ---- what classic members say

// How long a round may wait for the member: version 0 of JoinGroup has no such time of its own.
std::int32_t rebalance_timeout_ms(const protocol::JoinGroupRequest& request, int api_version);

// The assignment as their consumers read it, in the version of the subscription.
SharedBytes embedded_assignment(const Assignment& assignment, const SharedBytes& subscription,
                                const TopicDirectory& topics);
std::optional<protocol::ConsumerProtocolSubscription> embedded_subscription(
    const SharedBytes& bytes);
// The partitions that a subscription says are owned.
OwnedPartitions owned_partitions(const protocol::ConsumerProtocolSubscription& subscription,
                                 const TopicDirectory& topics);

}  // namespace fencepost::minibroker
