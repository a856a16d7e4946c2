// The hash of the topics that a consumer group subscribes to, as Kafka 4.1 and later store it with
// the group's epoch: when it changes, the group is assigned anew.
#pragma once

#include <cstdint>

#include "minibroker/group/consumer_group.h"
#include "minibroker/group/topic_directory.h"

namespace fencepost::minibroker {

std::int64_t topic_hash(const std::string& name, const TopicFacts& topic);
// 0 when none of the topics exists.
std::int64_t metadata_hash(const SubscriptionCounts& subscribed, const TopicDirectory& topics);

}  // namespace fencepost::minibroker
