// Heartbeat (API key 12): keeps a member of a classic group alive and tells it of a rebalance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct HeartbeatResponse;

struct HeartbeatRequest {
  static constexpr MessageInfo info{"HeartbeatRequest", MessageKind::request, 12, between(0, 4),
                                    since(4)};
  using Response = HeartbeatResponse;

  std::string group_id;
  std::int32_t generation_id = 0;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const HeartbeatRequest&) const = default;
  template <class T = HeartbeatRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, since(0)),
        field("generationId", &T::generation_id, since(0)),
        field("memberId", &T::member_id, since(0)),
        field("groupInstanceId", &T::group_instance_id, since(3)).nullable(since(3)),
    };
  }
};

struct HeartbeatResponse {
  static constexpr MessageInfo info{"HeartbeatResponse", MessageKind::response, 12, between(0, 4),
                                    since(4)};

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const HeartbeatResponse&) const = default;
  template <class T = HeartbeatResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("errorCode", &T::error_code, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
