#include "minibroker/handlers/partition_checks.h"

#include "protocol/records/record_batch.h"

namespace fencepost::minibroker::handlers {

using protocol::ErrorCode;

ErrorCode check_leader_epoch(const Replica& replica, std::int32_t current_leader_epoch) {
  if (current_leader_epoch < 0 || current_leader_epoch == replica.leader_epoch)
    return ErrorCode::none;
  return current_leader_epoch < replica.leader_epoch ? ErrorCode::fenced_leader_epoch
                                                     : ErrorCode::unknown_leader_epoch;
}

std::int64_t end_offset_of(const SharedBytes& batches, std::int64_t otherwise) {
  std::int64_t end = otherwise;
  for (std::size_t at = 0; at < batches.size();) {
    const auto batch = protocol::RecordBatchView::open(batches.slice(at, batches.size() - at));
    if (!batch) break;
    end = batch->header().last_offset() + 1;
    at += batch->header().size_bytes();
  }
  return end;
}

}  // namespace fencepost::minibroker::handlers
