// AlterConfigs (API key 33): replaces the configuration of topics and brokers as a whole.
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

struct AlterConfigsResponse;

struct AlterConfigsRequest {
  static constexpr MessageInfo info{"AlterConfigsRequest", MessageKind::request, 33, between(0, 2),
                                    since(2)};
  using Response = AlterConfigsResponse;

  struct AlterableConfig {
    static constexpr std::string_view type_name = "AlterableConfig";

    std::string name;
    std::optional<std::string> value = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AlterableConfig&) const = default;
    template <class T = AlterableConfig>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("value", &T::value, since(0)).nullable(since(0)),
      };
    }
  };

  struct AlterConfigsResource {
    static constexpr std::string_view type_name = "AlterConfigsResource";

    std::int8_t resource_type = 0;
    std::string resource_name;
    std::vector<AlterableConfig> configs;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AlterConfigsResource&) const = default;
    template <class T = AlterConfigsResource>
    static constexpr auto fields() {
      return std::tuple{
          field("resourceType", &T::resource_type, since(0)),
          field("resourceName", &T::resource_name, since(0)),
          field("configs", &T::configs, since(0)),
      };
    }
  };

  std::vector<AlterConfigsResource> resources;
  bool validate_only = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterConfigsRequest&) const = default;
  template <class T = AlterConfigsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("resources", &T::resources, since(0)),
        field("validateOnly", &T::validate_only, since(0)),
    };
  }
};

struct AlterConfigsResponse {
  static constexpr MessageInfo info{"AlterConfigsResponse", MessageKind::response, 33,
                                    between(0, 2), since(2)};

  struct AlterConfigsResourceResponse {
    static constexpr std::string_view type_name = "AlterConfigsResourceResponse";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    std::int8_t resource_type = 0;
    std::string resource_name;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AlterConfigsResourceResponse&) const = default;
    template <class T = AlterConfigsResourceResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
          field("resourceType", &T::resource_type, since(0)),
          field("resourceName", &T::resource_name, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<AlterConfigsResourceResponse> responses;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterConfigsResponse&) const = default;
  template <class T = AlterConfigsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("responses", &T::responses, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
