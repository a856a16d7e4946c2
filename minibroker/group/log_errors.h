// What the client is told when a record of the group coordinator could not be written.
#pragma once

#include "minibroker/era.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker {

// For records of groups.
protocol::ErrorCode group_write_error(protocol::ErrorCode error);
// For offset commits. The old coordinator has an answer of its own for what is too large and lets
// a timeout through; the errors of a producer's append come through as they are.
protocol::ErrorCode offset_write_error(const Era& era, protocol::ErrorCode error);
// The write failed, and yet its records are in the log and may count one day.
bool is_still_in_log(protocol::ErrorCode error);

}  // namespace fencepost::minibroker
