// What the cleaner knows of the transactions that it walks through, in the order of their offsets:
// which are aborted, and of which it has seen anything but the marker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "minibroker/log/transaction_index.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

class CleanedTransactions {
 public:
  // Aborted transactions of the segment that is walked through next.
  void add(const std::vector<AbortedTransaction>& aborted);
  // Whether these records are of an aborted transaction.
  bool is_aborted(const protocol::RecordBatchHeader& batch);
  // Whether nothing of its transaction was there, so that the control batch says nothing any more.
  bool is_without_transaction(const protocol::RecordBatchView& control_batch);
  // The aborted transactions whose records were seen: the log's index keeps them for one more
  // round.
  const std::vector<AbortedTransaction>& kept() const { return kept_; }

 private:
  struct Ongoing {
    AbortedTransaction transaction;
    bool has_records = false;
  };

  void begin_up_to(std::int64_t offset);

  std::multimap<std::int64_t, AbortedTransaction> coming_;  // by first offset
  std::map<std::int64_t, Ongoing> aborted_;                 // by producer id
  std::set<std::int64_t> committed_;                        // producer ids
  std::vector<AbortedTransaction> kept_;
};

}  // namespace fencepost::minibroker
