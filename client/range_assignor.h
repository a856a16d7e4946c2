// The range assignor of Kafka's consumer, and the bytes that members of a classic group embed in
// JoinGroup and SyncGroup.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/topic_partition.h"
#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::client {

struct Subscriber {
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::vector<std::string> topics;
  std::vector<TopicPartition> owned = {};  // before the rebalance, as the member says
  std::int32_t generation = -1;            // in which it was given them
};

// Topic by topic, each member gets a run of consecutive partitions; the first members get one more
// when it does not come out even. Members are in the order of their instance ids, then member ids.
// A topic without a partition count is left out.
std::map<std::string, std::vector<TopicPartition>> assign_ranges(
    std::vector<Subscriber> subscribers, const std::map<std::string, int>& partition_counts);

SharedBytes encode_subscription(const std::vector<std::string>& topics,
                                const std::vector<TopicPartition>& owned = {},
                                std::int32_t generation = -1);
// What a member subscribes to and owns; who it is comes from elsewhere.
Result<Subscriber> decode_subscription(const SharedBytes& bytes);
SharedBytes encode_assignment(const std::vector<TopicPartition>& partitions);
// No bytes are an empty assignment.
Result<std::vector<TopicPartition>> decode_assignment(const SharedBytes& bytes);

}  // namespace fencepost::client
