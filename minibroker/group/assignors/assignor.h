// The server-side assignors of the consumer protocol: which member should hold which partition.
// Both give the very assignment that Kafka's would give.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "minibroker/group/consumer_group.h"

namespace fencepost::minibroker {

struct AssignorMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  std::set<Uuid> topic_ids;  // subscribed, and existing
  Assignment previous;
};

struct AssignorInput {
  std::vector<AssignorMember> members;  // in the order of Kafka's hash map
  // All members subscribe to the same topics.
  bool is_homogeneous = true;
  std::map<Uuid, std::int32_t> partition_counts;  // of every topic that a member subscribes to
  Assignment assigned;                            // what is in anybody's target
};

using Targets = std::map<std::string, Assignment>;  // by member id

// Spreads all partitions evenly and moves as few as it can.
Targets assign_uniform(const AssignorInput& input);
// Each topic by itself in contiguous ranges, so that topics of equal size are co-partitioned.
Targets assign_range(const AssignorInput& input);

}  // namespace fencepost::minibroker
