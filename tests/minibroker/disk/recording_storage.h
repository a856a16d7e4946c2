// A disk that remembers every change, so that it can be had as it was after any of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "minibroker/log/memory_storage.h"

namespace fencepost::minibroker {

class RecordingStorage final : public Storage {
 public:
  void append(const std::string& path, SharedBytes bytes) override {
    change([path, bytes](Storage& disk) { disk.append(path, bytes); });
  }
  void truncate(const std::string& path, std::size_t size) override {
    change([path, size](Storage& disk) { disk.truncate(path, size); });
  }
  void replace(const std::string& path, SharedBytes bytes) override {
    change([path, bytes](Storage& disk) { disk.replace(path, bytes); });
  }
  void rename(const std::string& from, const std::string& to) override {
    change([from, to](Storage& disk) { disk.rename(from, to); });
  }
  void remove(const std::string& path) override {
    change([path](Storage& disk) { disk.remove(path); });
  }
  Result<void> flush() override { return {}; }
  Result<void> sync() override { return {}; }
  std::vector<std::string> list(const std::string& folder) override { return now_.list(folder); }
  bool exists(const std::string& path) override { return now_.exists(path); }
  Result<SharedBytes> read(const std::string& path) override { return now_.read(path); }

  std::size_t change_count() const { return changes_.size(); }
  // As a process leaves it that is killed after so many changes.
  std::shared_ptr<MemoryStorage> after(std::size_t count) const {
    auto disk = std::make_shared<MemoryStorage>();
    for (std::size_t i = 0; i < count; ++i) changes_[i](*disk);
    return disk;
  }

 private:
  void change(std::function<void(Storage&)> what) {
    what(now_);
    changes_.push_back(std::move(what));
  }

  MemoryStorage now_;
  std::vector<std::function<void(Storage&)>> changes_;
};

}  // namespace fencepost::minibroker
