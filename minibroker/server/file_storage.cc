#include "minibroker/server/file_storage.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace fencepost::minibroker::server {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t open_files_max = 256;
constexpr const char* lock_file = ".lock";

Error io_error(const std::string& what, const std::string& path, const std::string& reason) {
  return {ErrorKind::io, "cannot " + what + " " + path + ": " + reason, 0, {}};
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_inside(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

}  // namespace

Result<std::shared_ptr<FileStorage>> FileStorage::open(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return io_error("make", directory, error.message());
  const std::string path = directory + "/" + lock_file;
  const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return io_error("open", path, std::strerror(errno));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(lock, F_OFD_SETLK, &whole) != 0) {
    const bool is_taken = errno == EAGAIN || errno == EACCES;
    Error refusal = io_error("lock", path, std::strerror(errno));
    ::close(lock);
    if (!is_taken) return refusal;
    return Error{ErrorKind::invalid_argument, directory + " is in use by another process", 0, {}};
  }
  return std::shared_ptr<FileStorage>(new FileStorage(directory, lock));
}

FileStorage::~FileStorage() {
  for (const auto& [path, file] : open_) ::close(file);
  ::close(lock_);
}

// ---- the queue

void FileStorage::append(const std::string& path, SharedBytes bytes) {
  const bool goes_on =
      !queue_.empty() && queue_.back().kind == Kind::append && queue_.back().path == path;
  if (!goes_on) queue_.push_back({Kind::append, path});
  if (!bytes.empty()) queue_.back().pieces.push_back(std::move(bytes));
}

void FileStorage::truncate(const std::string& path, std::size_t size) {
  queue_.push_back({Kind::truncate, path, {}, size});
}

void FileStorage::replace(const std::string& path, SharedBytes bytes) {
  queue_.push_back({Kind::replace, path, {std::move(bytes)}});
}

void FileStorage::rename(const std::string& from, const std::string& to) {
  queue_.push_back({Kind::rename, from, {}, 0, to});
}

void FileStorage::remove(const std::string& path) {
  queue_.push_back({Kind::remove, path});
}

Result<void> FileStorage::flush() {
  for (std::size_t i = 0; i < queue_.size() && !failure_; ++i) carry_out(queue_[i], false);
  queue_.clear();
  if (failure_) return *failure_;
  return {};
}

Result<void> FileStorage::sync() {
  for (std::size_t i = 0; i < queue_.size() && !failure_; ++i) carry_out(queue_[i], true);
  queue_.clear();
  for (const std::string& path : unsynced_) {
    if (failure_) break;
    sync_path(path);
  }
  if (failure_) return *failure_;
  unsynced_.clear();
  return {};
}

// ---- system calls

void FileStorage::fail(const std::string& what, const std::string& path) {
  if (!failure_) failure_ = io_error(what, full(path), std::strerror(errno));
}

void FileStorage::carry_out(const Change& change, bool is_synced) {
  std::error_code error;
  switch (change.kind) {
    case Kind::append:
      return carry_out_append(change);
    case Kind::replace:
      return carry_out_replace(change, is_synced);
    case Kind::truncate:
      if (::truncate(full(change.path).c_str(), static_cast<off_t>(change.size)) != 0)
        return fail("truncate", change.path);
      unsynced_.insert(change.path);
      return;
    case Kind::rename:
      close_below(change.path);
      fs::rename(full(change.path), full(change.to), error);
      break;
    case Kind::remove:
      close_below(change.path);
      fs::remove_all(full(change.path), error);
      break;
  }
  if (error && !failure_)
    failure_ = io_error(change.kind == Kind::rename ? "rename" : "remove", full(change.path),
                        error.message());
  unsynced_.insert(folder_of(change.path) + "/");
}

void FileStorage::carry_out_append(const Change& change) {
  const int file = descriptor(change.path);
  if (file < 0 || change.pieces.empty()) return;
  write_all(file, change.pieces, change.path);
  unsynced_.insert(change.path);
}

// A new file takes the old one's name when it is whole; on disk, when that is asked for.
void FileStorage::carry_out_replace(const Change& change, bool is_synced) {
  if (!make_folders(change.path)) return;
  close_below(change.path);
  const std::string temporary = full(change.path) + ".tmp";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return fail("make", change.path + ".tmp");
  write_all(file, change.pieces, change.path);
  if (is_synced && ::fdatasync(file) != 0) fail("sync", change.path + ".tmp");
  ::close(file);
  if (failure_) return;
  if (::rename(temporary.c_str(), full(change.path).c_str()) != 0)
    return fail("replace", change.path);
  unsynced_.insert(folder_of(change.path) + "/");
  if (!is_synced) unsynced_.insert(change.path);
}

