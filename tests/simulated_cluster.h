// A simulated cluster, with its brokers at hand: faults, and a look at their state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/transactional_producer.h"
#include "tests/live_cluster.h"

namespace fencepost::tests {

struct SimulatedCluster : LiveCluster {
  explicit SimulatedCluster(minibroker::ClusterSettings settings);

  minibroker::Cluster& brokers() { return *world->cluster(); }
  minibroker::PartitionState partition(const std::string& topic, int index);
  // The records of committed transactions and of no transaction, as "key=value".
  std::vector<std::string> committed(const std::string& topic, int index);
  // What the group has committed for that partition, -1 if nothing; staged offsets do not count.
  std::int64_t committed_offset(const std::string& group_id, const std::string& topic, int index);
  std::uint64_t fault(minibroker::sim::FaultAction action, protocol::ApiKey key, int count = 1);
  // How many requests a rule has taken.
  int hits(std::uint64_t rule);
};

// Brokers of that release with one topic of three partitions; every message takes `latency`.
minibroker::ClusterSettings settings_of(const std::string& release, int broker_count = 1,
                                        Duration latency = Duration());
protocol::NewRecord record(const std::string& key, const std::string& value);

}  // namespace fencepost::tests
