// ListConfigResources (API key 74): the names of resources that can have configuration (KIP-1142).
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

struct ListConfigResourcesResponse;

struct ListConfigResourcesRequest {
  static constexpr MessageInfo info{"ListConfigResourcesRequest", MessageKind::request, 74,
                                    between(0, 1), since(0)};
  using Response = ListConfigResourcesResponse;

  std::vector<std::int8_t> resource_types;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListConfigResourcesRequest&) const = default;
  template <class T = ListConfigResourcesRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("resourceTypes", &T::resource_types, since(1)),
    };
  }
};

struct ListConfigResourcesResponse {
  static constexpr MessageInfo info{"ListConfigResourcesResponse", MessageKind::response, 74,
                                    between(0, 1), since(0)};

  struct ConfigResource {
    static constexpr std::string_view type_name = "ConfigResource";

    std::string resource_name;
    std::int8_t resource_type = 16;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ConfigResource&) const = default;
    template <class T = ConfigResource>
    static constexpr auto fields() {
      return std::tuple{
          field("resourceName", &T::resource_name, since(0)),
          field("resourceType", &T::resource_type, since(1)).ignorable(),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::vector<ConfigResource> config_resources;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListConfigResourcesResponse&) const = default;
  template <class T = ListConfigResourcesResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("configResources", &T::config_resources, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
