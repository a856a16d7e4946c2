// The cluster's metadata: brokers, topics, leaders, in-sync replicas, and the blocks of producer
// ids. One for the whole cluster; what it decides is known to every broker at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/settings.h"
#include "minibroker/topic_partition.h"
#include "protocol/base/digest.h"
#include "protocol/base/random.h"
#include "protocol/base/uuid.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker {

struct BrokerAddress {
  int id = 0;
  std::string host;
  int port = 0;
};

struct PartitionImage {
  int leader_id = -1;
  std::int32_t leader_epoch = 0;
  std::vector<int> replicas;
  std::vector<int> in_sync_replicas;
};

struct TopicImage {
  std::string name;
  Uuid id;
  std::map<std::string, std::string> config;
  std::vector<PartitionImage> partitions;

  bool is_internal() const {
    return name == consumer_offsets_topic || name == transaction_state_topic;
  }
};

// A topic as somebody asks for it.
struct NewTopic {
  std::string name;
  int partition_count = 1;
  int replication_factor = 1;
  std::vector<std::vector<int>> assignments = {};  // replicas by partition; empty: chosen here
  std::map<std::string, std::string> config = {};
};

// What the controller says to a change: an error code with a sentence for people.
struct ControllerAnswer {
  protocol::ErrorCode error = protocol::ErrorCode::none;
  std::string message;
};

class Controller {
 public:
  explicit Controller(const ClusterSettings& settings);

  // Checked but not carried out when `is_validate_only`.
  ControllerAnswer create_topic(const NewTopic& topic, bool is_validate_only);
  ControllerAnswer delete_topic(const std::string& name);
  // `total_count` is the new number of partitions.
  ControllerAnswer create_partitions(const std::string& name, int total_count,
                                     const std::vector<std::vector<int>>& assignments,
                                     bool is_validate_only);
  // Creates __consumer_offsets or __transaction_state if it is not there yet.
  const TopicImage& internal_topic(const std::string& name);

  const TopicImage* find_topic(const std::string& name) const;
  const TopicImage* find_topic(const Uuid& id) const;
  const PartitionImage* find_partition(const TopicPartition& partition) const;
  const std::map<std::string, TopicImage>& topics() const { return topics_; }

  const std::vector<BrokerAddress>& brokers() const { return brokers_; }
  const BrokerAddress& broker(int id) const {
    return brokers_.at(static_cast<std::size_t>(id - 1));
  }
  void set_address(int broker_id, std::string host, int port);
  int controller_id() const { return 1; }
  const std::string& cluster_id() const { return cluster_id_; }

  // The first of a block of `producer_id_block_size` producer ids that nobody else gets.
  std::int64_t take_producer_id_block();
  static constexpr std::int64_t producer_id_block_size = 1000;

  // Rises with every change; brokers compare it with what they have seen.
  std::int64_t version() const { return version_; }
  void add_to(Digest& digest) const;

 private:
  std::vector<int> choose_replicas(int partition, int replication_factor) const;
  ControllerAnswer check_assignments(const std::vector<std::vector<int>>& assignments) const;
  void add_partition(TopicImage& topic, std::vector<int> replicas);
  Uuid next_uuid();

  const ClusterSettings settings_;
  Random random_;
  std::string cluster_id_;
  std::vector<BrokerAddress> brokers_;
  std::map<std::string, TopicImage> topics_;
  std::map<Uuid, std::string> names_by_id_;
  std::int64_t next_producer_id_ = 0;
  std::int64_t version_ = 0;
};

// Kafka's rule for topic names: what is wrong with this one, or nothing.
std::optional<std::string> topic_name_problem(const std::string& name);

}  // namespace fencepost::minibroker
