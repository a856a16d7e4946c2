// What of a topic's configuration decides how its log gets rid of what is old.
#pragma once

#include <cstdint>
#include <limits>

namespace fencepost::minibroker {

struct CleanupRules {
  bool deletes = true;  // cleanup.policy has "delete"
  bool compacts = false;
  std::int64_t retention_ms = 604'800'000;  // -1: without limit
  std::int64_t retention_bytes = -1;        // likewise
  double min_cleanable_dirty_ratio = 0.5;
  std::int64_t min_compaction_lag_ms = 0;
  std::int64_t max_compaction_lag_ms = std::numeric_limits<std::int64_t>::max();
  std::int64_t delete_retention_ms = 86'400'000;
  bool operator==(const CleanupRules&) const = default;
};

}  // namespace fencepost::minibroker
