// The disks of a cluster, kept in line with it from outside: after each of its steps write() puts
// what has changed where a kill can no longer undo the order of it. A copy of a cluster has none.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/disk/broker_files.h"
#include "minibroker/disk/metadata_log.h"
#include "minibroker/settings.h"
#include "minibroker/survivors.h"

namespace fencepost::minibroker {

class World;

class ClusterFiles {
 public:
  // Reads the disks, one for each broker. `settings` become what the cluster has to go on with:
  // features, the partitions of internal topics. `survivors` is empty when the disks were.
  // `notes`: what was repaired or put aside, a line each. Errors: malformed, with file and byte,
  // for what is damaged or missing; invalid_argument for settings that do not fit what is there;
  // io.
  static Result<ClusterFiles> open(const Disks& disks, ClusterSettings& settings,
                                   std::optional<SurvivingCluster>& survivors,
                                   std::vector<std::string>& notes);

  // After each step of the cluster.
  void write(World& world, Instant now);
  // What has been written survives the end of the process, or that of the machine. Errors: io.
  Result<void> flush();
  Result<void> sync();
  // Writes down what recovery is to trust; after a sync(), now and then.
  void write_checkpoints(const World& world);
  // The cluster ends here: nothing is left for recovery to make anew.
  void close(const World& world);

 private:
  explicit ClusterFiles(MetadataLog metadata) : metadata_(std::move(metadata)) {}

  Storage& controller_disk() { return brokers_.begin()->second.storage(); }
  Result<void> recover(const ClusterSettings& settings, std::map<int, SurvivingReplicas>& survivors,
                       std::vector<std::string>& notes);
  void write_meta_properties(const std::string& cluster_id);

  MetadataLog metadata_;
  std::map<int, BrokerFiles> brokers_;
  BrokerIdentities identities_;
  bool has_identities_ = false;  // on disk
  std::int64_t metadata_version_ = -1;
  std::int64_t next_producer_id_ = -1;
};

}  // namespace fencepost::minibroker
