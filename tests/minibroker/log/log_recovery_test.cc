// Recovery: a disk that was left at any moment gives a beginning of the log or, when something is
// wrong in front of its end, a refusal that says where.
#include "minibroker/log/log_recovery.h"

#include <algorithm>

#include "tests/minibroker/log/disk_bench.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

std::string last_segment(const DiskBench& bench) {
  return segment_path("orders-0", bench.log.segments().all().back().base_offset, ".log");
}

void flip(MemoryStorage& disk, const std::string& path, std::size_t byte) {
  const SharedBytes file = content(disk, path);
  ByteVector bytes(file.view().begin(), file.view().end());
  bytes[byte] ^= 0x10;
  disk.replace(path, SharedBytes(std::move(bytes)));
}

// Where the batches of that file begin, and where it ends.
std::vector<std::size_t> boundaries(MemoryStorage& disk, const std::string& path) {
  std::vector<std::size_t> positions{0};
  const auto batches = protocol::open_batches(content(disk, path));
  REQUIRE(batches.ok());
  for (const auto& batch : *batches) positions.push_back(positions.back() + batch.bytes().size());
  return positions;
}

std::size_t floor_of(const std::vector<std::size_t>& positions, std::size_t byte) {
  return *std::prev(std::ranges::upper_bound(positions, byte));
}

}  // namespace

TEST_CASE("A log is recovered as it was: offsets, producers, transactions, epochs",
          "[log][recovery]") {
  DiskBench bench(small_segments());
  bench.log.begin_leader_epoch(test_leader_epoch);
  fill(bench);
  const auto recovered = bench.recover(bench.disk);
  REQUIRE(recovered.ok());
  CHECK(recovered->notes.empty());
  CHECK(same(recovered->log, bench.log));
  CHECK(recovered->log.producers() == bench.log.producers());
  CHECK(recovered->log.last_stable_offset() == bench.log.last_stable_offset());
  CHECK(recovered->log.last_stable_offset() < bench.log.log_end_offset());
  CHECK(recovered->log.aborted_transactions(0, 100) == bench.log.aborted_transactions(0, 100));
}

TEST_CASE("A recovered log goes on where it ended, and its files with it", "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  auto recovered = bench.recover(bench.disk);
  REQUIRE(recovered.ok());
  abort(recovered->log, 1, 0);
  append(recovered->log, plain({std::string(300, 'x')}));
  append(recovered->log, plain({std::string(300, 'y')}));
  replicate_all(recovered->log);
  recovered->files.write(recovered->log, bench.disk);
  const auto again = recover_log(bench.disk, "orders-0", bench.settings, {0, 0, 100, false});
  REQUIRE(again.ok());
  CHECK(same(again->log, recovered->log));
  CHECK(again->notes.empty());
}

TEST_CASE("A last segment that is cut anywhere gives its whole batches", "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  const std::string path = last_segment(bench);
  const std::size_t size = content(bench.disk, path).size();
  const std::vector<std::size_t> positions = boundaries(bench.disk, path);
  for (std::size_t cut = 0; cut <= size; ++cut) {
    MemoryStorage disk = bench.disk;
    disk.truncate(path, cut);
    const auto recovered = bench.recover(disk);
    INFO("cut at byte " << cut);
    REQUIRE(recovered.ok());
    const std::size_t whole = floor_of(positions, cut);
    CHECK(content(disk, path).size() == whole);
    CHECK(recovered->notes.size() == (whole == cut ? 0U : 1U));
    PartitionLog expected = bench.log;
    expected.truncate_to(recovered->log.log_end_offset());
    CHECK(recovered->log.producers() == expected.producers());
    CHECK(everything(recovered->log) == everything(expected));
    CHECK(bench.recover(disk)->notes.empty());
  }
}

