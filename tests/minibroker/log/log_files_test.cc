// The files that follow a log: what lies in the folder, and that it says what the log says.
#include "minibroker/log/log_files.h"

#include "minibroker/log/checkpoints.h"
#include "minibroker/log/cleaner.h"
#include "protocol/records/segment_files.h"
#include "tests/minibroker/disk/recording_storage.h"
#include "tests/minibroker/log/disk_bench.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

std::vector<std::string> names_ending_in(MemoryStorage& disk, const std::string& suffix) {
  std::vector<std::string> names;
  for (const std::string& name : disk.list("orders-0"))
    if (name.ends_with(suffix)) names.push_back(name);
  return names;
}

std::string number(std::int64_t offset, const std::string& suffix) {
  return segment_path("", offset, suffix).substr(1);
}

}  // namespace

TEST_CASE("A new partition has a folder with an empty segment and its topic's id", "[log][files]") {
  DiskBench bench;
  CHECK(bench.disk.list("orders-0") ==
        std::vector<std::string>{number(0, ".index"), number(0, ".log"), number(0, ".timeindex"),
                                 "leader-epoch-checkpoint", "partition.metadata"});
  CHECK(content(bench.disk, "orders-0/partition.metadata").text() ==
        "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA");
}

TEST_CASE("The segments hold the bytes of the log, one after another", "[log][files]") {
  DiskBench bench(small_segments());
  fill(bench);
  REQUIRE(names_ending_in(bench.disk, ".log").size() == 3);
  ByteVector all;
  for (const std::string& name : names_ending_in(bench.disk, ".log")) {
    const SharedBytes file = content(bench.disk, "orders-0/" + name);
    all.insert(all.end(), file.view().begin(), file.view().end());
  }
  const BatchStore& batches = bench.log.batches();
  CHECK(SharedBytes(std::move(all)) == batches.range(0, batches.size()));
  CHECK(bench.log.segments().all().size() == 3);
}

TEST_CASE("An aborted transaction is in the index of the segment of its marker", "[log][files]") {
  DiskBench bench(small_segments());
  fill(bench);
  REQUIRE(names_ending_in(bench.disk, ".txnindex").size() == 1);
  const SharedBytes file =
      content(bench.disk, "orders-0/" + names_ending_in(bench.disk, ".txnindex")[0]);
  const auto entries = protocol::read_transaction_index(file.view());
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 1);
  CHECK(entries->at(0).producer_id == 1);
  CHECK(entries->at(0).first_offset == 2);
  CHECK(entries->at(0).last_offset == 5);
  CHECK(entries->at(0).last_stable_offset == 4);
}

TEST_CASE("Where a segment begins, a snapshot says what was known of the producers",
          "[log][files]") {
  DiskBench bench(small_segments());
  fill(bench);
  const std::int64_t second = bench.log.segments().all()[1].base_offset;
  const auto snapshot = protocol::read_producer_snapshot(
      content(bench.disk, segment_path("orders-0", second, ".snapshot")).view());
  REQUIRE(snapshot.ok());
  REQUIRE_FALSE(snapshot->producer_entries.empty());
  CHECK(snapshot->producer_entries[0].producer_id == 1);
  CHECK(names_ending_in(bench.disk, ".snapshot").size() == 2);
}

TEST_CASE("A full segment has index entries and ends its time index with its latest time",
          "[log][files]") {
  DiskBench bench(small_segments(20000));
  for (int i = 0; i < 40; ++i) append(bench.log, plain({std::string(1000, 'x')}, 1000 + i));
  bench.write();
  REQUIRE(bench.log.segments().all().size() > 1);
  const std::int64_t end = bench.log.segments().all()[1].base_offset;
  const auto offsets = protocol::read_offset_index(
      content(bench.disk, segment_path("orders-0", 0, ".index")).view(), 0);
  REQUIRE(offsets.ok());
  REQUIRE(offsets->size() > 2);
  CHECK(offsets->front().offset == 4);  // the first batch behind 4096 bytes
  const auto times = protocol::read_time_index(
      content(bench.disk, segment_path("orders-0", 0, ".timeindex")).view(), 0);
  REQUIRE(times.ok());
  CHECK(times->back() == protocol::TimeIndexEntry{1000 + end - 1, end - 1});
}

TEST_CASE("Truncation is followed into older segments, and what is appended then comes behind it",
          "[log][files]") {
  DiskBench bench(small_segments());
  fill(bench);
  bench.log.truncate_to(3);
  append(bench.log, plain({"other"}));
  replicate_all(bench.log);
  bench.write();
  MemoryStorage copy = bench.disk;
  const auto recovered = bench.recover(copy);
  REQUIRE(recovered.ok());
  CHECK(same(recovered->log, bench.log));
  CHECK(everything(recovered->log) == everything(bench.log));
}

