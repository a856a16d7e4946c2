#include "minibroker/metadata_image.h"

namespace fencepost::minibroker {

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

void MetadataImage::add_to(Digest& digest) const {
  digest.add(version);
  for (const BrokerAddress& broker : brokers) digest.add(broker.id);
  for (const auto& [name, topic] : topics) {
    digest.add(name);
    for (const PartitionImage& partition : topic.partitions) {
      digest.add(partition.leader_id);
      digest.add(partition.leader_epoch);
      for (int replica : partition.in_sync_replicas) digest.add(replica);
    }
  }
}

}  // namespace fencepost::minibroker
