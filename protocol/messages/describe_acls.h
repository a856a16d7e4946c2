// DescribeAcls (API key 29): the access rules that match a filter.
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

struct DescribeAclsResponse;

struct DescribeAclsRequest {
  static constexpr MessageInfo info{"DescribeAclsRequest", MessageKind::request, 29, between(1, 3),
                                    since(2)};
  using Response = DescribeAclsResponse;

  std::int8_t resource_type_filter = 0;
  std::optional<std::string> resource_name_filter = std::string{};
  std::int8_t pattern_type_filter = 3;
  std::optional<std::string> principal_filter = std::string{};
  std::optional<std::string> host_filter = std::string{};
  std::int8_t operation = 0;
  std::int8_t permission_type = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeAclsRequest&) const = default;
  template <class T = DescribeAclsRequest>
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

struct DescribeAclsResponse {
  static constexpr MessageInfo info{"DescribeAclsResponse", MessageKind::response, 29,
                                    between(1, 3), since(2)};

  struct AclDescription {
    static constexpr std::string_view type_name = "AclDescription";

    std::string principal;
    std::string host;
    std::int8_t operation = 0;
    std::int8_t permission_type = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AclDescription&) const = default;
    template <class T = AclDescription>
    static constexpr auto fields() {
      return std::tuple{
          field("principal", &T::principal, since(0)),
          field("host", &T::host, since(0)),
          field("operation", &T::operation, since(0)),
          field("permissionType", &T::permission_type, since(0)),
      };
    }
  };

  struct DescribeAclsResource {
    static constexpr std::string_view type_name = "DescribeAclsResource";

    std::int8_t resource_type = 0;
    std::string resource_name;
    std::int8_t pattern_type = 3;
    std::vector<AclDescription> acls;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeAclsResource&) const = default;
    template <class T = DescribeAclsResource>
    static constexpr auto fields() {
      return std::tuple{
          field("resourceType", &T::resource_type, since(0)),
          field("resourceName", &T::resource_name, since(0)),
          field("patternType", &T::pattern_type, since(1)),
          field("acls", &T::acls, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  std::vector<DescribeAclsResource> resources;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeAclsResponse&) const = default;
  template <class T = DescribeAclsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("resources", &T::resources, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