int FileStorage::descriptor(const std::string& path) {
  if (const auto found = open_.find(path); found != open_.end()) return found->second;
  if (!make_folders(path)) return -1;
  if (open_.size() >= open_files_max) {
    for (const auto& [other, file] : open_) ::close(file);
    open_.clear();
  }
  const int file = ::open(full(path).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    fail("open", path);
    return -1;
  }
  open_[path] = file;
  unsynced_.insert(folder_of(path) + "/");
  return file;
}

bool FileStorage::make_folders(const std::string& path) {
  const std::string folder = folder_of(path);
  if (folder.empty() || folders_.contains(folder)) return true;
  std::error_code error;
  fs::create_directories(full(folder), error);
  if (error) {
    failure_ = io_error("make", full(folder), error.message());
    return false;
  }
  folders_.insert(folder);
  for (std::string parent = folder_of(folder);; parent = folder_of(parent)) {
    unsynced_.insert(parent + "/");
    if (parent.empty()) return true;
  }
}

// The path names another file from now on, or none.
void FileStorage::close_below(const std::string& path) {
  std::erase_if(open_, [&](const auto& entry) {
    if (!is_inside(entry.first, path)) return false;
    ::close(entry.second);
    return true;
  });
  std::erase_if(folders_, [&](const std::string& folder) { return is_inside(folder, path); });
  std::erase_if(unsynced_, [&](const std::string& other) { return is_inside(other, path); });
}

void FileStorage::write_all(int file, const std::vector<SharedBytes>& pieces,
                            const std::string& path) {
  std::size_t first = 0;
  std::size_t skipped = 0;  // bytes of the first piece that are written
  while (first < pieces.size()) {
    std::vector<iovec> vectors;
    for (std::size_t i = first; i < pieces.size() && vectors.size() < IOV_MAX; ++i) {
      const std::size_t from = i == first ? skipped : 0;
      vectors.push_back(
          {const_cast<std::uint8_t*>(pieces[i].data()) + from, pieces[i].size() - from});
    }
    const ssize_t count = ::writev(file, vectors.data(), static_cast<int>(vectors.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail("write", path);
    std::size_t left = skipped + static_cast<std::size_t>(count);
    while (first < pieces.size() && left >= pieces[first].size()) left -= pieces[first++].size();
    skipped = left;
  }
}

void FileStorage::sync_path(const std::string& path) {
  const bool is_folder = path.ends_with('/');
  if (const auto found = open_.find(path); found != open_.end()) {
    if (::fdatasync(found->second) != 0) fail("sync", path);
    return;
  }
  const std::string name = is_folder ? path.substr(0, path.size() - 1) : path;
  const int file = ::open(full(name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return;  // removed since
  if (file < 0) return fail("open", name);
  if (is_folder ? ::fsync(file) != 0 : ::fdatasync(file) != 0) fail("sync", name);
  ::close(file);
}

// ---- reading

std::vector<std::string> FileStorage::list(const std::string& folder) {
  std::vector<std::string> names;
  if (!flush()) return names;
  std::error_code error;
  for (fs::directory_iterator entry(full(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    names.push_back(entry->path().filename().string() + (entry->is_directory(ignored) ? "/" : ""));
  }
  std::ranges::sort(names);
  return names;
}

bool FileStorage::exists(const std::string& path) {
  if (!flush()) return false;
  std::error_code error;
  return fs::exists(full(path), error);
}

Result<SharedBytes> FileStorage::read(const std::string& path) {
  if (Result<void> flushed = flush(); !flushed) return flushed.error();
  const int file = ::open(full(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return io_error("open", full(path), std::strerror(errno));
  ByteVector bytes;
  std::error_code error;
  bytes.resize(fs::file_size(full(path), error));
  std::size_t filled = 0;
  while (!error && filled < bytes.size()) {
    const ssize_t count = ::read(file, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno != EINTR) error.assign(errno, std::generic_category());
    if (count == 0) break;
    if (count > 0) filled += static_cast<std::size_t>(count);
  }
  ::close(file);
  if (error) return io_error("read", full(path), error.message());
  bytes.resize(filled);
  return SharedBytes(std::move(bytes));
}

}  // namespace fencepost::minibroker::server
