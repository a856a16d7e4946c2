// The data directory on a real file system: order, locks, and what a failure does.
#include "minibroker/server/file_storage.h"

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "tests/catch.h"

namespace fencepost::minibroker::server {
namespace {

namespace fs = std::filesystem;

struct Directory {
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "fencepost-XXXXXX").string();
    CHECK(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Directory() { fs::remove_all(path); }

  std::shared_ptr<FileStorage> open() const {
    auto storage = FileStorage::open(path);
    REQUIRE(storage.ok());
    return *storage;
  }

  std::string path;
};

SharedBytes text(std::string_view it) {
  return SharedBytes::copy_of(it);
}

std::string text_of(Storage& storage, const std::string& path) {
  const Result<SharedBytes> bytes = storage.read(path);
  return bytes ? std::string(bytes->text()) : bytes.error().text;
}

}  // namespace

TEST_CASE("Nothing is on the file system before a flush, and all of it afterwards",
          "[server][storage]") {
  const Directory directory;
  const auto storage = directory.open();
  storage->append("a-0/0.log", text("one"));
  storage->append("a-0/0.log", text("two"));
  storage->replace("meta", text("old"));
  storage->replace("meta", text("new"));
  CHECK(storage->has_changes());
  CHECK_FALSE(fs::exists(directory.path + "/a-0"));
  REQUIRE(storage->flush().ok());
  CHECK_FALSE(storage->has_changes());
  CHECK(storage->has_unsynced());
  CHECK(fs::file_size(directory.path + "/a-0/0.log") == 6);
  REQUIRE(storage->sync().ok());
  CHECK_FALSE(storage->has_unsynced());
  CHECK(text_of(*storage, "a-0/0.log") == "onetwo");
  CHECK(text_of(*storage, "meta") == "new");
  CHECK(storage->list("") == std::vector<std::string>{".lock", "a-0/", "meta"});
}

TEST_CASE("Changes of one file keep their order", "[server][storage]") {
  const Directory directory;
  const auto storage = directory.open();
  storage->append("0.log", text("abcdef"));
  storage->truncate("0.log", 2);
  storage->append("0.log", text("xy"));
  storage->rename("0.log", "1.log");
  storage->append("0.log", text("new"));
  REQUIRE(storage->sync().ok());
  CHECK(text_of(*storage, "1.log") == "abxy");
  CHECK(text_of(*storage, "0.log") == "new");
  storage->remove("1.log");
  storage->remove("1.log");
  CHECK_FALSE(storage->exists("1.log"));
}

TEST_CASE("A file that takes another one's name is appended to, not the one that was replaced",
          "[server][storage]") {
  const Directory directory;
  const auto storage = directory.open();
  storage->append("0.log", text("old"));
  REQUIRE(storage->flush().ok());
  storage->replace("0.log", text("new"));
  storage->append("0.log", text("er"));
  CHECK(text_of(*storage, "0.log") == "newer");
}

TEST_CASE("More files are appended to than may be open", "[server][storage]") {
  const Directory directory;
  const auto storage = directory.open();
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 600; ++i) storage->append(std::to_string(i) + "/0.log", text("x"));
  REQUIRE(storage->sync().ok());
  CHECK(text_of(*storage, "0/0.log") == "xx");
  CHECK(text_of(*storage, "599/0.log") == "xx");
}

TEST_CASE("A directory belongs to one process at a time", "[server][storage]") {
  const Directory directory;
  auto storage = directory.open();
  const auto refused = FileStorage::open(directory.path);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::invalid_argument);
  CHECK(refused.error().text == directory.path + " is in use by another process");
  storage.reset();
  CHECK(FileStorage::open(directory.path).ok());
}

TEST_CASE("After a change that fails nothing is changed any more", "[server][storage]") {
  const Directory directory;
  const auto storage = directory.open();
  storage->append("0.log", text("one"));
  storage->append("0.log/inside", text("a file is no folder"));
  storage->append("1.log", text("later"));
  const Result<void> failed = storage->flush();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::io);
  CHECK_FALSE(storage->sync().ok());
  CHECK_FALSE(fs::exists(directory.path + "/1.log"));
  CHECK(fs::file_size(directory.path + "/0.log") == 3);
}

}  // namespace fencepost::minibroker::server
