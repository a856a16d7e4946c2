#include "minibroker/log/cleaner.h"

#include "tests/catch.h"
#include "tests/minibroker/log/log_bench.h"

namespace fencepost::minibroker {
namespace {

using protocol::ControlType;
using protocol::RecordBatchView;

constexpr std::int64_t delete_retention_ms = 1000;

// Every batch begins a segment of its own: times rise by more than segment.ms.
struct Bench {
  Bench() : log(settings()) {}

  static LogSettings settings() {
    LogSettings out;
    out.segments.roll_after_ms = 0;
    out.cleanup.compacts = true;
    out.cleanup.deletes = false;
    out.cleanup.delete_retention_ms = delete_retention_ms;
    out.verifies_transactions = false;
    return out;
  }
  void put(const std::string& key, const std::optional<std::string>& value,
           std::int64_t producer_id = -1, std::int32_t sequence = -1, bool transactional = false) {
    protocol::RecordBatchOptions options;
    options.producer_id = producer_id;
    options.producer_epoch = producer_id < 0 ? protocol::no_producer_epoch : std::int16_t{0};
    options.base_sequence = sequence;
    options.is_transactional = transactional;
    protocol::NewRecord record{++time, SharedBytes::copy_of(key), std::nullopt};
    if (value) record.value = SharedBytes::copy_of(*value);
    REQUIRE(log.append_as_leader(protocol::build_batch(options, {record}), AppendOrigin::client,
                                 test_leader_epoch, no_guard, now)
                .ok());
    replicate_all(log);
  }
  void end(ControlType type, std::int64_t producer_id) {
    now += milliseconds(1);
    REQUIRE(log.append_marker({type, producer_id, 0, 0, 0}, test_leader_epoch, now).ok());
    replicate_all(log);
  }
  void clean_all() {
    put("end", "end");  // closes the segment before it
    clean(log, find_cleanable(log, now), now);
  }
  // "0:a=1 2:- 3:commit": a record, an empty batch, a marker.
  std::string left() const {
    std::string out;
    for (std::size_t i = 0; i < log.batches().size(); ++i) {
      const auto batch = RecordBatchView::open(log.batches().bytes(i));
      REQUIRE(batch.ok());
      REQUIRE(batch->is_crc_valid());
      if (!out.empty()) out += ' ';
      if (batch->header().record_count == 0)
        out += std::to_string(batch->header().base_offset) + ":-";
      const auto records = batch->records();
      for (std::size_t at = 0; at < records->size(); ++at)
        out += (at > 0 ? " " : "") + std::to_string(records->at(at).offset) + ":" +
               text_of(*batch, records->at(at));
    }
    return out;
  }
  static std::string text_of(const RecordBatchView& batch, const protocol::Record& record) {
    if (batch.header().is_control_batch())
      return (*protocol::read_marker(batch))->type == ControlType::commit ? "commit" : "abort";
    return std::string(record.key->text()) + "=" +
           (record.value ? std::string(record.value->text()) : "null");
  }

