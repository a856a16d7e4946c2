// Access rules as values, with the numbers of Kafka's protocol, and the filters that pick them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/digest.h"

namespace fencepost::minibroker::security {

enum class ResourceType : std::int8_t {
  any = 1,
  topic = 2,
  group = 3,
  cluster = 4,
  transactional_id = 5,
  delegation_token = 6,
  user = 7,
};
enum class PatternType : std::int8_t { any = 1, match = 2, literal = 3, prefixed = 4 };
enum class Operation : std::int8_t {
  any = 1,
  all = 2,
  read = 3,
  write = 4,
  create = 5,
  delete_ = 6,
  alter = 7,
  describe = 8,
  cluster_action = 9,
  describe_configs = 10,
  alter_configs = 11,
  idempotent_write = 12,
  create_tokens = 13,
  describe_tokens = 14,
  two_phase_commit = 15,
};
enum class Permission : std::int8_t { any = 1, deny = 2, allow = 3 };

// The name of the one cluster resource.
constexpr std::string_view cluster_name = "kafka-cluster";
// A literal rule with this name holds for every resource of its type.
constexpr std::string_view wildcard = "*";
constexpr std::string_view every_principal = "User:*";

struct Acl {
  ResourceType resource_type = ResourceType::topic;
  PatternType pattern_type = PatternType::literal;
  std::string resource_name;
  std::string principal;  // "User:alice"
  std::string host;       // an address, or "*"
  Operation operation = Operation::all;
  Permission permission = Permission::allow;

  auto operator<=>(const Acl&) const = default;
  void add_to(Digest& digest) const;
};

// What is not given matches everything.
struct AclFilter {
  ResourceType resource_type = ResourceType::any;
  PatternType pattern_type = PatternType::any;
  std::optional<std::string> resource_name;
  std::optional<std::string> principal;
  std::optional<std::string> host;
  Operation operation = Operation::any;
  Permission permission = Permission::any;

  // PatternType::match also takes the wildcard and the prefixes that would hold for the name.
  bool matches(const Acl& acl) const;
};

// The operations that can be permitted on a resource of that type.
std::span<const Operation> operations_of(ResourceType type);
// The same as bits by Kafka's numbers.
std::int32_t all_operations(ResourceType type);

// Whether a number of the protocol stands for one of the words above.
bool is_resource_type(std::int8_t number);
bool is_pattern_type(std::int8_t number);
bool is_operation(std::int8_t number);
bool is_permission(std::int8_t number);

// "ANY", "LITERAL", ...: Kafka's words for the numbers that a new rule cannot have.
std::string_view to_string(ResourceType type);
std::string_view to_string(PatternType type);
std::string_view to_string(Operation operation);
std::string_view to_string(Permission permission);

}  // namespace fencepost::minibroker::security
