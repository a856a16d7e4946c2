// All that one broker keeps on its disk besides the cluster's metadata: the files of its replicas,
// and the checkpoints beside them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "minibroker/log/checkpoints.h"
#include "minibroker/log/log_files.h"
#include "minibroker/log/storage.h"
#include "minibroker/replicas.h"
#include "minibroker/survivors.h"

namespace fencepost::minibroker {

class BrokerFiles {
 public:
  BrokerFiles(int broker_id, std::shared_ptr<Storage> storage)
      : broker_id_(broker_id), storage_(std::move(storage)) {}

  Storage& storage() { return *storage_; }
  bool has_partitions();

  // ---- once, before anything is written

  // Errors: malformed, with the file's name; io.
  Result<void> read_checkpoints();
  // The replicas that this broker hosts in `image`. Folders of topics that have been deleted are
  // removed; those that nobody knows are put aside under another name. `notes`: a line for each of
  // these and for each repair. Errors: as recover_log(), and malformed for a folder that is
  // missing.
  Result<SurvivingReplicas> recover(const MetadataImage& image, const std::set<Uuid>& deleted,
                                    const ClusterSettings& settings,
                                    std::vector<std::string>& notes);

  // ---- then

  // What has changed since the last call.
  void write(Replicas& replicas);
  // Everything that has been written is on disk.
  void note_synced();
  std::int64_t recovery_point(const TopicPartition& partition) const;
  void set_recovery_point(const TopicPartition& partition, std::int64_t offset);
  // Writes down how far recovery has to trust the files, and what is replicated.
  void write_checkpoints(const Replicas& replicas);
  void close(const Replicas& replicas);

 private:
  struct Kept {
    Uuid topic_id;
    LogFiles files;
  };
  struct Checkpoint {
    OffsetsByPartition offsets = {};
    bool is_changed = false;

    void set(const TopicPartition& partition, std::int64_t offset);
    void forget(const TopicPartition& partition);
  };

  Result<void> read_checkpoint(const char* file, Checkpoint& checkpoint);
  void write_checkpoint(const char* file, Checkpoint& checkpoint);
  void write_changed_checkpoints();
  // What is to become of a folder that was found.
  enum class Fate { hosted, unfinished, deleted, stray };
  Result<Fate> fate_of(const TopicPartition& partition, const MetadataImage& image,
                       const std::set<Uuid>& deleted, Uuid& topic_id);
  Result<void> recover_partition(const TopicPartition& partition, const TopicImage& topic,
                                 const ClusterSettings& settings, SurvivingReplicas& survivors,
                                 std::vector<std::string>& notes);
  Result<void> find_missing(const MetadataImage& image) const;
  void forget(const TopicPartition& partition);
  void remove(const TopicPartition& partition, const Uuid& topic_id);
  void note_moves(const TopicPartition& partition, const PartitionLog& log);

  int broker_id_;
  std::shared_ptr<Storage> storage_;
  std::map<TopicPartition, Kept> kept_;
  Checkpoint log_start_;
  Checkpoint recovery_point_;
  Checkpoint high_watermark_;
  Checkpoint cleaned_;
};

}  // namespace fencepost::minibroker
