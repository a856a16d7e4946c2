// The transactions of one partition: open ones, ended ones whose marker is not replicated yet, and
// the aborted ones, in the order of their markers. The first two bound the last stable offset.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "minibroker/log/producer_state.h"
#include "protocol/base/digest.h"

namespace fencepost::minibroker {

struct AbortedTransaction {
  std::int64_t producer_id = 0;
  std::int64_t first_offset = 0;
  std::int64_t last_offset = 0;         // the marker's
  std::int64_t last_stable_offset = 0;  // when the marker was written
  bool operator==(const AbortedTransaction&) const = default;
};

class TransactionIndex {
 public:
  void begin(std::int64_t producer_id, std::int64_t first_offset);
  void end(std::int64_t producer_id, const EndedTransaction& ended);
  // A transaction is over for readers when its marker is below the high watermark.
  void replicated_to(std::int64_t high_watermark);
  // Forgets aborted transactions that no fetch can meet.
  void log_starts_at(std::int64_t log_start_offset);

  // Of those whose marker is below that offset only `kept` have records left.
  void keep_of_cleaned(std::int64_t end_offset, const std::vector<AbortedTransaction>& kept);

  // The first offset of any transaction that is not over for readers.
  std::optional<std::int64_t> first_unstable_offset() const;
  // Those that a reader of [fetch_offset, upper_bound) has to know, in the order of their markers.
  std::vector<AbortedTransaction> aborted(std::int64_t fetch_offset,
                                          std::int64_t upper_bound) const;

  // In the order of their markers.
  const std::vector<AbortedTransaction>& all_aborted() const { return aborted_; }

  void add_to(Digest& digest) const;
  bool operator==(const TransactionIndex&) const = default;

 private:
  std::map<std::int64_t, std::int64_t> open_;          // first offset -> producer id
  std::map<std::int64_t, std::int64_t> unreplicated_;  // first offset -> marker offset
  std::vector<AbortedTransaction> aborted_;
};

}  // namespace fencepost::minibroker
