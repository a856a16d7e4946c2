// Which leader epoch began at which offset; followers find by it where their log parts from the
// leader's (KIP-101, KIP-279).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/base/digest.h"

namespace fencepost::minibroker {

struct EpochEndOffset {
  std::int32_t leader_epoch = -1;
  std::int64_t end_offset = -1;
  bool operator==(const EpochEndOffset&) const = default;
};

class LeaderEpochs {
 public:
  struct Entry {
    std::int32_t epoch = 0;
    std::int64_t start_offset = 0;
    bool operator==(const Entry&) const = default;
  };

  // A newer epoch begins at that offset; an epoch that is known or older changes nothing.
  void begin(std::int32_t epoch, std::int64_t start_offset);
  // The largest known epoch not above the one asked for, and where it ended; both -1 when the epoch
  // asked for is newer than all. An epoch older than all ends where the oldest begins.
  EpochEndOffset end_offset_for(std::int32_t epoch, std::int64_t log_end_offset) const;
  // The epoch of that offset.
  std::optional<std::int32_t> epoch_at(std::int64_t offset) const;
  std::optional<std::int32_t> latest() const;
  // Where that epoch began, if it is known.
  std::optional<std::int64_t> start_offset_of(std::int32_t epoch) const;

  void truncate_to(std::int64_t end_offset);
  void log_starts_at(std::int64_t log_start_offset);
  void clear() { entries_.clear(); }

  const std::vector<Entry>& entries() const { return entries_; }
  void add_to(Digest& digest) const;
  bool operator==(const LeaderEpochs&) const = default;

 private:
  std::vector<Entry> entries_;  // both numbers ascend
};

}  // namespace fencepost::minibroker
