// DescribeConfigs (API key 32): the configuration of topics and brokers.
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

struct DescribeConfigsResponse;

struct DescribeConfigsRequest {
  static constexpr MessageInfo info{"DescribeConfigsRequest", MessageKind::request, 32,
                                    between(1, 4), since(4)};
  using Response = DescribeConfigsResponse;

  struct DescribeConfigsResource {
    static constexpr std::string_view type_name = "DescribeConfigsResource";

    std::int8_t resource_type = 0;
    std::string resource_name;
    std::optional<std::vector<std::string>> configuration_keys = std::vector<std::string>{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeConfigsResource&) const = default;
    template <class T = DescribeConfigsResource>
    static constexpr auto fields() {
      return std::tuple{
          field("resourceType", &T::resource_type, since(0)),
          field("resourceName", &T::resource_name, since(0)),
          field("configurationKeys", &T::configuration_keys, since(0)).nullable(since(0)),
      };
    }
  };

  std::vector<DescribeConfigsResource> resources;
  bool include_synonyms = false;
  bool include_documentation = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeConfigsRequest&) const = default;
  template <class T = DescribeConfigsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("resources", &T::resources, since(0)),
        field("includeSynonyms", &T::include_synonyms, since(1)),
        field("includeDocumentation", &T::include_documentation, since(3)),
    };
  }
};

struct DescribeConfigsResponse {
  static constexpr MessageInfo info{"DescribeConfigsResponse", MessageKind::response, 32,
                                    between(1, 4), since(4)};

  struct DescribeConfigsSynonym {
    static constexpr std::string_view type_name = "DescribeConfigsSynonym";

    std::string name;
    std::optional<std::string> value = std::string{};
    std::int8_t source = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeConfigsSynonym&) const = default;
    template <class T = DescribeConfigsSynonym>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(1)),
          field("value", &T::value, since(1)).nullable(since(0)),
          field("source", &T::source, since(1)),
      };
    }
  };

  struct DescribeConfigsResourceResult {
    static constexpr std::string_view type_name = "DescribeConfigsResourceResult";

    std::string name;
    std::optional<std::string> value = std::string{};
    bool read_only = false;
    std::int8_t config_source = -1;
    bool is_sensitive = false;
    std::vector<DescribeConfigsSynonym> synonyms;
    std::int8_t config_type = 0;
    std::optional<std::string> documentation = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeConfigsResourceResult&) const = default;
    template <class T = DescribeConfigsResourceResult>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("value", &T::value, since(0)).nullable(since(0)),
          field("readOnly", &T::read_only, since(0)),
          field("configSource", &T::config_source, since(1)).ignorable(),
          field("isSensitive", &T::is_sensitive, since(0)),
          field("synonyms", &T::synonyms, since(1)).ignorable(),
          field("configType", &T::config_type, since(3)).ignorable(),
          field("documentation", &T::documentation, since(3)).nullable(since(0)).ignorable(),
      };
    }
  };

  struct DescribeConfigsResult {
    static constexpr std::string_view type_name = "DescribeConfigsResult";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    std::int8_t resource_type = 0;
    std::string resource_name;
    std::vector<DescribeConfigsResourceResult> configs;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeConfigsResult&) const = default;
    template <class T = DescribeConfigsResult>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
          field("resourceType", &T::resource_type, since(0)),
          field("resourceName", &T::resource_name, since(0)),
          field("configs", &T::configs, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<DescribeConfigsResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeConfigsResponse&) const = default;
  template <class T = DescribeConfigsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("results", &T::results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
