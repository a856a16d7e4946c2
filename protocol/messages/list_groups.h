// ListGroups (API key 16): the groups that a broker coordinates, by state and type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct ListGroupsResponse;

struct ListGroupsRequest {
  static constexpr MessageInfo info{"ListGroupsRequest", MessageKind::request, 16, between(0, 5),
                                    since(3)};
  using Response = ListGroupsResponse;

  std::vector<std::string> states_filter;
  std::vector<std::string> types_filter;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListGroupsRequest&) const = default;
  template <class T = ListGroupsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("statesFilter", &T::states_filter, since(4)),
        field("typesFilter", &T::types_filter, since(5)),
    };
  }
};

struct ListGroupsResponse {
  static constexpr MessageInfo info{"ListGroupsResponse", MessageKind::response, 16, between(0, 5),
                                    since(3)};

  struct ListedGroup {
    static constexpr std::string_view type_name = "ListedGroup";

    std::string group_id;
    std::string protocol_type;
    std::string group_state;
    std::string group_type;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ListedGroup&) const = default;
    template <class T = ListedGroup>
    static constexpr auto fields() {
      return std::tuple{
          field("groupId", &T::group_id, since(0)),
          field("protocolType", &T::protocol_type, since(0)),
          field("groupState", &T::group_state, since(4)).ignorable(),
          field("groupType", &T::group_type, since(5)).ignorable(),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::vector<ListedGroup> groups;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListGroupsResponse&) const = default;
  template <class T = ListGroupsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("errorCode", &T::error_code, since(0)),
        field("groups", &T::groups, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
