// The topics of a command: those it makes for its own use, and those that have to be there.
#pragma once

#include <string>
#include <vector>

#include "client/cluster_client.h"

namespace fencepost::tools {

// All alike. Error stalled when the cluster refuses one of them; the others are there then.
client::Task<void> create_topics(client::ClusterClient& cluster, std::vector<std::string> names,
                                 int partitions, int replicas);

// Whether the cluster has that partition, asked once: a person who mistypes wants to know at once.
// Errors: stalled when it has not, or cannot be looked at; those of a call.
client::Task<void> require_partition(client::ClusterClient& cluster,
                                     client::TopicPartition partition);

}  // namespace fencepost::tools
