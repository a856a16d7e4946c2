// A partition's log, put together again from its files: the batches are read and checked one by
// one, everything else is compared with what follows from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "minibroker/log/log_files.h"
#include "minibroker/log/partition_log.h"
#include "minibroker/log/storage.h"
#include "protocol/base/result.h"

namespace fencepost::minibroker {

// What is known of a log besides its folder.
struct RecoveryRules {
  std::int64_t log_start_offset = 0;  // as the checkpoint has it
  std::int64_t recovery_point = 0;    // everything below has been synced
  std::int64_t high_watermark = 0;    // as the checkpoint has it
  bool has_gaps = false;              // compaction may have taken offsets out
};

// Whether there is a segment at all in that folder: none is where a partition was just being made.
bool has_segments(Storage& storage, const std::string& folder);

struct RecoveredLog {
  PartitionLog log;
  LogFiles files;
  // What has been repaired, a line for people each.
  std::vector<std::string> notes;
};

// The end of the last segment that is no whole batch is cut off, and files beside the segments are
// made anew where they are not what the segments say.
// A cleaned segment that was about to take the place of others takes it.
// Errors: malformed, with file and byte, for anything that is not a batch in front of others, below
// the recovery point or in a segment that is not the last, for segments and offsets that are
// missing, and for a snapshot that is needed and broken; io. Nothing has been changed then.
Result<RecoveredLog> recover_log(Storage& storage, const std::string& folder,
                                 const LogSettings& settings, const RecoveryRules& rules);

}  // namespace fencepost::minibroker
