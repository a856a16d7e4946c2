// DeleteGroups (API key 42): deletes empty groups with their offsets.
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

struct DeleteGroupsResponse;

struct DeleteGroupsRequest {
  static constexpr MessageInfo info{"DeleteGroupsRequest", MessageKind::request, 42, between(0, 3),
                                    since(2)};
  using Response = DeleteGroupsResponse;

  std::vector<std::string> groups_names;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DeleteGroupsRequest&) const = default;
  template <class T = DeleteGroupsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupsNames", &T::groups_names, since(0)),
    };
  }
};

struct DeleteGroupsResponse {
  static constexpr MessageInfo info{"DeleteGroupsResponse", MessageKind::response, 42,
                                    between(0, 3), since(2)};

  struct DeletableGroupResult {
    static constexpr std::string_view type_name = "DeletableGroupResult";

    std::string group_id;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeletableGroupResult&) const = default;
    template <class T = DeletableGroupResult>
    static constexpr auto fields() {
      return std::tuple{
          field("groupId", &T::group_id, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(3)).nullable(since(3)).ignorable(),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<DeletableGroupResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DeleteGroupsResponse&) const = default;
  template <class T = DeleteGroupsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("results", &T::results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
