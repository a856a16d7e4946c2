// Reads a snapshot topic to its end at takeover. The end is the high watermark, not the last stable
// offset: what is committed behind an open transaction must be waited for, not missed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "client/cluster_client.h"
#include "protocol/base/bytes.h"

namespace fencepost::fencing {

enum class RecoveryBound {
  high_watermark,
  last_stable_offset,  // the rejected way, to show what it misses
};

// How far a recovery has come.
struct RecoveryProgress {
  std::int64_t position = 0;
  std::int64_t target = 0;
  std::int64_t last_stable_offset = 0;  // when it began
};

struct RecoveryOptions {
  RecoveryBound bound = RecoveryBound::high_watermark;
  // Without an advance for so long the recovery fails; each advance begins it anew.
  Duration stall_timeout = std::chrono::minutes(3);
  Duration fetch_wait = milliseconds(500);
  std::int32_t fetch_bytes_max = 1 << 20;
  // When the target is above the last stable offset: a transaction was open when the recovery
  // began, and it has to wait for its end. One sentence, once.
  std::function<void(const std::string&)> on_warning = {};
  // Asked before each fetch; true ends the recovery with error `closed`.
  std::function<bool()> should_stop = {};
  // At the start and after each advance.
  std::function<void(const RecoveryProgress&)> on_progress = {};
};

struct Recovery {
  std::map<std::string, SharedBytes> snapshots;  // latest value by key; a null value removes it
  std::int64_t target = 0;                       // the bound when the recovery began
  std::int64_t position = 0;                     // at least the target
  // The last stable offset when the recovery began. Below the target, a transaction was open and
  // the recovery had to wait for its end.
  std::int64_t last_stable_offset = 0;
  std::int64_t records_read = 0;
  bool had_to_wait() const { return target > last_stable_offset; }
};

// Reads the partition read_committed, without a group, from its start to the bound as it is now.
// Fails loudly rather than return less. Errors, whose text says how far it came:
//   malformed  the log ends below the target, or has lost what was read already: what was promised
//              is gone, waiting does not help
//   stalled    no advance for the stall timeout, and why: whose transaction is open (producer id,
//              transactional.id and age, where the cluster tells), or an answer that cannot be
//              read; that the reason cannot be learned does not hide the stall
// and before the first read those of a call.
client::Task<Recovery> recover_snapshots(client::ClusterClient& cluster,
                                         client::TopicPartition partition,
                                         RecoveryOptions options = {});

}  // namespace fencepost::fencing
