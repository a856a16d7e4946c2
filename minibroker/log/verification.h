// Partition verification (KIP-890 part 1) as the leader remembers it: one entry for each producer
// whose transaction the coordinator has been asked about. A marker or a first batch removes the
// entry, so that an answer that comes later proves nothing any more.
#pragma once

#include <cstdint>
#include <map>

#include "minibroker/effects.h"
#include "protocol/base/digest.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker {

struct VerificationEntry {
  VerificationGuard guard = no_guard;
  std::int32_t lowest_sequence = 0;  // of the batches that wait for the answer
  std::int16_t producer_epoch = protocol::no_producer_epoch;
  bool adds_partition = false;  // transaction.version 2: Produce v12, TxnOffsetCommit v5
  Instant created;
  bool operator==(const VerificationEntry&) const = default;
};

class Verifications {
 public:
  // The guard of the producer's entry, made if there is none. The same epoch with a lower sequence
  // lowers the sequence; a higher epoch replaces both.
  VerificationGuard begin(std::int64_t producer_id, std::int32_t sequence,
                          std::int16_t producer_epoch, bool adds_partition, Instant now);
  const VerificationEntry* find(std::int64_t producer_id) const;
  // Whether the guard is the one of the producer's entry now.
  bool proves(std::int64_t producer_id, VerificationGuard guard) const;
  void remove(std::int64_t producer_id);
  void expire(Instant now, Duration expiration);
  void clear() { entries_.clear(); }

  void add_to(Digest& digest) const;
  bool operator==(const Verifications&) const = default;

 private:
  std::map<std::int64_t, VerificationEntry> entries_;
  VerificationGuard last_guard_ = no_guard;  // never used twice
};

}  // namespace fencepost::minibroker
