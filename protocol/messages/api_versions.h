// ApiVersions (API key 18): the API versions and features of a broker. A version that is too high
// is answered with version 0 and UNSUPPORTED_VERSION; the answer's header is always version 0.
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

struct ApiVersionsResponse;

struct ApiVersionsRequest {
  static constexpr MessageInfo info{"ApiVersionsRequest", MessageKind::request, 18, between(0, 5),
                                    since(3)};
  using Response = ApiVersionsResponse;

  std::string client_software_name;
  std::string client_software_version;
  std::optional<std::string> cluster_id;
  std::int32_t node_id = -1;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ApiVersionsRequest&) const = default;
  template <class T = ApiVersionsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("clientSoftwareName", &T::client_software_name, since(3)).ignorable(),
        field("clientSoftwareVersion", &T::client_software_version, since(3)).ignorable(),
        field("clusterId", &T::cluster_id, since(5)).nullable(since(5)).ignorable(),
        field("nodeId", &T::node_id, since(5)).ignorable(),
    };
  }
};

struct ApiVersionsResponse {
  static constexpr MessageInfo info{"ApiVersionsResponse", MessageKind::response, 18, between(0, 5),
                                    since(3)};

  struct ApiVersion {
    static constexpr std::string_view type_name = "ApiVersion";

    std::int16_t api_key = 0;
    std::int16_t min_version = 0;
    std::int16_t max_version = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ApiVersion&) const = default;
    template <class T = ApiVersion>
    static constexpr auto fields() {
      return std::tuple{
          field("apiKey", &T::api_key, since(0)),
          field("minVersion", &T::min_version, since(0)),
          field("maxVersion", &T::max_version, since(0)),
      };
    }
  };

  struct SupportedFeatureKey {
    static constexpr std::string_view type_name = "SupportedFeatureKey";

    std::string name;
    std::int16_t min_version = 0;
    std::int16_t max_version = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const SupportedFeatureKey&) const = default;
    template <class T = SupportedFeatureKey>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(3)),
          field("minVersion", &T::min_version, since(3)),
          field("maxVersion", &T::max_version, since(3)),
      };
    }
  };

  struct FinalizedFeatureKey {
    static constexpr std::string_view type_name = "FinalizedFeatureKey";

    std::string name;
    std::int16_t max_version_level = 0;
    std::int16_t min_version_level = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const FinalizedFeatureKey&) const = default;
    template <class T = FinalizedFeatureKey>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(3)),
          field("maxVersionLevel", &T::max_version_level, since(3)),
          field("minVersionLevel", &T::min_version_level, since(3)),
      };
    }
  };

  ErrorCode error_code = ErrorCode::none;
  std::vector<ApiVersion> api_keys;
  std::int32_t throttle_time_ms = 0;
  std::vector<SupportedFeatureKey> supported_features;
  std::int64_t finalized_features_epoch = -1;
  std::vector<FinalizedFeatureKey> finalized_features;
  bool zk_migration_ready = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ApiVersionsResponse&) const = default;
  template <class T = ApiVersionsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("errorCode", &T::error_code, since(0)),
        field("apiKeys", &T::api_keys, since(0)),
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("supportedFeatures", &T::supported_features, since(3))
            .tagged(0, since(3))
            .ignorable(),
        field("finalizedFeaturesEpoch", &T::finalized_features_epoch, since(3))
            .tagged(1, since(3))
            .ignorable(),
        field("finalizedFeatures", &T::finalized_features, since(3))
            .tagged(2, since(3))
            .ignorable(),
        field("zkMigrationReady", &T::zk_migration_ready, since(3)).tagged(3, since(3)).ignorable(),
    };
  }
};

}  // namespace fencepost::protocol
