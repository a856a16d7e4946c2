// What a broker would answer if it refused a whole request with one error: for rules that answer
// instead of the broker. Only of APIs that have a place for the error.
#pragma once

#include <optional>

#include "protocol/api.h"
#include "protocol/base/bytes.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker {

bool can_answer_with_error(protocol::ApiKey key);

// The body of the answer, with the error wherever the API has one. Nothing for a request that
// cannot be read, and for an API of which can_answer_with_error() does not hold.
std::optional<Frame> error_answer(const SharedBytes& request_frame, protocol::ErrorCode error);

// The header of an answer to that request.
Frame answer_header(const SharedBytes& request_frame);

}  // namespace fencepost::minibroker