TEST_CASE("A flipped bit anywhere is refused with its place, or was in the last write",
          "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  for (const auto& segment : bench.log.segments().all()) {
    const std::string path = segment_path("orders-0", segment.base_offset, ".log");
    const std::vector<std::size_t> positions = boundaries(bench.disk, path);
    const bool is_last = path == last_segment(bench);
    for (std::size_t byte = 0; byte < positions.back(); ++byte) {
      const std::size_t begin = floor_of(positions, byte);
      // The leader epoch is outside the checksum, as in Kafka.
      if (byte >= begin + 12 && byte < begin + 16) continue;
      MemoryStorage disk = bench.disk;
      flip(disk, path, byte);
      const MemoryStorage before = disk;
      const auto recovered = bench.recover(disk);
      INFO(path << " byte " << byte);
      // Nor is the base offset: a whole batch out of place is no torn write.
      const bool is_misplaced = byte < begin + 8;
      if (is_last && begin == positions[positions.size() - 2] && !is_misplaced) {
        REQUIRE(recovered.ok());
        CHECK(recovered->log.log_end_offset() == bench.log.log_end_offset() - 1);
        CHECK(recovered->notes.size() == 1);
      } else {
        REQUIRE_FALSE(recovered.ok());
        CHECK(recovered.error().text.starts_with(path + " is damaged: "));
        CHECK(recovered.error().offset == begin);
        CHECK(disk.files() == before.files());
      }
    }
  }
}

TEST_CASE("A damaged last batch is refused when it had been synced", "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  RecoveryRules rules;
  rules.recovery_point = bench.log.log_end_offset();
  flip(bench.disk, last_segment(bench), content(bench.disk, last_segment(bench)).size() - 1);
  CHECK_FALSE(bench.recover(bench.disk, rules).ok());
}

TEST_CASE("A lost end is refused when it had been synced", "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  const std::vector<std::size_t> positions = boundaries(bench.disk, last_segment(bench));
  bench.disk.truncate(last_segment(bench), positions[positions.size() - 2]);
  CHECK(MemoryStorage(bench.disk).files() == bench.disk.files());
  RecoveryRules rules;
  rules.recovery_point = bench.log.log_end_offset();
  const auto refused = bench.recover(bench.disk, rules);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text.find("was on disk up to offset") != std::string::npos);
  CHECK(bench.recover(bench.disk).ok());
}

TEST_CASE("Zeros behind the last batch are a torn end", "[log][recovery]") {
  DiskBench bench;
  fill(bench);
  bench.disk.append(last_segment(bench), SharedBytes(ByteVector(5000)));
  const auto recovered = bench.recover(bench.disk);
  REQUIRE(recovered.ok());
  CHECK(recovered->log.log_end_offset() == bench.log.log_end_offset());
  CHECK(recovered->notes.size() == 1);
}

TEST_CASE("Zeros in front of a batch are damage", "[log][recovery]") {
  DiskBench bench;
  fill(bench);
  const SharedBytes file = content(bench.disk, last_segment(bench));
  bench.disk.append(last_segment(bench), SharedBytes(ByteVector(100)));
  append(bench.log, plain());
  const BatchStore& batches = bench.log.batches();
  bench.disk.append(last_segment(bench), batches.bytes(batches.size() - 1));
  const auto refused = bench.recover(bench.disk);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().offset == file.size());
}

TEST_CASE("A segment that is missing is refused", "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  const auto& segments = bench.log.segments().all();
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    MemoryStorage disk = bench.disk;
    disk.remove(segment_path("orders-0", segments[i].base_offset, ".log"));
    CHECK_FALSE(bench.recover(disk).ok());
  }
  MemoryStorage disk = bench.disk;
  for (const auto& segment : segments)
    disk.remove(segment_path("orders-0", segment.base_offset, ".log"));
  const auto refused = bench.recover(disk);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text == "orders-0 is damaged: it has no segment");
}

