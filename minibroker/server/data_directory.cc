#include "minibroker/server/data_directory.h"

namespace fencepost::minibroker::server {

namespace {

std::string folder_of(int broker_id) {
  return "broker-" + std::to_string(broker_id);
}

}  // namespace

Result<DataDirectory> DataDirectory::open(const std::string& path, int broker_count) {
  Result<std::shared_ptr<FileStorage>> storage = FileStorage::open(path);
  if (!storage) return storage.error();
  DataDirectory out{*storage, {}};
  for (int id = 1; id <= broker_count; ++id)
    out.disks[id] = std::make_shared<StorageFolder>(*storage, folder_of(id));
  if ((*storage)->exists(folder_of(broker_count + 1)))
    return Error{ErrorKind::invalid_argument,
                 path + " is that of more than " + std::to_string(broker_count) + " brokers",
                 0,
                 {}};
  return out;
}

Result<Cluster> start_cluster(ClusterSettings settings, const std::string& data_directory,
                              const std::function<void(std::string_view line)>& notice,
                              std::shared_ptr<FileStorage>& storage) {
  if (data_directory.empty()) return Cluster(std::move(settings));
  Result<DataDirectory> directory = DataDirectory::open(data_directory, settings.broker_count);
  if (!directory.ok()) return directory.error();
  storage = directory->storage;
  std::vector<std::string> notes;
  Result<Cluster> started = Cluster::open(std::move(settings), directory->disks, notes);
  if (notice)
    for (const std::string& note : notes) notice(note);
  return started;
}

}  // namespace fencepost::minibroker::server
