// A log with files on a disk in memory, and what recovery makes of a copy of that disk.
#pragma once

#include <string>

#include "minibroker/log/log_recovery.h"
#include "minibroker/log/memory_storage.h"
#include "tests/minibroker/log/log_bench.h"

namespace fencepost::minibroker {

struct DiskBench {
  explicit DiskBench(LogSettings log_settings = {}) : settings(log_settings), log(settings) {
    files.emplace_back(LogFiles::create("orders-0", Uuid{}, log, disk));
  }

  void write() { files[0].write(log, disk); }
  Result<RecoveredLog> recover(MemoryStorage& from, RecoveryRules rules = {}) const {
    rules.high_watermark = log.log_end_offset();
    return recover_log(from, "orders-0", settings, rules);
  }

  LogSettings settings;
  PartitionLog log;
  MemoryStorage disk;
  std::vector<LogFiles> files;  // one
};

inline LogSettings small_segments(std::int64_t bytes_max = 270) {
  LogSettings settings;
  settings.segments.bytes_max = bytes_max;
  return settings;
}

// Three segments with every kind of batch: committed, aborted, open and without producer.
inline void fill(DiskBench& bench) {
  append(bench.log, plain({"a", "b"}, 1000));
  append_verified(bench.log, transactional(1, 0, 0, 2));
  bench.write();
  append_verified(bench.log, transactional(2, 0, 0));
  abort(bench.log, 1, 0);
  bench.write();
  append(bench.log, plain({"c"}, 3000));
  commit(bench.log, 2, 0);
  append(bench.log, idempotent(3, 1, 7, 3));
  bench.write();
  append_verified(bench.log, transactional(1, 0, 2));
  append(bench.log, plain({"d"}, 2000));
  replicate_all(bench.log);
  bench.write();
}

// Whether two logs say the same; what is only in memory, as verifications, does not count.
inline bool same(const PartitionLog& one, const PartitionLog& other) {
  return one.log_start_offset() == other.log_start_offset() &&
         one.high_watermark() == other.high_watermark() &&
         one.log_end_offset() == other.log_end_offset() &&
         one.last_stable_offset() == other.last_stable_offset() &&
         one.producers() == other.producers() && one.transactions() == other.transactions() &&
         one.leader_epochs() == other.leader_epochs() && one.segments() == other.segments() &&
         one.size_bytes() == other.size_bytes() && everything(one) == everything(other);
}

inline SharedBytes content(MemoryStorage& disk, const std::string& path) {
  const Result<SharedBytes> bytes = disk.read(path);
  CHECK(bytes.ok());
  return *bytes;
}

}  // namespace fencepost::minibroker
