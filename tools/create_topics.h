// Topics that a command makes for its own use.
#pragma once

#include <string>
#include <vector>

#include "client/cluster_client.h"

namespace fencepost::tools {

// All alike. Error stalled when the cluster refuses one of them; the others are there then.
client::Task<void> create_topics(client::ClusterClient& cluster, std::vector<std::string> names,
                                 int partitions, int replicas);

}  // namespace fencepost::tools
