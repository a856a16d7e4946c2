// The answer to a request of a consumer group whose records could not be written.
#pragma once

#include "minibroker/group/log_errors.h"
#include "minibroker/group/shard.h"

namespace fencepost::minibroker {

inline ConsumerAnswer failed(ConsumerAnswer answer, protocol::ErrorCode error) {
  std::visit(
      [&](auto& response) {
        response = {};
        response.error_code = group_write_error(error);
      },
      answer.response);
  return answer;
}

}  // namespace fencepost::minibroker
