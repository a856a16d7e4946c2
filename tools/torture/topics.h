// The topics of a torture: made, filled with events, and read back whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/cluster_client.h"
#include "client/transactional_producer.h"
#include "tools/torture/claims.h"

namespace fencepost::tools {

struct TortureTopics {
  std::string input;
  std::string snapshots;
  std::string group;
  int partitions = 4;
  int replicas = 1;
};

// Events for random keys, so many times a second, until `should_stop`; how many were acknowledged.
client::Task<std::int64_t> produce_events(client::ClusterClient& cluster,
                                          asio::any_io_executor executor, TortureTopics topics,
                                          int keys, int events_per_second, std::uint64_t seed,
                                          const bool* should_stop);
// Everything that is committed, and the group's offset. Waits for open transactions.
client::Task<SeenPartition> read_partition(client::ClusterClient& cluster, TortureTopics topics,
                                           int partition);

}  // namespace fencepost::tools
