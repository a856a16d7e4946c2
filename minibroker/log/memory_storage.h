// A disk in memory, for the simulator and for tests: it can lose what was not synced, as a machine
// does that loses its power. A plain value; a copy shares only bytes that never change.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "minibroker/log/storage.h"

namespace fencepost::minibroker {

class MemoryStorage final : public Storage {
 public:
  void append(const std::string& path, SharedBytes bytes) override;
  void truncate(const std::string& path, std::size_t size) override;
  void replace(const std::string& path, SharedBytes bytes) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  Result<void> flush() override { return {}; }
  Result<void> sync() override;
  std::vector<std::string> list(const std::string& folder) override;
  bool exists(const std::string& path) override;
  Result<SharedBytes> read(const std::string& path) override;

  // ---- what goes wrong with disks

  // Everything since the last sync() is lost.
  void lose_unsynced();
  // Of the bytes appended to that file since the last sync() only the first `kept` are left.
  void tear(const std::string& path, std::size_t kept);
  std::size_t unsynced_bytes(const std::string& path) const;
  // All files, in the order of their paths.
  std::vector<std::string> files() const;

 private:
  struct File {
    std::vector<SharedBytes> pieces;
    std::size_t size = 0;

    void append(SharedBytes bytes);
    void truncate(std::size_t new_size);
  };
  using Files = std::map<std::string, File>;

  Files files_;
  Files synced_;
};

}  // namespace fencepost::minibroker
