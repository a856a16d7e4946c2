// The cluster's metadata at one moment: brokers, topics, leaders and in-sync replicas. The
// controller owns the newest; every broker holds the one that it was told last, which may be older.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "minibroker/topic_partition.h"
#include "protocol/base/digest.h"
#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

struct BrokerAddress {
  int id = 0;
  std::string host;
  int port = 0;
  bool operator==(const BrokerAddress&) const = default;
};

struct PartitionImage {
  int leader_id = -1;  // -1: none of the replicas may lead
  std::int32_t leader_epoch = 0;
  std::vector<int> replicas;
  std::vector<int> in_sync_replicas;
  bool operator==(const PartitionImage&) const = default;
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

struct MetadataImage {
  std::string cluster_id;
  std::vector<BrokerAddress> addresses;  // of every broker, by id - 1
  std::vector<BrokerAddress> brokers;    // those that are not fenced, by id
  std::map<std::string, TopicImage> topics;
  std::map<Uuid, std::string> names_by_id;
  std::int64_t version = 0;  // rises with every change

  const TopicImage* find_topic(const std::string& name) const;
  const TopicImage* find_topic(const Uuid& id) const;
  const PartitionImage* find_partition(const TopicPartition& partition) const;
  void add_to(Digest& digest) const;
};

}  // namespace fencepost::minibroker
