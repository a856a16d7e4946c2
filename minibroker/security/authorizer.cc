#include "minibroker/security/authorizer.h"

#include <algorithm>

namespace fencepost::minibroker::security {

namespace {

bool is_about(const Acl& acl, ResourceType type, std::string_view name) {
  if (acl.resource_type != type) return false;
  if (acl.pattern_type == PatternType::prefixed) return name.starts_with(acl.resource_name);
  return acl.resource_name == name || acl.resource_name == wildcard;
}

bool is_for(const Acl& acl, const Identity& identity) {
  const bool is_his = acl.principal == identity.principal || acl.principal == every_principal;
  return is_his && (acl.host == wildcard || acl.host == identity.host);
}

// To be allowed to read, write, delete or alter is to be allowed to describe.
bool implies_describe(Operation operation) {
  return operation == Operation::read || operation == Operation::write ||
         operation == Operation::delete_ || operation == Operation::alter;
}

// Denying one operation denies no other.
bool covers(const Acl& acl, Operation operation) {
  if (acl.operation == Operation::all || acl.operation == operation) return true;
  if (acl.permission != Permission::allow) return false;
  if (operation == Operation::describe) return implies_describe(acl.operation);
  return operation == Operation::describe_configs && acl.operation == Operation::alter_configs;
}

// A denied prefix of the name, or the same name denied.
bool is_dominated(const Acl& allowed, const std::vector<const Acl*>& denied) {
  return std::ranges::any_of(denied, [&](const Acl* it) {
    if (it->pattern_type == PatternType::prefixed)
      return allowed.resource_name.starts_with(it->resource_name);
    return allowed.pattern_type == PatternType::literal &&
           allowed.resource_name == it->resource_name;
  });
}

}  // namespace

bool Authorizer::allows(const Identity& identity, Operation operation, ResourceType type,
                        std::string_view name) const {
  if (!settings_.is_enabled || identity.is_broker) return true;
  if (settings_.super_users.contains(identity.principal)) return true;
  bool has_acls = false;
  bool is_allowed = false;
  for (const Acl& acl : acls_) {
    if (!is_about(acl, type, name)) continue;
    has_acls = true;
    if (!is_for(acl, identity) || !covers(acl, operation)) continue;
    if (acl.permission == Permission::deny) return false;
    is_allowed = true;
  }
  return is_allowed || (!has_acls && settings_.allows_everyone_if_no_acl_found);
}

bool Authorizer::allows_on_some(const Identity& identity, Operation operation,
                                ResourceType type) const {
  // A name that nobody has ruled on: super users, and everybody where nothing is ruled.
  if (allows(identity, operation, type, "hardcode")) return true;
  std::vector<const Acl*> allowed;
  std::vector<const Acl*> denied;
  for (const Acl& acl : acls_) {
    const bool counts = acl.resource_type == type && is_for(acl, identity) &&
                        (acl.operation == operation || acl.operation == Operation::all);
    if (!counts) continue;
    const bool is_for_all =
        acl.pattern_type == PatternType::literal && acl.resource_name == wildcard;
    if (acl.permission == Permission::deny && is_for_all) return false;
    (acl.permission == Permission::deny ? denied : allowed).push_back(&acl);
  }
  return std::ranges::any_of(allowed, [&](const Acl* it) {
    const bool is_for_all =
        it->pattern_type == PatternType::literal && it->resource_name == wildcard;
    return is_for_all || !is_dominated(*it, denied);
  });
}

std::int32_t Authorizer::allowed_operations(const Identity& identity, ResourceType type,
                                            std::string_view name) const {
  std::uint32_t bits = 0;
  for (const Operation operation : operations_of(type))
    if (allows(identity, operation, type, name)) bits |= 1U << static_cast<unsigned>(operation);
  return static_cast<std::int32_t>(bits);
}

void Authorizer::add_to(Digest& digest) const {
  for (const Acl& acl : acls_) acl.add_to(digest);
}

}  // namespace fencepost::minibroker::security
