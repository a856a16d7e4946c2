// JoinGroup (API key 11): enters a rebalance of a classic group; the answer comes when the join
// round ends.
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

struct JoinGroupResponse;

struct JoinGroupRequest {
  static constexpr MessageInfo info{"JoinGroupRequest", MessageKind::request, 11, between(0, 9),
                                    since(6)};
  using Response = JoinGroupResponse;

  struct JoinGroupRequestProtocol {
    static constexpr std::string_view type_name = "JoinGroupRequestProtocol";

    std::string name;
    SharedBytes metadata;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const JoinGroupRequestProtocol&) const = default;
    template <class T = JoinGroupRequestProtocol>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("metadata", &T::metadata, since(0)),
      };
    }
  };

  std::string group_id;
  std::int32_t session_timeout_ms = 0;
  std::int32_t rebalance_timeout_ms = -1;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::string protocol_type;
  std::vector<JoinGroupRequestProtocol> protocols;
  std::optional<std::string> reason;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const JoinGroupRequest&) const = default;
  template <class T = JoinGroupRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, since(0)),
        field("sessionTimeoutMs", &T::session_timeout_ms, since(0)),
        field("rebalanceTimeoutMs", &T::rebalance_timeout_ms, since(1)).ignorable(),
        field("memberId", &T::member_id, since(0)),
        field("groupInstanceId", &T::group_instance_id, since(5)).nullable(since(5)),
        field("protocolType", &T::protocol_type, since(0)),
        field("protocols", &T::protocols, since(0)),
        field("reason", &T::reason, since(8)).nullable(since(8)).ignorable(),
    };
  }
};

struct JoinGroupResponse {
  static constexpr MessageInfo info{"JoinGroupResponse", MessageKind::response, 11, between(0, 9),
                                    since(6)};

  struct JoinGroupResponseMember {
    static constexpr std::string_view type_name = "JoinGroupResponseMember";

    std::string member_id;
    std::optional<std::string> group_instance_id;
    SharedBytes metadata;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const JoinGroupResponseMember&) const = default;
    template <class T = JoinGroupResponseMember>
    static constexpr auto fields() {
      return std::tuple{
          field("memberId", &T::member_id, since(0)),
          field("groupInstanceId", &T::group_instance_id, since(5)).nullable(since(5)).ignorable(),
          field("metadata", &T::metadata, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::int32_t generation_id = -1;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name = std::string{};
  std::string leader;
  bool skip_assignment = false;
  std::string member_id;
  std::vector<JoinGroupResponseMember> members;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const JoinGroupResponse&) const = default;
  template <class T = JoinGroupResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(2)).ignorable(),
        field("errorCode", &T::error_code, since(0)),
        field("generationId", &T::generation_id, since(0)),
        field("protocolType", &T::protocol_type, since(7)).nullable(since(7)).ignorable(),
        field("protocolName", &T::protocol_name, since(0)).nullable(since(7)),
        field("leader", &T::leader, since(0)),
        field("skipAssignment", &T::skip_assignment, since(9)),
        field("memberId", &T::member_id, since(0)),
        field("members", &T::members, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
