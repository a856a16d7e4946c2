// The committed offsets of one group, and those of open transactions, which count only when the
// commit marker of their producer has come.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/topic_partition.h"
#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

struct StoredOffset {
  std::int64_t offset = -1;
  std::int32_t leader_epoch = -1;
  std::string metadata;
  std::int64_t commit_timestamp = -1;  // milliseconds
  std::int64_t expire_timestamp = -1;  // milliseconds; only old clients set it (v2-4)
  Uuid topic_id;
  std::int64_t record_offset = -1;  // where its record is in the log
  bool operator==(const StoredOffset&) const = default;
};

// An offset on its way into the log.
struct NewOffset {
  TopicPartition partition;
  StoredOffset stored;
};

class GroupOffsets {
 public:
  using ByPartition = std::map<TopicPartition, StoredOffset>;

  const ByPartition& committed() const { return committed_; }
  const std::map<std::int64_t, ByPartition>& pending() const { return pending_; }
  const StoredOffset* find(const TopicPartition& partition) const;
  bool has_pending(const TopicPartition& partition) const;
  bool is_empty() const { return committed_.empty() && pending_.empty(); }

  void commit(const TopicPartition& partition, StoredOffset offset);
  void stage(std::int64_t producer_id, const TopicPartition& partition, StoredOffset offset);
  // Forgets what that producer has staged for the partition.
  void unstage(std::int64_t producer_id, const TopicPartition& partition);
  // A committed offset is replaced only by one whose record is later in the log: a plain commit
  // may have come after the transactional one. An abort drops what was staged.
  void end_transaction(std::int64_t producer_id, bool is_commit);
  // Also what open transactions have staged for the partition, so that nothing is left of them
  // when their marker comes (KAFKA-19164).
  void remove(const TopicPartition& partition);

 private:
  ByPartition committed_;
  std::map<std::int64_t, ByPartition> pending_;  // by producer id
};

}  // namespace fencepost::minibroker
