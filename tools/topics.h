// The topics of a command: those it makes for its own use, and those that have to be there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/cluster_client.h"
#include "tools/cluster_command.h"

namespace fencepost::tools {

// All alike; their partitions have leaders then. Error stalled when the cluster refuses one of
// them; the others are there then.
client::Task<void> create_topics(client::ClusterClient& cluster, std::vector<std::string> names,
                                 int partitions, int replicas);

// Whether the cluster has that partition, asked once: a person who mistypes wants to know at once.
// Errors: stalled when it has not, or cannot be looked at; those of a call.
client::Task<void> require_partition(client::ClusterClient& cluster,
                                     client::TopicPartition partition);
// The exit code of the command when that partition is missing, with the reason printed, or when
// Ctrl-C came; nothing when it is there.
std::optional<int> exit_if_missing(ClusterCommand& command, const std::string& name,
                                   client::TopicPartition partition);

}  // namespace fencepost::tools
