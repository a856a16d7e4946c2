// The cooperative sticky assignor (KIP-429): members keep what they own as far as the shares come
// out even, and a partition that moves is first given up by its owner, then given away in the next
// rebalance. It interoperates with Kafka's of that name; which member gives up which of its
// partitions may differ.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/range_assignor.h"

namespace fencepost::client {

// By member id. A topic without a partition count is left out.
std::map<std::string, std::vector<TopicPartition>> assign_cooperatively(
    std::vector<Subscriber> subscribers, const std::map<std::string, int>& partition_counts);

}  // namespace fencepost::client
