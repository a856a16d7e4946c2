// The question that comes first in almost every handler: may this client do that?
#pragma once

#include <string_view>

#include "minibroker/broker.h"

namespace fencepost::minibroker::handlers {

using security::Operation;
using security::ResourceType;

// Kafka's sentences, where an answer has room for one.
constexpr const char* topic_denied_message = "Topic authorization failed.";
constexpr const char* group_denied_message = "Group authorization failed.";
constexpr const char* cluster_denied_message = "Cluster authorization failed.";

// True without an authorizer, for super users and for brokers.
inline bool allows(const Turn& turn, const RequestContext& context, Operation operation,
                   ResourceType type, std::string_view name) {
  const security::Authorizer& authorizer = turn.controller.authorizer();
  return !authorizer.is_enabled() || authorizer.allows(*context.identity, operation, type, name);
}

inline bool allows_topic(const Turn& turn, const RequestContext& context, Operation operation,
                         std::string_view topic) {
  return allows(turn, context, operation, ResourceType::topic, topic);
}
inline bool allows_group(const Turn& turn, const RequestContext& context, Operation operation,
                         std::string_view group_id) {
  return allows(turn, context, operation, ResourceType::group, group_id);
}
inline bool allows_transactional_id(const Turn& turn, const RequestContext& context,
                                    Operation operation, std::string_view transactional_id) {
  return allows(turn, context, operation, ResourceType::transactional_id, transactional_id);
}
inline bool allows_cluster(const Turn& turn, const RequestContext& context, Operation operation) {
  return allows(turn, context, operation, ResourceType::cluster, security::cluster_name);
}

// What clients are told when they ask which operations they may do: bits by Kafka's numbers.
inline std::int32_t allowed_operations(const Turn& turn, const RequestContext& context,
                                       ResourceType type, std::string_view name) {
  return turn.controller.authorizer().allowed_operations(*context.identity, type, name);
}

}  // namespace fencepost::minibroker::handlers
