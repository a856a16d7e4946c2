// Log compaction, as Kafka's cleaner does it: of each key the newest record stays, at its offset.
// It looks at closed segments only, and never past the last stable offset: what is not decided is
// not touched. Aborted records go at once; a marker goes when nothing of its transaction is left
// and its delete horizon has passed (KIP-534).
#pragma once

#include <cstdint>
#include <optional>

#include "minibroker/log/partition_log.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker {

// What of a log is clean, and what could be cleaned.
struct Cleanable {
  std::int64_t first_dirty_offset = 0;
  std::int64_t first_uncleanable_offset = 0;  // where a segment begins
  std::int64_t clean_bytes = 0;
  std::int64_t cleanable_bytes = 0;
  bool is_overdue = false;  // max.compaction.lag.ms has passed
  bool operator==(const Cleanable&) const = default;
};

Cleanable find_cleanable(const PartitionLog& log, Instant now);
// Whether that is dirty enough (min.cleanable.dirty.ratio), or has waited long enough.
bool has_to_be_cleaned(const Cleanable& cleanable, const CleanupRules& rules);
// When the log has to be cleaned if nothing more happens to it; nothing when never.
std::optional<Instant> cleaning_due(const PartitionLog& log, Instant now);
// Cleans the log up to the first uncleanable offset.
void clean(PartitionLog& log, const Cleanable& cleanable, Instant now);

}  // namespace fencepost::minibroker
