// Who may do what: Kafka's StandardAuthorizer as a value. Deny comes before allow; what no rule
// speaks of is denied, or allowed with allow.everyone.if.no.acl.found.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/security/acl.h"
#include "minibroker/security/identity.h"
#include "protocol/base/digest.h"

namespace fencepost::minibroker::security {

struct AuthorizerSettings {
  bool is_enabled = false;  // without an authorizer everybody may do everything
  bool allows_everyone_if_no_acl_found = false;
  std::set<std::string> super_users = {};  // "User:admin"
};

class Authorizer {
 public:
  explicit Authorizer(AuthorizerSettings settings = {}) : settings_(std::move(settings)) {}

  bool is_enabled() const { return settings_.is_enabled; }
  bool allows(const Identity& identity, Operation operation, ResourceType type,
              std::string_view name) const;
  // Whether there is any resource of the type on which the operation is allowed.
  bool allows_on_some(const Identity& identity, Operation operation, ResourceType type) const;
  // The operations that are allowed on a resource, as bits by Kafka's numbers.
  std::int32_t allowed_operations(const Identity& identity, ResourceType type,
                                  std::string_view name) const;

  const std::set<Acl>& acls() const { return acls_; }
  void add(Acl acl) { acls_.insert(std::move(acl)); }
  void remove(const Acl& acl) { acls_.erase(acl); }
  void add_to(Digest& digest) const;

 private:
  AuthorizerSettings settings_;
  std::set<Acl> acls_;
};

}  // namespace fencepost::minibroker::security
