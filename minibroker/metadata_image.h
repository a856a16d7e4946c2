// The cluster's metadata at one moment: brokers, topics, leaders and in-sync replicas, users and
// what they may do. The controller owns the newest; every broker holds the one that it was told
// last, which may be older.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "minibroker/security/authorizer.h"
#include "minibroker/security/credentials.h"
#include "minibroker/settings.h"
#include "minibroker/topic_partition.h"
#include "protocol/base/digest.h"
#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

struct Endpoint {
  std::string host;
  int port = 0;
  bool operator==(const Endpoint&) const = default;
};

struct BrokerAddress {
  int id = 0;
  std::map<std::string, Endpoint> listeners = {};  // by Kafka's name of the listener

  // Where clients that came through that listener find the broker.
  const Endpoint& on(const std::string& listener) const;
  bool operator==(const BrokerAddress&) const = default;
};

struct PartitionImage {
  int leader_id = -1;  // -1: none of the replicas may lead
  std::int32_t leader_epoch = 0;
  std::vector<int> replicas;
  std::vector<int> in_sync_replicas;
  bool operator==(const PartitionImage&) const = default;
};

// Configuration by Kafka's keys.
using ConfigMap = std::map<std::string, std::string>;

// What has configuration that can be changed while the cluster runs, by Kafka's numbers.
enum class ConfigResource : std::int8_t { topic = 2, broker = 4, broker_logger = 8, group = 32 };

// Whom a quota is for: names by Kafka's types ("user", "client-id", "ip"); no name is the default.
using QuotaEntity = std::map<std::string, std::optional<std::string>>;
// Values by Kafka's keys. They are kept and described; nothing is slowed down by them.
using ClientQuotas = std::map<QuotaEntity, std::map<std::string, double>>;

struct TopicImage {
  std::string name;
  Uuid id;
  ConfigMap config;
  std::vector<PartitionImage> partitions;
  std::int64_t config_version = 0;  // rises when the configuration changes

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
  // What the cluster was started with, and the features as they are now.
  std::shared_ptr<const ClusterSettings> settings;
  // What is set for brokers, loggers and groups. A broker's name is its id; no name stands for all.
  std::map<std::pair<ConfigResource, std::string>, ConfigMap> configs;
  ClientQuotas client_quotas;
  // Never null; replaced as a whole.
  std::shared_ptr<const security::Authorizer> authorizer =
      std::make_shared<const security::Authorizer>();
  std::shared_ptr<const security::Credentials> credentials =
      std::make_shared<const security::Credentials>();
  std::int64_t settings_version = 0;  // rises when any broker's settings change
  std::int64_t version = 0;           // rises with every change

  const TopicImage* find_topic(const std::string& name) const;
  const TopicImage* find_topic(const Uuid& id) const;
  const PartitionImage* find_partition(const TopicPartition& partition) const;
  // The replicas whose broker is down or fenced, in the order of the replicas.
  std::vector<int> offline_replicas(const PartitionImage& partition) const;
  // What was set for that resource; empty when there is none.
  const ConfigMap& config_of(ConfigResource type, const std::string& name) const;
  // The resources of that type, topics aside, for which something is set, by name.
  std::vector<std::string> configured(ConfigResource type) const;
  // What that broker runs with.
  ClusterSettings settings_of(int broker_id) const;
  void add_to(Digest& digest) const;
};

}  // namespace fencepost::minibroker