TEST_CASE("Offsets may be missing only where compaction takes them out", "[log][recovery]") {
  DiskBench bench;
  append(bench.log, plain({"a"}));
  bench.write();
  PartitionLog other(bench.settings);
  for (int i = 0; i < 5; ++i) append(other, plain({"b"}));
  bench.disk.append(last_segment(bench), other.batches().bytes(4));
  RecoveryRules rules;
  rules.has_gaps = true;
  const auto recovered = bench.recover(bench.disk, rules);
  REQUIRE(recovered.ok());
  CHECK(recovered->log.log_end_offset() == 5);
  const auto refused = bench.recover(bench.disk);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text.find("a batch begins at offset 4 instead of 1") != std::string::npos);
}

TEST_CASE("Indexes and snapshots that are lost or broken are made anew", "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  REQUIRE(bench.recover(bench.disk).ok());  // completes what is written late
  const MemoryStorage whole = bench.disk;
  for (const std::string& path : whole.files()) {
    if (path.ends_with(".log") || path.ends_with(".metadata")) continue;
    MemoryStorage disk = whole;
    disk.remove(path);
    INFO(path);
    const auto recovered = bench.recover(disk);
    REQUIRE(recovered.ok());
    CHECK(same(recovered->log, bench.log));
    if (!path.ends_with(".snapshot") && !path.ends_with("checkpoint"))
      CHECK(content(disk, path) == content(bench.disk, path));
    if (path.ends_with(".snapshot") || path.ends_with("checkpoint")) continue;
    disk.replace(path, SharedBytes::copy_of(std::string_view("broken")));
    REQUIRE(bench.recover(disk).ok());
    CHECK(content(disk, path) == content(bench.disk, path));
  }
}

TEST_CASE("Producers of segments that are gone are known from the snapshot", "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  const std::int64_t third = bench.log.segments().all()[2].base_offset;
  REQUIRE(bench.log.delete_records_before(third) == protocol::ErrorCode::none);
  bench.write();
  RecoveryRules rules;
  rules.log_start_offset = third;
  const auto recovered = bench.recover(bench.disk, rules);
  REQUIRE(recovered.ok());
  CHECK(recovered->log.log_start_offset() == third);
  CHECK(recovered->log.last_stable_offset() == bench.log.last_stable_offset());
  for (const auto& [producer_id, entry] : bench.log.producers()) {
    const auto found = recovered->log.producers().find(producer_id);
    REQUIRE(found != recovered->log.producers().end());
    CHECK(found->second.last_sequence() == entry.last_sequence());
    CHECK(found->second.transaction_first_offset == entry.transaction_first_offset);
  }
  const std::string snapshot = segment_path("orders-0", third, ".snapshot");
  flip(bench.disk, snapshot, content(bench.disk, snapshot).size() - 1);
  const auto refused = bench.recover(bench.disk, rules);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text.starts_with(snapshot + " is damaged: "));
}

TEST_CASE("A log that began earlier than its first segment is refused", "[log][recovery]") {
  DiskBench bench(small_segments());
  fill(bench);
  const std::int64_t second = bench.log.segments().all()[1].base_offset;
  bench.disk.remove(segment_path("orders-0", 0, ".log"));
  RecoveryRules rules;
  rules.log_start_offset = second - 1;
  CHECK_FALSE(bench.recover(bench.disk, rules).ok());
}

TEST_CASE("After the loss of power every prefix of the unsynced bytes is recovered",
          "[log][recovery]") {
  DiskBench bench;
  append(bench.log, plain({"synced"}));
  bench.write();
  REQUIRE(bench.disk.sync().ok());
  append(bench.log, plain({"lost", "or", "not"}));
  append(bench.log, plain({"last"}));
  bench.write();
  const std::string path = last_segment(bench);
  for (std::size_t kept = 0; kept <= bench.disk.unsynced_bytes(path); ++kept) {
    MemoryStorage disk = bench.disk;
    disk.tear(path, kept);
    RecoveryRules rules;
    rules.recovery_point = 1;
    const auto recovered = bench.recover(disk, rules);
    REQUIRE(recovered.ok());
    CHECK(recovered->log.log_end_offset() >= 1);
  }
}

}  // namespace fencepost::minibroker
