// What a segment's bytes hold: whole batches from the beginning, and what comes behind them. And
// the files beside a segment, made from what the log knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "minibroker/log/producer_state.h"
#include "minibroker/log/transaction_index.h"
#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

struct SegmentScan {
  std::vector<protocol::RecordBatchView> batches;
  std::size_t good_bytes = 0;  // of the batches
  std::string problem;         // why the next bytes are no batch; empty at the end of the file
  bool is_misplaced = false;   // they are a whole batch, but not the one that comes next
};

// Batches whose checksums and ascending offsets are right. `has_gaps`: offsets may be missing
// between them, as compaction leaves a log.
SegmentScan scan_segment(const SharedBytes& file, std::int64_t base_offset, bool has_gaps);
// Whether a whole batch with such an offset or a later one begins anywhere behind that byte: what
// is there is no torn end.
bool has_batch_behind(const SharedBytes& file, std::size_t position, std::int64_t next_offset);

ByteVector transaction_index_file(const std::vector<AbortedTransaction>& aborted,
                                  std::int64_t first_offset, std::int64_t end_offset);
ByteVector snapshot_file(const ProducerEntries& producers);
Result<ProducerEntries> read_snapshot_file(const SharedBytes& file);

}  // namespace fencepost::minibroker
