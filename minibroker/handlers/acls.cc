// DescribeAcls, CreateAcls and DeleteAcls: the rules of the authorizer, for who may see or alter
// the cluster.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;
using security::Acl;
using security::AclFilter;
using security::PatternType;
using security::Permission;

namespace {

using Creation = CreateAclsRequest::AclCreation;
using FilterResult = DeleteAclsResponse::DeleteAclsFilterResult;
using Resource = DescribeAclsResponse::DescribeAclsResource;

// Why nothing of the request can be done.
ControllerAnswer check_cluster(const Turn& turn, const RequestContext& context, Operation operation,
                               const char* no_authorizer) {
  if (!allows_cluster(turn, context, operation))
    return {ErrorCode::cluster_authorization_failed, cluster_denied_message};
  if (!turn.controller.authorizer().is_enabled())
    return {ErrorCode::security_disabled, no_authorizer};
  return {};
}

// DescribeAcls and DeleteAcls carry the same filter, named differently in one place.
template <class Message>
std::optional<AclFilter> filter_of(const Message& from) {
  const bool is_known = security::is_resource_type(from.resource_type_filter) &&
                        security::is_pattern_type(from.pattern_type_filter) &&
                        security::is_operation(from.operation) &&
                        security::is_permission(from.permission_type);
  if (!is_known) return std::nullopt;
  return AclFilter{static_cast<ResourceType>(from.resource_type_filter),
                   static_cast<PatternType>(from.pattern_type_filter),
                   from.resource_name_filter,
                   from.principal_filter,
                   from.host_filter,
                   static_cast<Operation>(from.operation),
                   static_cast<Permission>(from.permission_type)};
}

// What the controller could not do has not been done for any part of the request.
template <class Result>
void fail(const ControllerAnswer& answer, Result& result) {
  if (answer.error == ErrorCode::none || result.error_code != ErrorCode::none) return;
  result.error_code = answer.error;
  result.error_message = std::nullopt;
  if (!answer.message.empty()) result.error_message = answer.message;
}

// Kafka closes the connection for a 0, which no client means.
bool is_readable(const Creation& creation) {
  return creation.resource_type != 0 && creation.resource_pattern_type != 0 &&
         creation.operation != 0 && creation.permission_type != 0;
}

// "Any" and "match" are words of filters: one of them spoils the request for all.
bool is_filter(const Creation& creation) {
  const auto pattern = static_cast<PatternType>(creation.resource_pattern_type);
  return static_cast<ResourceType>(creation.resource_type) == ResourceType::any ||
         pattern == PatternType::any || pattern == PatternType::match ||
         static_cast<Operation>(creation.operation) == Operation::any ||
         static_cast<Permission>(creation.permission_type) == Permission::any;
}

// In Kafka's order; empty when the rule can be.
std::string problem_of(const Creation& creation) {
  const bool is_cluster =
      static_cast<ResourceType>(creation.resource_type) == ResourceType::cluster;
  if (is_cluster && creation.resource_name != security::cluster_name)
    return "The only valid name for the CLUSTER resource is " + std::string(security::cluster_name);
  if (creation.resource_name.empty()) return "Invalid empty resource name";
  if (!security::is_resource_type(creation.resource_type)) return "Invalid resourceType UNKNOWN";
  if (!security::is_pattern_type(creation.resource_pattern_type))
    return "Invalid patternType UNKNOWN";
  if (!security::is_operation(creation.operation)) return "Invalid operation UNKNOWN";
  if (!security::is_permission(creation.permission_type)) return "Invalid permissionType UNKNOWN";
  if (creation.principal.find(':') == std::string::npos)
    return "Could not parse principal from `" + creation.principal +
           "` (no colon is present separating the principal type from the principal name)";
  if (creation.host.empty()) return "Host pattern cannot be null or empty";
  return {};
}

Acl acl_of(const Creation& creation) {
  return {static_cast<ResourceType>(creation.resource_type),
          static_cast<PatternType>(creation.resource_pattern_type),
          creation.resource_name,
          creation.principal,
          creation.host,
          static_cast<Operation>(creation.operation),
          static_cast<Permission>(creation.permission_type)};
}

}  // namespace

