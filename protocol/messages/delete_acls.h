// DeleteAcls (API key 31): deletes the access rules that match filters.
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

struct DeleteAclsResponse;

struct DeleteAclsRequest {
  static constexpr MessageInfo info{"DeleteAclsRequest", MessageKind::request, 31, between(1, 3),
                                    since(2)};
  using Response = DeleteAclsResponse;

  struct DeleteAclsFilter {
    static constexpr std::string_view type_name = "DeleteAclsFilter";

    std::int8_t resource_type_filter = 0;
    std::optional<std::string> resource_name_filter = std::string{};
    std::int8_t pattern_type_filter = 3;
    std::optional<std::string> principal_filter = std::string{};
    std::optional<std::string> host_filter = std::string{};
    std::int8_t operation = 0;
    std::int8_t permission_type = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeleteAclsFilter&) const = default;
    template <class T = DeleteAclsFilter>
    static constexpr auto fields() {
      return std::tuple{
          field("resourceTypeFilter", &T::resource_type_filter, since(0)),
          field("resourceNameFilter", &T::resource_name_filter, since(0)).nullable(since(0)),
          field("patternTypeFilter", &T::pattern_type_filter, since(1)),
          field("principalFilter", &T::principal_filter, since(0)).nullable(since(0)),
          field("hostFilter", &T::host_filter, since(0)).nullable(since(0)),
          field("operation", &T::operation, since(0)),
          field("permissionType", &T::permission_type, since(0)),
      };
    }
  };

  std::vector<DeleteAclsFilter> filters;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DeleteAclsRequest&) const = default;
  template <class T = DeleteAclsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("filters", &T::filters, since(0)),
    };
  }
};

struct DeleteAclsResponse {
  static constexpr MessageInfo info{"DeleteAclsResponse", MessageKind::response, 31, between(1, 3),
                                    since(2)};

  struct DeleteAclsMatchingAcl {
    static constexpr std::string_view type_name = "DeleteAclsMatchingAcl";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    std::int8_t resource_type = 0;
    std::string resource_name;
    std::int8_t pattern_type = 3;
    std::string principal;
    std::string host;
    std::int8_t operation = 0;
    std::int8_t permission_type = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeleteAclsMatchingAcl&) const = default;
    template <class T = DeleteAclsMatchingAcl>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
          field("resourceType", &T::resource_type, since(0)),
          field("resourceName", &T::resource_name, since(0)),
          field("patternType", &T::pattern_type, since(1)),
          field("principal", &T::principal, since(0)),
          field("host", &T::host, since(0)),
          field("operation", &T::operation, since(0)),
          field("permissionType", &T::permission_type, since(0)),
      };
    }
  };

  struct DeleteAclsFilterResult {
    static constexpr std::string_view type_name = "DeleteAclsFilterResult";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    std::vector<DeleteAclsMatchingAcl> matching_acls;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeleteAclsFilterResult&) const = default;
    template <class T = DeleteAclsFilterResult>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
          field("matchingAcls", &T::matching_acls, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<DeleteAclsFilterResult> filter_results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DeleteAclsResponse&) const = default;
  template <class T = DeleteAclsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("filterResults", &T::filter_results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
