// SyncGroup (API key 14): carries the leader's assignments to the coordinator, and to each member
// its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct SyncGroupResponse;

struct SyncGroupRequest {
  static constexpr MessageInfo info{"SyncGroupRequest", MessageKind::request, 14, between(0, 5),
                                    since(4)};
  using Response = SyncGroupResponse;

  struct SyncGroupRequestAssignment {
    static constexpr std::string_view type_name = "SyncGroupRequestAssignment";

    std::string member_id;
    SharedBytes assignment;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const SyncGroupRequestAssignment&) const = default;
    template <class T = SyncGroupRequestAssignment>
    static constexpr auto fields() {
      return std::tuple{
          field("memberId", &T::member_id, since(0)),
          field("assignment", &T::assignment, since(0)),
      };
    }
  };

  std::string group_id;
  std::int32_t generation_id = 0;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name;
  std::vector<SyncGroupRequestAssignment> assignments;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const SyncGroupRequest&) const = default;
  template <class T = SyncGroupRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, since(0)),
        field("generationId", &T::generation_id, since(0)),
        field("memberId", &T::member_id, since(0)),
        field("groupInstanceId", &T::group_instance_id, since(3)).nullable(since(3)),
        field("protocolType", &T::protocol_type, since(5)).nullable(since(5)).ignorable(),
        field("protocolName", &T::protocol_name, since(5)).nullable(since(5)).ignorable(),
        field("assignments", &T::assignments, since(0)),
    };
  }
};

struct SyncGroupResponse {
  static constexpr MessageInfo info{"SyncGroupResponse", MessageKind::response, 14, between(0, 5),
                                    since(4)};

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name;
  SharedBytes assignment;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const SyncGroupResponse&) const = default;
  template <class T = SyncGroupResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("errorCode", &T::error_code, since(0)),
        field("protocolType", &T::protocol_type, since(5)).nullable(since(5)).ignorable(),
        field("protocolName", &T::protocol_name, since(5)).nullable(since(5)).ignorable(),
        field("assignment", &T::assignment, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
