// One broker's disk as the broker sees it: files in folders, named from its data directory on
// ("orders-0/00000000000000000000.log"). The broker decides what is written and in which order;
// whoever drives it decides when it has to survive, and passes the storage in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::minibroker {

// Changes are queued and seen by reads at once. They reach the system at flush() and the disk at
// sync(), always in the order in which they were asked for: after an end at any moment, what is
// there is a beginning of what was asked for. A change that fails makes all later ones fail; the
// next flush() or sync() tells.
class Storage {
 public:
  virtual ~Storage() = default;

  // ---- changes

  // Adds bytes at the end of a file, which is made if it is not there, with its folders.
  virtual void append(const std::string& path, SharedBytes bytes) = 0;
  // Cuts the file to `size` bytes; it has at least as many.
  virtual void truncate(const std::string& path, std::size_t size) = 0;
  // The file's whole content; who looks sees the old one or the new one.
  virtual void replace(const std::string& path, SharedBytes bytes) = 0;
  // Of a file or a folder with everything in it; nothing of the new name is there.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // A file, or a folder with everything in it; nothing happens when it is not there.
  virtual void remove(const std::string& path) = 0;

  // ---- how far they have come

  // What has been asked for survives the end of the process. Errors: io.
  virtual Result<void> flush() = 0;
  // What has been asked for survives the end of the machine. Errors: io.
  virtual Result<void> sync() = 0;

  // ---- reading

  // The names in that folder, in their order, those of folders with a slash at the end; none when
  // there is no such folder. "" is the data directory itself.
  virtual std::vector<std::string> list(const std::string& folder) = 0;
  virtual bool exists(const std::string& path) = 0;
  // A whole file. Errors: io.
  virtual Result<SharedBytes> read(const std::string& path) = 0;
};

// The storage of each broker, by id.
using Disks = std::map<int, std::shared_ptr<Storage>>;

// A folder of another storage, as a storage. Several may share one: the order of changes is theirs
// together.
class StorageFolder final : public Storage {
 public:
  // `folder` without a slash at the end.
  StorageFolder(std::shared_ptr<Storage> storage, const std::string& folder)
      : storage_(std::move(storage)), prefix_(folder + "/") {}

  void append(const std::string& path, SharedBytes bytes) override {
    storage_->append(prefix_ + path, std::move(bytes));
  }
  void truncate(const std::string& path, std::size_t size) override {
    storage_->truncate(prefix_ + path, size);
  }
  void replace(const std::string& path, SharedBytes bytes) override {
    storage_->replace(prefix_ + path, std::move(bytes));
  }
  void rename(const std::string& from, const std::string& to) override {
    storage_->rename(prefix_ + from, prefix_ + to);
  }
  void remove(const std::string& path) override { storage_->remove(prefix_ + path); }
  Result<void> flush() override { return storage_->flush(); }
  Result<void> sync() override { return storage_->sync(); }
  std::vector<std::string> list(const std::string& folder) override {
    return storage_->list(folder.empty() ? prefix_.substr(0, prefix_.size() - 1)
                                         : prefix_ + folder);
  }
  bool exists(const std::string& path) override { return storage_->exists(prefix_ + path); }
  Result<SharedBytes> read(const std::string& path) override {
    return storage_->read(prefix_ + path);
  }

 private:
  std::shared_ptr<Storage> storage_;
  std::string prefix_;
};

}  // namespace fencepost::minibroker
