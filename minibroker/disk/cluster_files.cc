#include "minibroker/disk/cluster_files.h"

#include <algorithm>

#include "minibroker/disk/meta_properties.h"
#include "minibroker/world.h"

namespace fencepost::minibroker {

namespace {

const TopicPartition metadata_partition{cluster_metadata_topic, 0};

Error refused(ErrorKind kind, std::string text) {
  return {kind, std::move(text), 0, {}};
}

// Says whose disk it is about.
Error of_broker(int id, Error error) {
  error.text = "broker " + std::to_string(id) + ": " + error.text;
  return error;
}
void move_notes(int id, std::vector<std::string> of_disk, std::vector<std::string>& notes) {
  for (std::string& note : of_disk)
    notes.push_back("broker " + std::to_string(id) + ": " + std::move(note));
}

// Who each disk belongs to; no cluster id when all are empty.
struct Owners {
  std::string cluster_id;
  std::map<int, Uuid> directory_ids;
};

Result<Owners> read_owners(std::map<int, BrokerFiles>& brokers) {
  Owners owners;
  for (auto& [id, files] : brokers) {
    const std::string where =
        std::string(meta_properties_file) + " of broker " + std::to_string(id);
    if (!files.storage().exists(meta_properties_file)) {
      if (files.has_partitions()) return refused(ErrorKind::malformed, where + " is missing");
      continue;
    }
    const Result<SharedBytes> bytes = files.storage().read(meta_properties_file);
    if (!bytes) return bytes.error();
    const Result<MetaProperties> read = read_meta_properties(bytes->text());
    if (!read)
      return Error{ErrorKind::malformed,
                   where + " is damaged: " + read.error().text,
                   read.error().offset,
                   {}};
    if (read->node_id != id)
      return refused(ErrorKind::malformed,
                     where + " is that of broker " + std::to_string(read->node_id));
    if (!owners.cluster_id.empty() && read->cluster_id != owners.cluster_id)
      return refused(ErrorKind::malformed, where + " is that of another cluster");
    owners.cluster_id = read->cluster_id;
    owners.directory_ids[id] = read->directory_id;
  }
  return owners;
}

// The features are those of the cluster, not those that a start would have without it.
Result<void> adopt_features(const DurableMetadata& metadata, ClusterSettings& settings,
                            std::vector<std::string>& notes) {
  for (const Feature& feature : settings.era.features()) {
    const auto found = metadata.feature_levels.find(feature.name);
    const std::int16_t level =
        found == metadata.feature_levels.end() ? std::int16_t{0} : found->second;
    if (feature.name == "kraft.version" || level == feature.level) continue;
    if (!settings.era.set_feature_level(feature.name, level))
      return refused(ErrorKind::invalid_argument, std::string(feature.name) + " is at level " +
                                                      std::to_string(level) +
                                                      " in the data directory, which Kafka " +
                                                      settings.era.name + " does not have");
    notes.push_back(std::string(feature.name) + " stays at level " + std::to_string(level) +
                    ", as the data directory has it");
  }
  for (const auto& [name, level] : metadata.feature_levels)
    if (std::ranges::none_of(settings.era.features(),
                             [&](const Feature& feature) { return feature.name == name; }))
      return refused(ErrorKind::invalid_argument, "the data directory has the feature " + name +
                                                      ", which Kafka " + settings.era.name +
                                                      " does not know");
  return {};
}

Result<void> adopt(const DurableMetadata& metadata, ClusterSettings& settings,
                   std::vector<std::string>& notes) {
  int broker_id_max = 0;
  for (const BrokerAddress& address : metadata.image->addresses)
    broker_id_max = std::max(broker_id_max, address.id);
  if (broker_id_max > settings.broker_count)
    return refused(ErrorKind::invalid_argument,
                   "the data directory is that of " + std::to_string(broker_id_max) +
                       " brokers, not of " + std::to_string(settings.broker_count));
  if (const TopicImage* topic = metadata.image->find_topic(transaction_state_topic))
    settings.transaction_state_log_num_partitions = static_cast<int>(topic->partitions.size());
  if (const TopicImage* topic = metadata.image->find_topic(consumer_offsets_topic))
    settings.offsets_topic_num_partitions = static_cast<int>(topic->partitions.size());
  return adopt_features(metadata, settings, notes);
}

}  // namespace

Result<ClusterFiles> ClusterFiles::open(const Disks& disks, ClusterSettings& settings,
                                        std::optional<SurvivingCluster>& survivors,
                                        std::vector<std::string>& notes) {
  CHECK(disks.size() == static_cast<std::size_t>(settings.broker_count));
  std::map<int, BrokerFiles> brokers;
  for (const auto& [id, storage] : disks) brokers.emplace(id, BrokerFiles(id, storage));
  Result<Owners> owners = read_owners(brokers);
  if (!owners) return owners.error();
  for (auto& [id, files] : brokers)
    if (Result<void> read = files.read_checkpoints(); !read) return of_broker(id, read.error());
  const int first_id = brokers.begin()->first;
  BrokerFiles& first = brokers.begin()->second;
  std::vector<std::string> of_disk;
  Result<MetadataLog> metadata =
      MetadataLog::open(first.storage(), first.recovery_point(metadata_partition), of_disk);
  if (!metadata) return of_broker(first_id, metadata.error());
  move_notes(first_id, std::move(of_disk), notes);

  ClusterFiles out(std::move(*metadata));
  out.brokers_ = std::move(brokers);
  out.identities_.epoch = out.metadata_.end_offset();
  out.has_identities_ = !out.metadata_.is_empty() && owners->directory_ids.size() == disks.size();
  Random random(settings.seed, "directories");
  for (const auto& [id, storage] : disks) {
    const auto known = owners->directory_ids.find(id);
    const Uuid drawn = random_uuid(random);
    out.identities_.directory_ids[id] =
        known == owners->directory_ids.end() ? drawn : known->second;
  }
  if (out.metadata_.is_empty()) {
    for (auto& [id, files] : out.brokers_)
      if (files.has_partitions())
        return of_broker(
            id, refused(ErrorKind::malformed,
                        "it has partitions, and " + to_string(metadata_partition) + " is missing"));
    return out;
  }
  const DurableMetadata& known = out.metadata_.metadata();
  if (Result<void> adopted = adopt(known, settings, notes); !adopted) return adopted.error();
  for (const BrokerAddress& address : known.image->addresses)
    if (!owners->directory_ids.contains(address.id))
      return refused(ErrorKind::malformed, std::string(meta_properties_file) + " of broker " +
                                               std::to_string(address.id) + " is missing");
  // What is drawn at random in this life is not what was drawn in the last one.
  settings.seed += static_cast<std::uint64_t>(out.metadata_.end_offset()) << 32;
  survivors.emplace();
  survivors->metadata = *known.image;
  survivors->metadata.cluster_id = owners->cluster_id;
  survivors->next_producer_id = known.next_producer_id;
  if (Result<void> recovered = out.recover(settings, survivors->replicas, notes); !recovered)
    return recovered.error();
  return out;
}

Result<void> ClusterFiles::recover(const ClusterSettings& settings,
                                   std::map<int, SurvivingReplicas>& survivors,
                                   std::vector<std::string>& notes) {
  for (auto& [id, files] : brokers_) {
    std::vector<std::string> of_disk;
    Result<SurvivingReplicas> replicas =
        files.recover(*metadata_.metadata().image, metadata_.deleted_topics(), settings, of_disk);
    move_notes(id, std::move(of_disk), notes);
    if (!replicas) return of_broker(id, replicas.error());
    survivors[id] = std::move(*replicas);
  }
  return {};
}

void ClusterFiles::write_meta_properties(const std::string& cluster_id) {
  has_identities_ = true;
  for (auto& [id, files] : brokers_)
    files.storage().replace(
        meta_properties_file,
        minibroker::write_meta_properties({cluster_id, id, identities_.directory_ids.at(id)}));
}

void ClusterFiles::write(World& world, Instant now) {
  Controller& controller = world.controller();
  if (!has_identities_) write_meta_properties(controller.image()->cluster_id);
  if (controller.version() != metadata_version_ ||
      controller.next_producer_id() != next_producer_id_) {
    metadata_version_ = controller.version();
    next_producer_id_ = controller.next_producer_id();
    const std::shared_ptr<const MetadataImage> image = controller.image();
    metadata_.write({image, feature_levels_of(*image), next_producer_id_, {}}, identities_, now,
                    controller_disk());
  }
  for (auto& [id, files] : brokers_) files.write(world.replicas(id));
}

Result<void> ClusterFiles::flush() {
  for (auto& [id, files] : brokers_)
    if (Result<void> flushed = files.storage().flush(); !flushed) return flushed;
  return {};
}

Result<void> ClusterFiles::sync() {
  for (auto& [id, files] : brokers_)
    if (Result<void> synced = files.storage().sync(); !synced) return synced;
  return {};
}

void ClusterFiles::write_checkpoints(const World& world) {
  brokers_.begin()->second.set_recovery_point(metadata_partition, metadata_.end_offset());
  for (auto& [id, files] : brokers_) {
    files.note_synced();
    files.write_checkpoints(world.replicas(id));
  }
}

void ClusterFiles::close(const World& world) {
  metadata_.close(controller_disk());
  for (auto& [id, files] : brokers_) files.close(world.replicas(id));
}

}  // namespace fencepost::minibroker
