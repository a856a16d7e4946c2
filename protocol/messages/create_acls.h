// CreateAcls (API key 30): adds access rules.
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

struct CreateAclsResponse;

struct CreateAclsRequest {
  static constexpr MessageInfo info{"CreateAclsRequest", MessageKind::request, 30, between(1, 3),
                                    since(2)};
  using Response = CreateAclsResponse;

  struct AclCreation {
    static constexpr std::string_view type_name = "AclCreation";

    std::int8_t resource_type = 0;
    std::string resource_name;
    std::int8_t resource_pattern_type = 3;
    std::string principal;
    std::string host;
    std::int8_t operation = 0;
    std::int8_t permission_type = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AclCreation&) const = default;
    template <class T = AclCreation>
    static constexpr auto fields() {
      return std::tuple{
          field("resourceType", &T::resource_type, since(0)),
          field("resourceName", &T::resource_name, since(0)),
          field("resourcePatternType", &T::resource_pattern_type, since(1)),
          field("principal", &T::principal, since(0)),
          field("host", &T::host, since(0)),
          field("operation", &T::operation, since(0)),
          field("permissionType", &T::permission_type, since(0)),
      };
    }
  };

  std::vector<AclCreation> creations;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const CreateAclsRequest&) const = default;
  template <class T = CreateAclsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("creations", &T::creations, since(0)),
    };
  }
};

struct CreateAclsResponse {
  static constexpr MessageInfo info{"CreateAclsResponse", MessageKind::response, 30, between(1, 3),
                                    since(2)};

  struct AclCreationResult {
    static constexpr std::string_view type_name = "AclCreationResult";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AclCreationResult&) const = default;
    template <class T = AclCreationResult>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<AclCreationResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const CreateAclsResponse&) const = default;
  template <class T = CreateAclsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("results", &T::results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
