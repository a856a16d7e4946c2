// The example service as a whole: a member of a group, and one PartitionService for each partition
// that the group gives it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/group_membership.h"
#include "fencing/example/partition_service.h"

namespace fencepost::fencing::example {

enum class Fence {
  generation,  // the design
  none,        // the plain one, to see it fail
};

struct WorkerOptions {
  client::GroupMembershipOptions membership;  // with group id and the input topic
  std::string snapshot_topic;                 // as many partitions as the input
  PartitionOwnerOptions owner = {};           // of each partition; its names are filled in
  Fence fence = Fence::generation;
  Notice notice = [](const std::string&) {};
};

// The two clients are of the same cluster: a join round must not hold up the producers.
class Worker {
 public:
  Worker(asio::any_io_executor executor, client::ClusterClient& membership_cluster,
         client::ClusterClient& data_cluster, WorkerOptions options);

  // Until stop(): then every partition is given up, and the group is left. Errors: those of
  // GroupMembership::run().
  client::Task<void> run();
  void stop() { membership_.stop(); }

  const client::GroupMembership& membership() const { return membership_; }
  // The state of a partition that is ours; nullptr of another's.
  const PartitionService* find(const client::TopicPartition& input) const;

 private:
  using Partitions = std::vector<client::TopicPartition>;

  asio::awaitable<void> assigned(Partitions partitions);
  asio::awaitable<void> end(Partitions partitions, bool is_lost);
  std::unique_ptr<StateStore> make_store(const client::TopicPartition& input,
                                         const PartitionService* service);
  client::RebalanceCallbacks callbacks();

  asio::any_io_executor executor_;
  client::ClusterClient& data_cluster_;
  WorkerOptions options_;
  client::GroupMembership membership_;
  std::map<client::TopicPartition, std::shared_ptr<PartitionService>> services_;
};

}  // namespace fencepost::fencing::example
