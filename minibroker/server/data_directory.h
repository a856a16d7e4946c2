// A data directory of the machine, shared by the brokers of a cluster: a folder for each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "minibroker/cluster.h"
#include "minibroker/log/storage.h"
#include "minibroker/server/file_storage.h"

namespace fencepost::minibroker::server {

struct DataDirectory {
  std::shared_ptr<FileStorage> storage;
  Disks disks;

  // Errors: as FileStorage::open(); invalid_argument when it has folders of more brokers.
  static Result<DataDirectory> open(const std::string& path, int broker_count);
};

// A cluster on that data directory, or in memory only when there is none. `notice` takes a line for
// each thing that was repaired; may be empty. Errors: as Cluster::open() and DataDirectory::open().
Result<Cluster> start_cluster(ClusterSettings settings, const std::string& data_directory,
                              const std::function<void(std::string_view line)>& notice,
                              std::shared_ptr<FileStorage>& storage);

}  // namespace fencepost::minibroker::server
