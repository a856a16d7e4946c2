// A data directory of the machine. Changes wait in memory, in their order, until flush() or sync():
// a turn of the server costs as few system calls as it can, and one sync answers all that waited
// for it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "minibroker/log/storage.h"

namespace fencepost::minibroker::server {

class FileStorage final : public Storage {
 public:
  // Makes the directory if it is not there, and locks it for this process, as Kafka does.
  // Errors: io when it cannot be made or written; invalid_argument when another process has it.
  static Result<std::shared_ptr<FileStorage>> open(const std::string& directory);
  ~FileStorage() override;
  FileStorage(const FileStorage&) = delete;
  FileStorage& operator=(const FileStorage&) = delete;

  void append(const std::string& path, SharedBytes bytes) override;
  void truncate(const std::string& path, std::size_t size) override;
  void replace(const std::string& path, SharedBytes bytes) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  Result<void> flush() override;
  Result<void> sync() override;
  std::vector<std::string> list(const std::string& folder) override;
  bool exists(const std::string& path) override;
  Result<SharedBytes> read(const std::string& path) override;

  // Whether flush() or sync() has something to do.
  bool has_changes() const { return !queue_.empty(); }
  bool has_unsynced() const { return has_changes() || !unsynced_.empty(); }

 private:
  enum class Kind { append, truncate, replace, rename, remove };
  struct Change {
    Kind kind = Kind::append;
    std::string path;
    std::vector<SharedBytes> pieces = {};
    std::size_t size = 0;
    std::string to = {};
  };

  FileStorage(std::string directory, int lock) : directory_(std::move(directory)), lock_(lock) {}

  std::string full(const std::string& path) const {
    return path.empty() ? directory_ : directory_ + "/" + path;
  }
  void carry_out(const Change& change, bool is_synced);
  void carry_out_append(const Change& change);
  void carry_out_replace(const Change& change, bool is_synced);
  int descriptor(const std::string& path);
  bool make_folders(const std::string& path);
  void close_below(const std::string& path);
  void write_all(int file, const std::vector<SharedBytes>& pieces, const std::string& path);
  void sync_path(const std::string& path);
  void fail(const std::string& what, const std::string& path);

  std::string directory_;
  int lock_;
  std::vector<Change> queue_;
  std::map<std::string, int> open_;  // files that have been appended to
  std::set<std::string> folders_;    // known to be there
  std::set<std::string> unsynced_;   // files, and folders by a slash at the end
  std::optional<Error> failure_;
};

}  // namespace fencepost::minibroker::server
