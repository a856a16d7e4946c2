// Rebuilds what one partition of __consumer_offsets holds from its records: classic groups,
// consumer groups, offsets, and the offsets of transactions that are still open.
#pragma once

#include "minibroker/effects.h"
#include "minibroker/group/consumer_records.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/shard.h"

namespace fencepost::minibroker {

// Takes one change of a consumer group over, live or in a replay. The group comes with its first
// record and goes with its last.
void apply_change(Shard& shard, const ConsumerChange& change, Instant now);

// The tombstones of the group itself, in the records of its protocol.
void add_group_tombstones(std::vector<protocol::NewRecord>& records, const Group& group,
                          Instant now);

class Replay {
 public:
  Replay(Shard& shard, Instant now) : shard_(shard), now_(now) {}

  void add(const ReplayedBatch& batch);

 private:
  Group& group(const std::string& group_id);
  void add_marker(std::int64_t producer_id, const protocol::Record& record);
  void add_group(const ReadGroup& read);
  void add_offset(const protocol::RecordBatchHeader& batch, const ReadOffset& read,
                  std::int64_t record_offset);
  // Nothing is left of the group.
  void forget_if_empty(const std::string& group_id);

  Shard& shard_;
  Instant now_;
};

}  // namespace fencepost::minibroker
