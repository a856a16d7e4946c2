// LeaveGroup (API key 13): takes members out of a classic group. Version 3 on names several
// members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct LeaveGroupResponse;

struct LeaveGroupRequest {
  static constexpr MessageInfo info{"LeaveGroupRequest", MessageKind::request, 13, between(0, 5),
                                    since(4)};
  using Response = LeaveGroupResponse;

  struct MemberIdentity {
    static constexpr std::string_view type_name = "MemberIdentity";

    std::string member_id;
    std::optional<std::string> group_instance_id;
    std::optional<std::string> reason;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const MemberIdentity&) const = default;
    template <class T = MemberIdentity>
    static constexpr auto fields() {
      return std::tuple{
          field("memberId", &T::member_id, since(3)),
          field("groupInstanceId", &T::group_instance_id, since(3)).nullable(since(3)),
          field("reason", &T::reason, since(5)).nullable(since(5)).ignorable(),
      };
    }
  };

  std::string group_id;
  std::string member_id;
  std::vector<MemberIdentity> members;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const LeaveGroupRequest&) const = default;
  template <class T = LeaveGroupRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, since(0)),
        field("memberId", &T::member_id, between(0, 2)),
        field("members", &T::members, since(3)),
    };
  }
};

struct LeaveGroupResponse {
  static constexpr MessageInfo info{"LeaveGroupResponse", MessageKind::response, 13, between(0, 5),
                                    since(4)};

  struct MemberResponse {
    static constexpr std::string_view type_name = "MemberResponse";

    std::string member_id;
    std::optional<std::string> group_instance_id = std::string{};
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const MemberResponse&) const = default;
    template <class T = MemberResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("memberId", &T::member_id, since(3)),
          field("groupInstanceId", &T::group_instance_id, since(3)).nullable(since(3)),
          field("errorCode", &T::error_code, since(3)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::vector<MemberResponse> members;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const LeaveGroupResponse&) const = default;
  template <class T = LeaveGroupResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("errorCode", &T::error_code, since(0)),
        field("members", &T::members, since(3)),
    };
  }
};

}  // namespace fencepost::protocol
