// A cluster, a group that is the lock, and owners of state-0 who hold it: what the tests of the
// single writer share.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/group_member.h"
#include "fencing/partition_owner.h"
#include "tests/gate.h"
#include "tests/simulated_cluster.h"

namespace fencepost::tests {

// A member of the tests' group with connections of its own, moved by hand.
struct Member {
  Member(LiveCluster& in, const std::string& name);

  void join();  // JoinGroup and SyncGroup, as the only member
  void rebalance() { join(); }
  fencing::GenerationFence::LiveMetadata live();

  LiveCluster& world;
  Gate gate;  // of the owners in its process
  client::ClusterClient client;
  client::ClusterClient data;  // of the owners in its process
  client::GroupMember group;
};

struct OwnerWorld : SimulatedCluster {
  explicit OwnerWorld(const std::string& release = "4.4",
                      Duration latency = std::chrono::microseconds(500));

  // The only one who writes snapshots of state-0 and the offset of in-0.
  std::unique_ptr<fencing::PartitionOwner> owner(Member& member,
                                                 fencing::PartitionOwnerOptions options = {});
  fencing::TakenOver take_over(fencing::PartitionOwner& owner);
  fencing::WriteOutcome write(fencing::PartitionOwner& owner, const std::string& key,
                              const std::string& value);
  // Begins so many writes at once: k0=value, k1=value, ...
  std::vector<std::shared_ptr<std::optional<fencing::WriteOutcome>>> start_writes(
      fencing::PartitionOwner& owner, int count, const std::string& value);
  std::int64_t group_offset() { return committed_offset("g", "in", 0); }
  // "k0=v k1=w": the newest committed value of each key.
  std::string state();
};

fencing::Snapshot snapshot(const std::string& key, const std::string& value);

}  // namespace fencepost::tests
