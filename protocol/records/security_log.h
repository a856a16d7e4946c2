// The records of __cluster_metadata about users and what they may do: SCRAM credentials (KIP-900),
// the rules of Kafka's StandardAuthorizer (KIP-801), quotas (KIP-546). Framed as those of
// metadata_log.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"
#include "protocol/codec.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct UserScramCredentialRecord {
  static constexpr MessageInfo info{"UserScramCredentialRecord", MessageKind::data, 11, only(0),
                                    since(0)};

  std::string name;
  std::int8_t mechanism = 0;  // sasl::ScramMechanism
  SharedBytes salt;
  SharedBytes stored_key;
  SharedBytes server_key;
  std::int32_t iterations = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const UserScramCredentialRecord&) const = default;
  template <class T = UserScramCredentialRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &T::name, since(0)),
        field("mechanism", &T::mechanism, since(0)),
        field("salt", &T::salt, since(0)),
        field("storedKey", &T::stored_key, since(0)),
        field("serverKey", &T::server_key, since(0)),
        field("iterations", &T::iterations, since(0)),
    };
  }
};

struct RemoveUserScramCredentialRecord {
  static constexpr MessageInfo info{"RemoveUserScramCredentialRecord", MessageKind::data, 22,
                                    only(0), since(0)};

  std::string name;
  std::int8_t mechanism = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const RemoveUserScramCredentialRecord&) const = default;
  template <class T = RemoveUserScramCredentialRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &T::name, since(0)),
        field("mechanism", &T::mechanism, since(0)),
    };
  }
};

struct AccessControlEntryRecord {
  static constexpr MessageInfo info{"AccessControlEntryRecord", MessageKind::data, 18, only(0),
                                    since(0)};

  Uuid id;
  std::int8_t resource_type = 0;
  std::string resource_name;
  std::int8_t pattern_type = 0;
  std::string principal;
  std::string host;
  std::int8_t operation = 0;
  std::int8_t permission_type = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AccessControlEntryRecord&) const = default;
  template <class T = AccessControlEntryRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &T::id, since(0)),
        field("resourceType", &T::resource_type, since(0)),
        field("resourceName", &T::resource_name, since(0)),
        field("patternType", &T::pattern_type, since(0)),
        field("principal", &T::principal, since(0)),
        field("host", &T::host, since(0)),
        field("operation", &T::operation, since(0)),
        field("permissionType", &T::permission_type, since(0)),
    };
  }
};

struct RemoveAccessControlEntryRecord {
  static constexpr MessageInfo info{"RemoveAccessControlEntryRecord", MessageKind::data, 19,
                                    only(0), since(0)};

  Uuid id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const RemoveAccessControlEntryRecord&) const = default;
  template <class T = RemoveAccessControlEntryRecord>
  static constexpr auto fields() {
    return std::tuple{field("id", &T::id, since(0))};
  }
};

struct ClientQuotaRecord {
  static constexpr MessageInfo info{"ClientQuotaRecord", MessageKind::data, 14, only(0), since(0)};

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

  std::vector<EntityData> entity;
  std::string key;
  double value = 0.0;
  bool remove = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ClientQuotaRecord&) const = default;
  template <class T = ClientQuotaRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("entity", &T::entity, since(0)),
        field("key", &T::key, since(0)),
        field("value", &T::value, since(0)),
        field("remove", &T::remove, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
