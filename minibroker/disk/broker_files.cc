#include "minibroker/disk/broker_files.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "minibroker/disk/metadata_changes.h"
#include "minibroker/log/log_recovery.h"
#include "minibroker/topic_configuration.h"

namespace fencepost::minibroker {

namespace {

constexpr const char* deleted_suffix = "-delete";
constexpr const char* stray_suffix = "-stray";
constexpr std::size_t name_bytes_max = 255;

// "orders-0/", as list() has it.
std::optional<TopicPartition> partition_in(std::string_view name) {
  if (!name.ends_with('/')) return std::nullopt;
  name.remove_suffix(1);
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const std::string_view index = name.substr(dash + 1);
  TopicPartition partition{std::string(name.substr(0, dash)), 0};
  const auto [end, error] =
      std::from_chars(index.data(), index.data() + index.size(), partition.partition);
  const bool is_index =
      error == std::errc() && end == index.data() + index.size() && partition.partition >= 0;
  if (!is_index || partition.topic == cluster_metadata_topic) return std::nullopt;
  return partition;
}

// As Kafka names a folder on its way out, no longer than a name may be.
std::string name_aside(const TopicPartition& partition, const Uuid& topic_id,
                       const std::string& suffix) {
  const std::string end =
      "-" + std::to_string(partition.partition) + "." + to_hex(topic_id.bytes) + suffix;
  return partition.topic.substr(0, name_bytes_max - end.size()) + end;
}

std::int64_t offset_of(const OffsetsByPartition& offsets, const TopicPartition& partition) {
  const auto found = offsets.find(partition);
  return found == offsets.end() ? 0 : found->second;
}

bool hosts(const PartitionImage* image, int broker_id) {
  return image != nullptr && std::ranges::find(image->replicas, broker_id) != image->replicas.end();
}

}  // namespace

void BrokerFiles::Checkpoint::set(const TopicPartition& partition, std::int64_t offset) {
  const auto [entry, is_new] = offsets.try_emplace(partition, offset);
  is_changed |= is_new ? offset != 0 : entry->second != offset;
  entry->second = offset;
}

void BrokerFiles::Checkpoint::forget(const TopicPartition& partition) {
  is_changed |= offsets.erase(partition) > 0;
}

bool BrokerFiles::has_partitions() {
  return std::ranges::any_of(storage_->list(""),
                             [](const auto& name) { return partition_in(name).has_value(); });
}

// ---- checkpoints

Result<void> BrokerFiles::read_checkpoint(const char* file, Checkpoint& checkpoint) {
  if (!storage_->exists(file)) return {};
  const Result<SharedBytes> bytes = storage_->read(file);
  if (!bytes) return bytes.error();
  Result<OffsetsByPartition> offsets = read_offset_checkpoint(bytes->text());
  if (!offsets)
    return Error{ErrorKind::malformed,
                 std::string(file) + " is damaged: " + offsets.error().text,
                 offsets.error().offset,
                 {}};
  checkpoint.offsets = std::move(*offsets);
  return {};
}

Result<void> BrokerFiles::read_checkpoints() {
  for (const auto& [file, checkpoint] : {std::pair(log_start_checkpoint, &log_start_),
                                         std::pair(recovery_point_checkpoint, &recovery_point_),
                                         std::pair(high_watermark_checkpoint, &high_watermark_),
                                         std::pair(cleaner_checkpoint, &cleaned_)})
    if (Result<void> read = read_checkpoint(file, *checkpoint); !read) return read;
  return {};
}

void BrokerFiles::write_checkpoint(const char* file, Checkpoint& checkpoint) {
  if (!checkpoint.is_changed) return;
  checkpoint.is_changed = false;
  OffsetsByPartition offsets = checkpoint.offsets;
  std::erase_if(offsets, [](const auto& entry) { return entry.second == 0; });
  storage_->replace(file, write_offset_checkpoint(offsets));
}

void BrokerFiles::write_changed_checkpoints() {
  write_checkpoint(recovery_point_checkpoint, recovery_point_);
  write_checkpoint(log_start_checkpoint, log_start_);
  write_checkpoint(cleaner_checkpoint, cleaned_);
}

std::int64_t BrokerFiles::recovery_point(const TopicPartition& partition) const {
  return offset_of(recovery_point_.offsets, partition);
}

void BrokerFiles::set_recovery_point(const TopicPartition& partition, std::int64_t offset) {
  recovery_point_.set(partition, offset);
}

void BrokerFiles::note_synced() {
  for (const auto& [partition, kept] : kept_)
    recovery_point_.set(partition, kept.files.end_offset());
}

void BrokerFiles::write_checkpoints(const Replicas& replicas) {
  for (const auto& [partition, replica] : replicas.all())
    if (kept_.contains(partition)) high_watermark_.set(partition, replica.log.high_watermark());
  write_changed_checkpoints();
  write_checkpoint(high_watermark_checkpoint, high_watermark_);
}

void BrokerFiles::forget(const TopicPartition& partition) {
  for (Checkpoint* checkpoint : {&log_start_, &recovery_point_, &high_watermark_, &cleaned_})
    checkpoint->forget(partition);
}

// ---- recovery

Result<SurvivingReplicas> BrokerFiles::recover(const MetadataImage& image,
                                               const std::set<Uuid>& deleted,
                                               const ClusterSettings& settings,
                                               std::vector<std::string>& notes) {
  SurvivingReplicas survivors;
  for (const std::string& name : storage_->list("")) {
    if (name.ends_with(std::string(deleted_suffix) + "/"))
      storage_->remove(name.substr(0, name.size() - 1));
    const std::optional<TopicPartition> partition = partition_in(name);
    if (!partition) continue;
    Uuid topic_id;
    const Result<Fate> fate = fate_of(*partition, image, deleted, topic_id);
    if (!fate) return fate.error();
    switch (*fate) {
      case Fate::hosted: {
        Result<void> recovered =
            recover_partition(*partition, *image.find_topic(topic_id), settings, survivors, notes);
        if (!recovered) return recovered.error();
        break;
      }
      case Fate::unfinished:
        storage_->remove(to_string(*partition));
        break;
      case Fate::deleted:
        remove(*partition, topic_id);
        break;
      case Fate::stray:
        notes.push_back(to_string(*partition) + ": no topic has this replica; put aside as " +
                        name_aside(*partition, topic_id, stray_suffix));
        storage_->rename(to_string(*partition), name_aside(*partition, topic_id, stray_suffix));
        forget(*partition);
        break;
    }
  }
  if (Result<void> found = find_missing(image); !found) return found.error();
  return survivors;
}

Result<BrokerFiles::Fate> BrokerFiles::fate_of(const TopicPartition& partition,
                                               const MetadataImage& image,
                                               const std::set<Uuid>& deleted, Uuid& topic_id) {
  const std::string folder = to_string(partition);
  if (recovery_point(partition) == 0 && !has_segments(*storage_, folder)) return Fate::unfinished;
  const std::string file = folder + "/" + partition_metadata_file;
  if (!storage_->exists(file)) return Error{ErrorKind::malformed, file + " is missing", 0, {}};
  const Result<SharedBytes> bytes = storage_->read(file);
  if (!bytes) return bytes.error();
  const Result<Uuid> id = read_partition_metadata(bytes->text());
  if (!id)
    return Error{
        ErrorKind::malformed, file + " is damaged: " + id.error().text, id.error().offset, {}};
  topic_id = *id;
  if (deleted.contains(topic_id)) return Fate::deleted;
  if (!hosts(image.find_partition(partition), broker_id_)) return Fate::stray;
  const Uuid& expected = image.find_topic(partition.topic)->id;
  if (topic_id != expected)
    return Error{
        ErrorKind::malformed,
        file + " is damaged: the topic is " + to_string(expected) + ", not " + to_string(topic_id),
        0,
        {}};
  return Fate::hosted;
}

Result<void> BrokerFiles::recover_partition(const TopicPartition& partition,
                                            const TopicImage& topic,
                                            const ClusterSettings& settings,
                                            SurvivingReplicas& survivors,
                                            std::vector<std::string>& notes) {
  const LogSettings rules_of_log = log_settings(topic, settings);
  RecoveryRules rules;
  rules.log_start_offset = offset_of(log_start_.offsets, partition);
  rules.recovery_point = recovery_point(partition);
  rules.high_watermark = offset_of(high_watermark_.offsets, partition);
  rules.has_gaps = rules_of_log.cleanup.compacts || cleaned_.offsets.contains(partition);
  Result<RecoveredLog> recovered =
      recover_log(*storage_, to_string(partition), rules_of_log, rules);
  if (!recovered) return recovered.error();
  notes.insert(notes.end(), recovered->notes.begin(), recovered->notes.end());
  kept_.insert_or_assign(partition, Kept{topic.id, std::move(recovered->files)});
  survivors.insert_or_assign(partition, SurvivingReplica{topic.id, std::move(recovered->log)});
  return {};
}

// A replica without folder was never written to, or has been lost.
Result<void> BrokerFiles::find_missing(const MetadataImage& image) const {
  for (const auto& [partition, offset] : recovery_point_.offsets)
    if (offset > 0 && !kept_.contains(partition) &&
        hosts(image.find_partition(partition), broker_id_))
      return Error{ErrorKind::malformed,
                   to_string(partition) + " is missing: it was on disk up to offset " +
                       std::to_string(offset),
                   0,
                   {}};
  return {};
}

// ---- changes

void BrokerFiles::remove(const TopicPartition& partition, const Uuid& topic_id) {
  const std::string aside = name_aside(partition, topic_id, deleted_suffix);
  forget(partition);
  write_changed_checkpoints();
  storage_->rename(to_string(partition), aside);
  storage_->remove(aside);
}

// A recovery that trusted what is about to be cut off, or did not know that the log begins later,
// would take the files for damaged.
void BrokerFiles::note_moves(const TopicPartition& partition, const PartitionLog& log) {
  log_start_.set(partition, log.log_start_offset());
  const LogChanges& changes = log.changes();
  const std::int64_t kept =
      std::min(changes.truncated_to.value_or(log.log_end_offset()), log.log_end_offset());
  if (kept < recovery_point(partition)) recovery_point_.set(partition, kept);
  if (changes.cleaned_to) cleaned_.set(partition, *changes.cleaned_to);
}

void BrokerFiles::write(Replicas& replicas) {
  const std::set<TopicPartition> changed = replicas.take_unwritten();
  for (const TopicPartition& partition : changed) {
    const Replica* replica = replicas.find(partition);
    const auto kept = kept_.find(partition);
    if (kept == kept_.end()) continue;
    if (replica != nullptr && replica->topic_id == kept->second.topic_id) {
      note_moves(partition, replica->log);
      continue;
    }
    remove(partition, kept->second.topic_id);
    kept_.erase(kept);
  }
  write_changed_checkpoints();
  for (const TopicPartition& partition : changed) {
    Replica* replica = replicas.find(partition);
    if (replica == nullptr) continue;
    if (const auto kept = kept_.find(partition); kept != kept_.end())
      kept->second.files.write(replica->log, *storage_);
    else
      kept_.emplace(partition, Kept{replica->topic_id,
                                    LogFiles::create(to_string(partition), replica->topic_id,
                                                     replica->log, *storage_)});
  }
}

void BrokerFiles::close(const Replicas& replicas) {
  for (auto& [partition, kept] : kept_)
    if (const auto found = replicas.all().find(partition); found != replicas.all().end())
      kept.files.close(found->second.log, *storage_);
}

}  // namespace fencepost::minibroker
