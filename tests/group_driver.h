// A member of a group that keeps itself alive, and a register of who owns what: at no time may two
// own the same partition.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/group_membership.h"
#include "tests/gate.h"
#include "tests/live_cluster.h"

namespace fencepost::tests {

// By partition, the names of those who believe that they own it.
struct Owners {
  std::map<client::TopicPartition, std::vector<std::string>> by_partition;
  int double_owned = 0;  // how often a partition was given to a second owner

  void add(const client::TopicPartition& partition, const std::string& name);
  void remove(const client::TopicPartition& partition, const std::string& name);
};

class GroupDriver {
 public:
  GroupDriver(LiveCluster& world, Owners& owners, const std::string& name,
              client::GroupProtocol protocol,
              std::optional<std::string> group_instance_id = std::nullopt);

  void start() { running = world_.start(membership->run()); }
  void stop_and_wait();
  std::size_t owned() const { return membership->owned().size(); }

  Gate gate;  // between the member and the brokers
  client::ClusterClient client;
  std::unique_ptr<client::GroupMembership> membership;
  std::shared_ptr<std::optional<Result<void>>> running;
  std::vector<std::string> log;  // "assigned in-0 in-1"
  // What else happens inside the callbacks.
  client::PartitionsCallback on_assigned;
  client::PartitionsCallback on_revoked;
  client::PartitionsCallback on_lost;

 private:
  asio::awaitable<void> assigned(std::vector<client::TopicPartition> partitions);
  asio::awaitable<void> revoked(std::vector<client::TopicPartition> partitions);
  asio::awaitable<void> lost(std::vector<client::TopicPartition> partitions);
  void note(std::string what, const std::vector<client::TopicPartition>& partitions);

  LiveCluster& world_;
  Owners& owners_;
  std::string name_;
};

}  // namespace fencepost::tests