  PartitionLog log;
  Instant now = test_start;
  std::int64_t time = 20000;
};

}  // namespace

TEST_CASE("Of each key the newest record stays, at its offset", "[log][cleaner]") {
  Bench bench;
  bench.put("a", "1");
  bench.put("b", "2");
  bench.put("a", "3");
  bench.clean_all();
  CHECK(bench.left() == "1:b=2 2:a=3 3:end=end");
  CHECK(bench.log.first_dirty_offset() == 3);
  CHECK(bench.log.size_bytes() == bench.log.batches().bytes_between(0, 3));
}

TEST_CASE("The active segment is not cleaned", "[log][cleaner]") {
  Bench bench;
  bench.put("a", "1");
  bench.put("a", "2");
  clean(bench.log, find_cleanable(bench.log, bench.now), bench.now);
  // The record of the newest offset is in the active segment, which is not looked at.
  CHECK(bench.left() == "0:a=1 1:a=2");
}

TEST_CASE("Cleaned segments are merged, and reading goes over the gaps", "[log][cleaner]") {
  Bench bench;
  for (int i = 0; i < 5; ++i) bench.put("a", std::to_string(i));
  bench.clean_all();
  CHECK(bench.log.segments().all().size() == 2);
  CHECK(bench.left() == "4:a=4 5:end=end");
  const SharedBytes read = bench.log.read(1, 6, 10000, true);
  CHECK(RecordBatchView::open(read)->header().base_offset == 4);
}

TEST_CASE("A tombstone stays until its delete horizon has passed", "[log][cleaner]") {
  Bench bench;
  bench.put("a", "1");
  bench.put("a", std::nullopt);
  bench.clean_all();
  CHECK(bench.left() == "1:a=null 2:end=end");
  CHECK(RecordBatchView::open(bench.log.batches().bytes(0))->header().has_delete_horizon());
  bench.clean_all();
  CHECK(bench.left() == "1:a=null 2:end=end 3:end=end");
  bench.now += milliseconds(delete_retention_ms);
  bench.clean_all();
  CHECK(bench.left() == "3:end=end 4:end=end");
}

TEST_CASE("Nothing above the last stable offset is cleaned", "[log][cleaner]") {
  Bench bench;
  bench.put("a", "1");
  bench.put("a", "open", 1, 0, true);
  bench.put("a", "2");
  bench.clean_all();
  CHECK(bench.left() == "0:a=1 1:a=open 2:a=2 3:end=end");
  bench.end(ControlType::commit, 1);
  bench.clean_all();
  CHECK(bench.left() == "1:- 2:a=2 3:end=end 4:commit 5:end=end");
}

TEST_CASE("Aborted records go at once and do not hide older ones", "[log][cleaner]") {
  Bench bench;
  bench.put("a", "1");
  bench.put("a", "aborted", 1, 0, true);
  bench.end(ControlType::abort, 1);
  bench.put("b", "2", 1, 1);
  bench.clean_all();
  CHECK(bench.left() == "0:a=1 2:abort 3:b=2 4:end=end");
  // Readers are told of it for one more round; then nothing of it is left but the marker.
  CHECK(bench.log.aborted_transactions(0, 9).size() == 1);
  bench.clean_all();
  CHECK(bench.log.aborted_transactions(0, 9).empty());
  bench.now += milliseconds(delete_retention_ms);
  bench.clean_all();
  CHECK(bench.left() == "0:a=1 3:b=2 5:end=end 6:end=end");
}

TEST_CASE("The last batch of a producer stays, empty, for its sequence", "[log][cleaner]") {
  Bench bench;
  bench.put("a", "1", 1, 0);
  bench.put("a", "2", 1, 1);
  bench.put("a", "3");
  bench.clean_all();
  CHECK(bench.left() == "1:- 2:a=3 3:end=end");
  const auto kept = RecordBatchView::open(bench.log.batches().bytes(0));
  CHECK(kept->header().base_sequence == 1);
  // Also after a truncation the producer goes on where it was.
  bench.put("x", "y");
  bench.log.truncate_to(4);
  CHECK(bench.log.producers().at(1).last_sequence() == 1);
}

TEST_CASE("A log is cleaned when it is dirty enough, or has waited long enough", "[log][cleaner]") {
  LogSettings settings = Bench::settings();
  Bench bench;
  CHECK_FALSE(has_to_be_cleaned(find_cleanable(bench.log, bench.now), settings.cleanup));
  for (int i = 0; i < 4; ++i) bench.put("key" + std::to_string(i), "1");
  CHECK(cleaning_due(bench.log, bench.now) == bench.now);
  bench.clean_all();
  CHECK_FALSE(cleaning_due(bench.log, bench.now).has_value());
  bench.put("a", "1");
  CHECK_FALSE(cleaning_due(bench.log, bench.now).has_value());
  settings.cleanup.max_compaction_lag_ms = 60000;
  bench.log.change_settings(settings);
  // The oldest segment that was not cleaned is that of "end".
  CHECK(cleaning_due(bench.log, bench.now) == Instant(milliseconds(20005 + 60000 + 1)));
}

TEST_CASE("What is too young is not cleaned", "[log][cleaner]") {
  LogSettings settings = Bench::settings();
  settings.cleanup.min_compaction_lag_ms = 60000;
  Bench bench;
  bench.log.change_settings(settings);
  bench.put("a", "1");
  bench.put("a", "2");
  bench.put("a", "3");
  CHECK(find_cleanable(bench.log, bench.now).cleanable_bytes == 0);
  CHECK(cleaning_due(bench.log, bench.now) == Instant(milliseconds(20001 + 60000)));
}

// ---- retention

TEST_CASE("Old segments are deleted, the last one too, and offsets go on", "[log][retention]") {
  LogSettings settings;
  settings.segments.roll_after_ms = 0;
  settings.cleanup.retention_ms = 5000;
  PartitionLog log(settings);
  append(log, plain({"a"}, 1000));
  append(log, plain({"b"}, 9000));
  CHECK_FALSE(log.delete_old_segments(test_start));  // nothing is replicated
  replicate_all(log);
  CHECK(log.deletion_due(test_start) == test_start);
  CHECK(log.delete_old_segments(test_start));
  CHECK(log.log_start_offset() == 1);
  CHECK(log.deletion_due(test_start) == Instant(milliseconds(9000 + 5000 + 1)));
  CHECK(log.delete_old_segments(test_start + std::chrono::seconds(5)));
  CHECK(log.log_start_offset() == 2);
  CHECK(log.size_bytes() == 0);
  CHECK(append(log, plain({"c"}, 20000)).base_offset == 2);
}

TEST_CASE("Retention by size keeps at least its size", "[log][retention]") {
  LogSettings settings;
  settings.segments.roll_after_ms = 0;
  settings.cleanup.retention_ms = -1;
  PartitionLog log(settings);
  for (int i = 0; i < 4; ++i) append(log, plain({"a"}, 1000 + i));
  replicate_all(log);
  settings.cleanup.retention_bytes = static_cast<std::int64_t>(log.size_bytes() / 2 + 1);
  log.change_settings(settings);
  CHECK(log.delete_old_segments(test_start));
  CHECK(log.log_start_offset() == 1);
  CHECK_FALSE(log.delete_old_segments(test_start));
}

}  // namespace fencepost::minibroker
