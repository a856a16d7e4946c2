// DescribeClientQuotas (API key 48): which quotas are set for users, client ids and addresses
// (KIP-546).
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

struct DescribeClientQuotasResponse;

struct DescribeClientQuotasRequest {
  static constexpr MessageInfo info{"DescribeClientQuotasRequest", MessageKind::request, 48,
                                    between(0, 1), since(1)};
  using Response = DescribeClientQuotasResponse;

  struct ComponentData {
    static constexpr std::string_view type_name = "ComponentData";

    std::string entity_type;
    std::int8_t match_type = 0;  // 0: that name, 1: the default, 2: any name
    std::optional<std::string> match = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ComponentData&) const = default;
    template <class T = ComponentData>
    static constexpr auto fields() {
      return std::tuple{
          field("entityType", &T::entity_type, since(0)),
          field("matchType", &T::match_type, since(0)),
          field("match", &T::match, since(0)).nullable(since(0)),
      };
    }
  };

  std::vector<ComponentData> components;
  bool strict = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeClientQuotasRequest&) const = default;
  template <class T = DescribeClientQuotasRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("components", &T::components, since(0)),
        field("strict", &T::strict, since(0)),
    };
  }
};

struct DescribeClientQuotasResponse {
  static constexpr MessageInfo info{"DescribeClientQuotasResponse", MessageKind::response, 48,
                                    between(0, 1), since(1)};

  struct EntryData {
    static constexpr std::string_view type_name = "EntryData";

    struct EntityData {
      static constexpr std::string_view type_name = "EntityData";

      std::string entity_type;
      std::optional<std::string> entity_name = std::string{};
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const EntityData&) const = default;
      template <class T = EntityData>
      static constexpr auto fields() {
        return std::tuple{
            field("entityType", &T::entity_type, since(0)),
            field("entityName", &T::entity_name, since(0)).nullable(since(0)),
        };
      }
    };

    struct ValueData {
      static constexpr std::string_view type_name = "ValueData";

      std::string key;
      double value = 0.0;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const ValueData&) const = default;
      template <class T = ValueData>
      static constexpr auto fields() {
        return std::tuple{
            field("key", &T::key, since(0)),
            field("value", &T::value, since(0)),
        };
      }
    };

    std::vector<EntityData> entity;
    std::vector<ValueData> values;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const EntryData&) const = default;
    template <class T = EntryData>
    static constexpr auto fields() {
      return std::tuple{
          field("entity", &T::entity, since(0)),
          field("values", &T::values, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  std::optional<std::vector<EntryData>> entries = std::vector<EntryData>{};
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeClientQuotasResponse&) const = default;
  template <class T = DescribeClientQuotasResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("entries", &T::entries, since(0)).nullable(since(0)),
    };
  }
};

}  // namespace fencepost::protocol
