#include "minibroker/log/memory_storage.h"

#include <algorithm>

#include "protocol/base/check.h"

namespace fencepost::minibroker {

namespace {

bool is_inside(const std::string& path, const std::string& folder) {
  return folder.empty() || path.starts_with(folder + "/");
}

}  // namespace

void MemoryStorage::File::append(SharedBytes bytes) {
  size += bytes.size();
  pieces.push_back(std::move(bytes));
}

void MemoryStorage::File::truncate(std::size_t new_size) {
  CHECK(new_size <= size);
  while (size > new_size) {
    SharedBytes& last = pieces.back();
    const std::size_t surplus = std::min(size - new_size, last.size());
    last = last.slice(0, last.size() - surplus);
    size -= surplus;
    if (last.empty()) pieces.pop_back();
  }
}

void MemoryStorage::append(const std::string& path, SharedBytes bytes) {
  files_[path].append(std::move(bytes));
}

void MemoryStorage::truncate(const std::string& path, std::size_t size) {
  files_.at(path).truncate(size);
}

void MemoryStorage::replace(const std::string& path, SharedBytes bytes) {
  files_[path] = {};
  files_[path].append(std::move(bytes));
}

void MemoryStorage::rename(const std::string& from, const std::string& to) {
  CHECK(!exists(to));
  Files renamed;
  for (auto& [path, file] : files_) {
    const bool is_renamed = path == from || is_inside(path, from);
    renamed.emplace(is_renamed ? to + path.substr(from.size()) : path, std::move(file));
  }
  files_ = std::move(renamed);
}

void MemoryStorage::remove(const std::string& path) {
  std::erase_if(files_, [&](const auto& entry) {
    return entry.first == path || is_inside(entry.first, path);
  });
}

Result<void> MemoryStorage::sync() {
  synced_ = files_;
  return {};
}

std::vector<std::string> MemoryStorage::list(const std::string& folder) {
  std::vector<std::string> names;
  const std::size_t prefix_bytes = folder.empty() ? 0 : folder.size() + 1;
  for (const auto& [path, file] : files_) {
    if (!is_inside(path, folder)) continue;
    const std::string rest = path.substr(prefix_bytes);
    std::string name = rest.substr(0, rest.find('/'));
    if (name.size() < rest.size()) name += '/';
    names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

bool MemoryStorage::exists(const std::string& path) {
  return std::ranges::any_of(files_, [&](const auto& entry) {
    return entry.first == path || is_inside(entry.first, path);
  });
}

Result<SharedBytes> MemoryStorage::read(const std::string& path) {
  const auto found = files_.find(path);
  if (found == files_.end()) return Error{ErrorKind::io, "there is no file " + path, 0, {}};
  Frame frame;
  for (const SharedBytes& piece : found->second.pieces) frame.append(piece);
  return frame.flatten();
}

void MemoryStorage::lose_unsynced() {
  files_ = synced_;
}

std::size_t MemoryStorage::unsynced_bytes(const std::string& path) const {
  const auto now = files_.find(path);
  if (now == files_.end()) return 0;
  const auto before = synced_.find(path);
  const std::size_t synced = before == synced_.end() ? 0 : before->second.size;
  return now->second.size > synced ? now->second.size - synced : 0;
}

void MemoryStorage::tear(const std::string& path, std::size_t kept) {
  const std::size_t unsynced = unsynced_bytes(path);
  CHECK(kept <= unsynced);
  File& file = files_.at(path);
  file.truncate(file.size - unsynced + kept);
}

std::vector<std::string> MemoryStorage::files() const {
  std::vector<std::string> paths;
  for (const auto& [path, file] : files_) paths.push_back(path);
  return paths;
}

}  // namespace fencepost::minibroker
