// Batches that the log holds itself: they were looked at when they came in, so that one which
// cannot be read is our mistake.
#pragma once

#include <utility>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

inline protocol::RecordBatchView open_own(const SharedBytes& bytes) {
  const Result<protocol::RecordBatchView> batch = protocol::RecordBatchView::open(bytes);
  CHECK(batch.ok());
  return *batch;
}

inline std::vector<protocol::Record> records_of(const protocol::RecordBatchView& batch) {
  Result<std::vector<protocol::Record>> records = batch.records();
  CHECK(records.ok());
  return std::move(*records);
}

}  // namespace fencepost::minibroker
