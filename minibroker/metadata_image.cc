#include "minibroker/metadata_image.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "minibroker/configuration.h"

namespace fencepost::minibroker {

const Endpoint& BrokerAddress::on(const std::string& listener) const {
  const auto found = listeners.find(listener);
  return found != listeners.end() ? found->second : listeners.begin()->second;
}

const TopicImage* MetadataImage::find_topic(const std::string& name) const {
  const auto found = topics.find(name);
  return found == topics.end() ? nullptr : &found->second;
}

const TopicImage* MetadataImage::find_topic(const Uuid& id) const {
  const auto found = names_by_id.find(id);
  return found == names_by_id.end() ? nullptr : find_topic(found->second);
}

const PartitionImage* MetadataImage::find_partition(const TopicPartition& partition) const {
  const TopicImage* topic = find_topic(partition.topic);
  const auto index = static_cast<std::size_t>(partition.partition);
  if (topic == nullptr || partition.partition < 0 || index >= topic->partitions.size())
    return nullptr;
  return &topic->partitions[index];
}

// ---- configuration

namespace {

// Keys that this cluster does not know were accepted all the same, as Kafka accepts them.
void apply(const ConfigMap& config, ClusterSettings& settings) {
  for (const auto& [name, value] : config) {
    const Result<void> set = configure(settings, name, value);
    if (!set.ok()) settings.broker_config[name] = value;
  }
}

void add(Digest& digest, const ConfigMap& config) {
  for (const auto& [name, value] : config) {
    digest.add(name);
    digest.add(value);
  }
}

}  // namespace

std::vector<int> MetadataImage::offline_replicas(const PartitionImage& partition) const {
  std::vector<int> offline;
  std::ranges::copy_if(partition.replicas, std::back_inserter(offline), [&](int id) {
    return std::ranges::none_of(brokers, [&](const BrokerAddress& at) { return at.id == id; });
  });
  return offline;
}

const ConfigMap& MetadataImage::config_of(ConfigResource type, const std::string& name) const {
  static const ConfigMap none;
  if (type == ConfigResource::topic) {
    const TopicImage* topic = find_topic(name);
    return topic == nullptr ? none : topic->config;
  }
  const auto found = configs.find({type, name});
  return found == configs.end() ? none : found->second;
}

std::vector<std::string> MetadataImage::configured(ConfigResource type) const {
  std::vector<std::string> names;
  for (const auto& [resource, config] : configs)
    if (resource.first == type) names.push_back(resource.second);
  return names;
}

ClusterSettings MetadataImage::settings_of(int broker_id) const {
  ClusterSettings out = *settings;
  apply(config_of(ConfigResource::broker, ""), out);
  apply(config_of(ConfigResource::broker, std::to_string(broker_id)), out);
  return out;
}

void MetadataImage::add_to(Digest& digest) const {
  digest.add(version);
  for (const auto& [resource, config] : configs) {
    digest.add(static_cast<std::int64_t>(resource.first));
    digest.add(resource.second);
    add(digest, config);
  }
  for (const auto& [entity, quotas] : client_quotas) {
    for (const auto& [type, name] : entity) {
      digest.add(type);
      digest.add(name.has_value());
      digest.add(name.value_or(""));
    }
    for (const auto& [key, value] : quotas) {
      digest.add(key);
      digest.add(std::bit_cast<std::int64_t>(value));
    }
  }
  for (const Feature& feature : settings->era.features()) digest.add(feature.level);
  authorizer->add_to(digest);
  credentials->add_to(digest);
  for (const BrokerAddress& broker : brokers) digest.add(broker.id);
  for (const auto& [name, topic] : topics) {
    digest.add(name);
    add(digest, topic.config);
    for (const PartitionImage& partition : topic.partitions) {
      digest.add(partition.leader_id);
      digest.add(partition.leader_epoch);
      for (int replica : partition.in_sync_replicas) digest.add(replica);
    }
  }
}

}  // namespace fencepost::minibroker