TEST_CASE("A log that starts anew elsewhere leaves nothing of its old files", "[log][files]") {
  DiskBench bench(small_segments());
  fill(bench);
  bench.log.truncate_fully_and_start_at(100);
  bench.write();
  CHECK(names_ending_in(bench.disk, ".log") == std::vector<std::string>{number(100, ".log")});
  append(bench.log, plain());
  replicate_all(bench.log);
  bench.write();
  const auto recovered = recover_log(bench.disk, "orders-0", bench.settings, {100, 0, 101, false});
  REQUIRE(recovered.ok());
  CHECK(recovered->log.log_start_offset() == 100);
  CHECK(recovered->log.log_end_offset() == 101);
}

TEST_CASE("Segments wholly below the log start are deleted with all that belongs to them",
          "[log][files]") {
  DiskBench bench(small_segments());
  fill(bench);
  const std::int64_t second = bench.log.segments().all()[1].base_offset;
  REQUIRE(bench.log.delete_records_before(second + 1) == protocol::ErrorCode::none);
  bench.write();
  CHECK(names_ending_in(bench.disk, ".log").front() == number(second, ".log"));
  CHECK_FALSE(bench.disk.exists(segment_path("orders-0", 0, ".index")));
  CHECK(bench.disk.exists(segment_path("orders-0", second, ".snapshot")));
}

TEST_CASE("Compaction is on disk whole or not at all, whenever the process ends", "[log][files]") {
  LogSettings settings = small_segments();
  settings.cleanup.compacts = true;
  PartitionLog log(settings);
  RecordingStorage disk;
  LogFiles files = LogFiles::create("orders-0", Uuid{}, log, disk);
  for (int i = 0; i < 12; ++i) append(log, plain({"value " + std::to_string(i)}, 1000 + i));
  replicate_all(log);
  files.write(log, disk);
  const std::size_t before = disk.change_count();
  settings.segments.bytes_max = 10000;  // small segments become one
  log.change_settings(settings);
  const std::size_t segment_count = log.segments().all().size();
  clean(log, find_cleanable(log, test_start), test_start);
  REQUIRE(log.segments().all().size() < segment_count);
  files.write(log, disk);
  append(log, plain({"later"}));
  replicate_all(log);
  files.write(log, disk);
  const auto recover = [&](std::size_t count) {
    const auto copy = disk.after(count);
    auto recovered = recover_log(*copy, "orders-0", settings, {0, 0, 100, true});
    INFO("after change " << count);
    REQUIRE(recovered.ok());
    CHECK(recovered->notes.empty());
    return std::move(recovered->log);
  };
  for (std::size_t count = before; count < disk.change_count(); ++count) {
    const PartitionLog left = recover(count);
    CHECK(left.log_end_offset() >= 12);
    // The newest record of the key, which is in the last segment, and whatever is not cleaned yet.
    CHECK(left.batches().size() >= log.batches().size() - 1);
  }
  CHECK(same(recover(disk.change_count()), log));
}

TEST_CASE("The checkpoints are read back as they were written, and nothing else is taken for one",
          "[log][files]") {
  const OffsetsByPartition offsets{{{"a.b", 3}, 7}, {{"orders", 0}, 0}};
  const auto read = read_offset_checkpoint(write_offset_checkpoint(offsets).text());
  REQUIRE(read.ok());
  CHECK(*read == offsets);
  CHECK(read_offset_checkpoint("").ok());
  CHECK_FALSE(read_offset_checkpoint("1\n0\n").ok());
  CHECK_FALSE(read_offset_checkpoint("0\n2\na 0 1\n").ok());
  CHECK_FALSE(read_offset_checkpoint("0\n1\na 0\n").ok());
  CHECK_FALSE(read_offset_checkpoint("0\n1\na 0 -1\n").ok());
  const std::vector<LeaderEpochs::Entry> epochs{{0, 0}, {2, 5}};
  const auto epochs_read = read_leader_epochs(write_leader_epochs(epochs).text());
  REQUIRE(epochs_read.ok());
  CHECK(*epochs_read == epochs);
  CHECK_FALSE(read_leader_epochs("0\n2\n2 5\n1 6\n").ok());
  CHECK_FALSE(read_partition_metadata("version: 0\ntopic_id: short").ok());
}

}  // namespace fencepost::minibroker
