// DescribeGroups (API key 15): state, members and assignments of classic groups.
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

struct DescribeGroupsResponse;

struct DescribeGroupsRequest {
  static constexpr MessageInfo info{"DescribeGroupsRequest", MessageKind::request, 15,
                                    between(0, 6), since(5)};
  using Response = DescribeGroupsResponse;

  std::vector<std::string> groups;
  bool include_authorized_operations = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeGroupsRequest&) const = default;
  template <class T = DescribeGroupsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groups", &T::groups, since(0)),
        field("includeAuthorizedOperations", &T::include_authorized_operations, since(3)),
    };
  }
};

struct DescribeGroupsResponse {
  static constexpr MessageInfo info{"DescribeGroupsResponse", MessageKind::response, 15,
                                    between(0, 6), since(5)};

  struct DescribedGroupMember {
    static constexpr std::string_view type_name = "DescribedGroupMember";

    std::string member_id;
    std::optional<std::string> group_instance_id;
    std::string client_id;
    std::string client_host;
    SharedBytes member_metadata;
    SharedBytes member_assignment;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribedGroupMember&) const = default;
    template <class T = DescribedGroupMember>
    static constexpr auto fields() {
      return std::tuple{
          field("memberId", &T::member_id, since(0)),
          field("groupInstanceId", &T::group_instance_id, since(4)).nullable(since(4)).ignorable(),
          field("clientId", &T::client_id, since(0)),
          field("clientHost", &T::client_host, since(0)),
          field("memberMetadata", &T::member_metadata, since(0)),
          field("memberAssignment", &T::member_assignment, since(0)),
      };
    }
  };

  struct DescribedGroup {
    static constexpr std::string_view type_name = "DescribedGroup";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    std::string group_id;
    std::string group_state;
    std::string protocol_type;
    std::string protocol_data;
    std::vector<DescribedGroupMember> members;
    std::int32_t authorized_operations = -2147483648;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribedGroup&) const = default;
    template <class T = DescribedGroup>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(6)).nullable(since(6)),
          field("groupId", &T::group_id, since(0)),
          field("groupState", &T::group_state, since(0)),
          field("protocolType", &T::protocol_type, since(0)),
          field("protocolData", &T::protocol_data, since(0)),
          field("members", &T::members, since(0)),
          field("authorizedOperations", &T::authorized_operations, since(3)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<DescribedGroup> groups;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeGroupsResponse&) const = default;
  template <class T = DescribeGroupsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("groups", &T::groups, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
