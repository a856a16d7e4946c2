// Small checks and readings that several partition APIs share.
#pragma once

#include "minibroker/replicas.h"
#include "protocol/base/bytes.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::handlers {

// FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH for a client that knows another epoch (KIP-320);
// -1 is not checked.
protocol::ErrorCode check_leader_epoch(const Replica& replica, std::int32_t current_leader_epoch);

// The offset after the last record of these batches; `otherwise` when there are none.
std::int64_t end_offset_of(const SharedBytes& batches, std::int64_t otherwise);

}  // namespace fencepost::minibroker::handlers
