// The simulator's disk: what survives, what is lost, and what a folder of it shows.
#include "minibroker/log/memory_storage.h"

#include <string>

#include "tests/catch.h"

namespace fencepost::minibroker {

namespace {

using Names = std::vector<std::string>;

std::string text_of(Storage& storage, const std::string& path) {
  const Result<SharedBytes> bytes = storage.read(path);
  return bytes ? std::string(bytes->text()) : bytes.error().text;
}

}  // namespace

TEST_CASE("A disk keeps what was synced and loses the rest with its power", "[log][storage]") {
  MemoryStorage disk;
  disk.append("a-0/0.log", SharedBytes::copy_of("one"));
  REQUIRE(disk.sync().ok());
  disk.append("a-0/0.log", SharedBytes::copy_of("two"));
  disk.replace("meta", SharedBytes::copy_of("new"));
  CHECK(text_of(disk, "a-0/0.log") == "onetwo");
  CHECK(disk.unsynced_bytes("a-0/0.log") == 3);
  disk.lose_unsynced();
  CHECK(text_of(disk, "a-0/0.log") == "one");
  CHECK(text_of(disk, "meta") == "there is no file meta");
}

TEST_CASE("A torn append leaves a part of what was not synced", "[log][storage]") {
  MemoryStorage disk;
  disk.append("0.log", SharedBytes::copy_of("one"));
  REQUIRE(disk.sync().ok());
  disk.append("0.log", SharedBytes::copy_of("two"));
  disk.append("0.log", SharedBytes::copy_of("three"));
  disk.tear("0.log", 4);
  CHECK(text_of(disk, "0.log") == "onetwot");
  disk.tear("0.log", 0);
  CHECK(text_of(disk, "0.log") == "one");
}

TEST_CASE("A copy of a disk is another disk", "[log][storage]") {
  MemoryStorage disk;
  disk.append("0.log", SharedBytes::copy_of("one"));
  MemoryStorage copy = disk;
  copy.truncate("0.log", 1);
  CHECK(text_of(disk, "0.log") == "one");
  CHECK(text_of(copy, "0.log") == "o");
}

TEST_CASE("Folders are listed, renamed and removed with all they hold", "[log][storage]") {
  MemoryStorage disk;
  disk.append("b-0/1.log", SharedBytes::copy_of("b"));
  disk.append("b-0/0.log", SharedBytes::copy_of("b"));
  disk.append("b-10/0.log", SharedBytes::copy_of("b"));
  disk.append("meta", SharedBytes::copy_of("m"));
  CHECK(disk.list("") == Names{"b-0/", "b-10/", "meta"});
  CHECK(disk.list("b-0") == Names{"0.log", "1.log"});
  CHECK(disk.list("c-0").empty());
  disk.rename("b-0", "b-0.x-delete");
  CHECK(disk.list("") == Names{"b-0.x-delete/", "b-10/", "meta"});
  CHECK_FALSE(disk.exists("b-0"));
  disk.remove("b-0.x-delete");
  disk.remove("b-0.x-delete");
  CHECK(disk.files() == Names{"b-10/0.log", "meta"});
}

TEST_CASE("A folder of a disk is a disk of its own", "[log][storage]") {
  const auto disk = std::make_shared<MemoryStorage>();
  StorageFolder first(disk, "broker-1");
  StorageFolder second(disk, "broker-2");
  first.append("a-0/0.log", SharedBytes::copy_of("one"));
  second.append("a-0/0.log", SharedBytes::copy_of("two"));
  CHECK(text_of(first, "a-0/0.log") == "one");
  CHECK(first.list("") == Names{"a-0/"});
  CHECK(second.list("a-0") == Names{"0.log"});
  CHECK(disk->files() == Names{"broker-1/a-0/0.log", "broker-2/a-0/0.log"});
}

}  // namespace fencepost::minibroker
