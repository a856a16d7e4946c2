// UpdateFeatures (API key 57): changes finalized feature levels, such as transaction.version.
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

struct UpdateFeaturesResponse;

struct UpdateFeaturesRequest {
  static constexpr MessageInfo info{"UpdateFeaturesRequest", MessageKind::request, 57,
                                    between(0, 2), since(0)};
  using Response = UpdateFeaturesResponse;

  struct FeatureUpdateKey {
    static constexpr std::string_view type_name = "FeatureUpdateKey";

    std::string feature;
    std::int16_t max_version_level = 0;
    bool allow_downgrade = false;
    std::int8_t upgrade_type = 1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const FeatureUpdateKey&) const = default;
    template <class T = FeatureUpdateKey>
    static constexpr auto fields() {
      return std::tuple{
          field("feature", &T::feature, since(0)),
          field("maxVersionLevel", &T::max_version_level, since(0)),
          field("allowDowngrade", &T::allow_downgrade, only(0)),
          field("upgradeType", &T::upgrade_type, since(1)),
      };
    }
  };

  std::int32_t timeout_ms = 60000;
  std::vector<FeatureUpdateKey> feature_updates;
  bool validate_only = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const UpdateFeaturesRequest&) const = default;
  template <class T = UpdateFeaturesRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("timeoutMs", &T::timeout_ms, since(0)),
        field("featureUpdates", &T::feature_updates, since(0)),
        field("validateOnly", &T::validate_only, since(1)),
    };
  }
};

struct UpdateFeaturesResponse {
  static constexpr MessageInfo info{"UpdateFeaturesResponse", MessageKind::response, 57,
                                    between(0, 2), since(0)};

  struct UpdatableFeatureResult {
    static constexpr std::string_view type_name = "UpdatableFeatureResult";

    std::string feature;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const UpdatableFeatureResult&) const = default;
    template <class T = UpdatableFeatureResult>
    static constexpr auto fields() {
      return std::tuple{
          field("feature", &T::feature, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  std::vector<UpdatableFeatureResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const UpdateFeaturesResponse&) const = default;
  template <class T = UpdateFeaturesResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("results", &T::results, between(0, 1)).ignorable(),
    };
  }
};

}  // namespace fencepost::protocol