void describe_acls(Broker& broker, Turn& turn, const RequestContext& context,
                   const DescribeAclsRequest& request) {
  // Kafka closes the connection for what it cannot read, before anything else.
  const std::optional<AclFilter> filter = filter_of(request);
  if (!filter) return broker.close(context);
  DescribeAclsResponse response;
  const ControllerAnswer refusal = check_cluster(turn, context, Operation::describe,
                                                 "No Authorizer is configured on the broker");
  if (refusal.error != ErrorCode::none) {
    response.error_code = refusal.error;
    response.error_message = refusal.message;
    return broker.reply(context, response);
  }
  for (const Acl& acl : turn.controller.authorizer().acls()) {
    if (!filter->matches(acl)) continue;
    const auto type = static_cast<std::int8_t>(acl.resource_type);
    const auto pattern = static_cast<std::int8_t>(acl.pattern_type);
    // The rules are sorted by resource.
    const Resource* last = response.resources.empty() ? nullptr : &response.resources.back();
    const bool is_same = last != nullptr && last->resource_type == type &&
                         last->pattern_type == pattern && last->resource_name == acl.resource_name;
    if (!is_same) response.resources.push_back({type, acl.resource_name, pattern, {}, {}});
    response.resources.back().acls.push_back({acl.principal,
                                              acl.host,
                                              static_cast<std::int8_t>(acl.operation),
                                              static_cast<std::int8_t>(acl.permission),
                                              {}});
  }
  broker.reply(context, response);
}

void create_acls(Broker& broker, Turn& turn, const RequestContext& context,
                 const CreateAclsRequest& request) {
  if (!std::ranges::all_of(request.creations, is_readable)) return broker.close(context);
  ControllerAnswer refusal =
      check_cluster(turn, context, Operation::alter, "No Authorizer is configured.");
  if (refusal.error == ErrorCode::none && std::ranges::any_of(request.creations, is_filter))
    refusal.error = ErrorCode::unknown_server_error;
  CreateAclsResponse response;
  std::vector<Acl> created;
  for (const Creation& creation : request.creations) {
    auto& result = response.results.emplace_back();
    if (refusal.error != ErrorCode::none) {
      fail(refusal, result);
      continue;
    }
    const std::string problem = problem_of(creation);
    if (problem.empty())
      created.push_back(acl_of(creation));
    else
      fail({ErrorCode::invalid_request, problem}, result);
  }
  if (!created.empty()) {
    const ControllerAnswer answer = turn.controller.add_acls(std::move(created));
    for (auto& result : response.results) fail(answer, result);
  }
  broker.reply(context, response);
}

void delete_acls(Broker& broker, Turn& turn, const RequestContext& context,
                 const DeleteAclsRequest& request) {
  const auto is_readable_filter = [](const auto& it) { return filter_of(it).has_value(); };
  if (!std::ranges::all_of(request.filters, is_readable_filter)) return broker.close(context);
  DeleteAclsResponse response;
  turn.controller.catch_up();
  const ControllerAnswer refusal =
      check_cluster(turn, context, Operation::alter, "No Authorizer is configured.");
  // A rule that two filters match is reported by both.
  std::vector<Acl> deleted;
  for (const auto& wanted : request.filters) {
    FilterResult& result = response.filter_results.emplace_back();
    result.error_message = std::nullopt;
    fail(refusal, result);
    if (refusal.error != ErrorCode::none) continue;
    const std::optional<AclFilter> filter = filter_of(wanted);
    for (const Acl& acl : turn.controller.authorizer().acls()) {
      if (!filter->matches(acl)) continue;
      deleted.push_back(acl);
      result.matching_acls.push_back({ErrorCode::none,
                                      std::nullopt,
                                      static_cast<std::int8_t>(acl.resource_type),
                                      acl.resource_name,
                                      static_cast<std::int8_t>(acl.pattern_type),
                                      acl.principal,
                                      acl.host,
                                      static_cast<std::int8_t>(acl.operation),
                                      static_cast<std::int8_t>(acl.permission),
                                      {}});
    }
  }
  if (!deleted.empty()) {
    const ControllerAnswer answer = turn.controller.remove_acls(deleted);
    for (FilterResult& result : response.filter_results) fail(answer, result);
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
