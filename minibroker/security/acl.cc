#include "minibroker/security/acl.h"

#include <array>

namespace fencepost::minibroker::security {

namespace {

constexpr std::array topic_operations{
    Operation::read,  Operation::write,    Operation::create,           Operation::delete_,
    Operation::alter, Operation::describe, Operation::describe_configs, Operation::alter_configs,
};
constexpr std::array group_operations{
    Operation::read,          Operation::delete_, Operation::describe, Operation::describe_configs,
    Operation::alter_configs,
};
constexpr std::array cluster_operations{
    Operation::create,           Operation::alter,
    Operation::describe,         Operation::cluster_action,
    Operation::describe_configs, Operation::alter_configs,
    Operation::idempotent_write,
};
constexpr std::array transactional_id_operations{
    Operation::write,
    Operation::describe,
    Operation::two_phase_commit,
};
constexpr std::array token_operations{Operation::describe};
constexpr std::array user_operations{Operation::create_tokens, Operation::describe_tokens};

bool name_matches(const AclFilter& filter, const Acl& acl) {
  const std::string& name = *filter.resource_name;
  if (filter.pattern_type != PatternType::match) return name == acl.resource_name;
  if (acl.pattern_type == PatternType::prefixed) return name.starts_with(acl.resource_name);
  return name == acl.resource_name || acl.resource_name == wildcard;
}

}  // namespace

void Acl::add_to(Digest& digest) const {
  digest.add(static_cast<std::int64_t>(resource_type));
  digest.add(static_cast<std::int64_t>(pattern_type));
  digest.add(resource_name);
  digest.add(principal);
  digest.add(host);
  digest.add(static_cast<std::int64_t>(operation));
  digest.add(static_cast<std::int64_t>(permission));
}

bool AclFilter::matches(const Acl& acl) const {
  if (resource_type != ResourceType::any && resource_type != acl.resource_type) return false;
  const bool takes_every_pattern =
      pattern_type == PatternType::any || pattern_type == PatternType::match;
  if (!takes_every_pattern && pattern_type != acl.pattern_type) return false;
  if (resource_name && !name_matches(*this, acl)) return false;
  if (principal && *principal != acl.principal) return false;
  if (host && *host != acl.host) return false;
  if (operation != Operation::any && operation != acl.operation) return false;
  return permission == Permission::any || permission == acl.permission;
}

std::span<const Operation> operations_of(ResourceType type) {
  switch (type) {
    case ResourceType::topic:
      return topic_operations;
    case ResourceType::group:
      return group_operations;
    case ResourceType::cluster:
      return cluster_operations;
    case ResourceType::transactional_id:
      return transactional_id_operations;
    case ResourceType::delegation_token:
      return token_operations;
    case ResourceType::user:
      return user_operations;
    case ResourceType::any:
      return {};
  }
  return {};
}

std::int32_t all_operations(ResourceType type) {
  std::uint32_t bits = 0;
  for (const Operation operation : operations_of(type))
    bits |= 1U << static_cast<unsigned>(operation);
  return static_cast<std::int32_t>(bits);
}

bool is_resource_type(std::int8_t number) {
  return number >= 1 && number <= 7;
}
bool is_pattern_type(std::int8_t number) {
  return number >= 1 && number <= 4;
}
bool is_operation(std::int8_t number) {
  return number >= 1 && number <= 15;
}
bool is_permission(std::int8_t number) {
  return number >= 1 && number <= 3;
}

std::string_view to_string(ResourceType type) {
  constexpr std::array<std::string_view, 8> names{
      "UNKNOWN",          "ANY", "TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID",
      "DELEGATION_TOKEN", "USER"};
  return names.at(static_cast<std::size_t>(type));
}

std::string_view to_string(PatternType type) {
  constexpr std::array<std::string_view, 5> names{"UNKNOWN", "ANY", "MATCH", "LITERAL", "PREFIXED"};
  return names.at(static_cast<std::size_t>(type));
}

std::string_view to_string(Operation operation) {
  constexpr std::array<std::string_view, 16> names{"UNKNOWN",
                                                   "ANY",
                                                   "ALL",
                                                   "READ",
                                                   "WRITE",
                                                   "CREATE",
                                                   "DELETE",
                                                   "ALTER",
                                                   "DESCRIBE",
                                                   "CLUSTER_ACTION",
                                                   "DESCRIBE_CONFIGS",
                                                   "ALTER_CONFIGS",
                                                   "IDEMPOTENT_WRITE",
                                                   "CREATE_TOKENS",
                                                   "DESCRIBE_TOKENS",
                                                   "TWO_PHASE_COMMIT"};
  return names.at(static_cast<std::size_t>(operation));
}

std::string_view to_string(Permission permission) {
  constexpr std::array<std::string_view, 4> names{"UNKNOWN", "ANY", "DENY", "ALLOW"};
  return names.at(static_cast<std::size_t>(permission));
}

}  // namespace fencepost::minibroker::security
