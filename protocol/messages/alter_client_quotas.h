// AlterClientQuotas (API key 49): sets and removes quotas of users, client ids and addresses
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

struct AlterClientQuotasResponse;

struct AlterClientQuotasRequest {
  static constexpr MessageInfo info{"AlterClientQuotasRequest", MessageKind::request, 49,
                                    between(0, 1), since(1)};
  using Response = AlterClientQuotasResponse;

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

    struct OpData {
      static constexpr std::string_view type_name = "OpData";

      std::string key;
      double value = 0.0;
      bool remove = false;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const OpData&) const = default;
      template <class T = OpData>
      static constexpr auto fields() {
        return std::tuple{
            field("key", &T::key, since(0)),
            field("value", &T::value, since(0)),
            field("remove", &T::remove, since(0)),
        };
      }
    };

    std::vector<EntityData> entity;
    std::vector<OpData> ops;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const EntryData&) const = default;
    template <class T = EntryData>
    static constexpr auto fields() {
      return std::tuple{
          field("entity", &T::entity, since(0)),
          field("ops", &T::ops, since(0)),
      };
    }
  };

  std::vector<EntryData> entries;
  bool validate_only = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterClientQuotasRequest&) const = default;
  template <class T = AlterClientQuotasRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("entries", &T::entries, since(0)),
        field("validateOnly", &T::validate_only, since(0)),
    };
  }
};

struct AlterClientQuotasResponse {
  static constexpr MessageInfo info{"AlterClientQuotasResponse", MessageKind::response, 49,
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

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    std::vector<EntityData> entity;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const EntryData&) const = default;
    template <class T = EntryData>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
          field("entity", &T::entity, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<EntryData> entries;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterClientQuotasResponse&) const = default;
  template <class T = AlterClientQuotasResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("entries", &T::entries, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
