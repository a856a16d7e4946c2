// The target of a consumer group: what its assignor makes of the members as they will be.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "minibroker/group/assignors/assignor.h"

namespace fencepost::minibroker {

// Whether all members subscribe to the same topics, as Kafka tells it.
bool is_homogeneous(const std::map<std::string, int>& subscribed_regexes,
                    const SubscriptionCounts& subscribed_topics, std::size_t member_count);

struct TargetAssignment {
  std::vector<std::string> member_order;  // in which Kafka writes the records
  Targets previous;
  Targets targets;  // one for every member
};

// `member` is new, or takes the place of its earlier self or of the static member of its instance.
TargetAssignment compute_targets(const ConsumerGroup& group, const ConsumerMember& member,
                                 const TopicDirectory& topics, const std::string& assignor,
                                 bool is_homogeneous);

}  // namespace fencepost::minibroker
