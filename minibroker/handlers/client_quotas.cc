// DescribeClientQuotas and AlterClientQuotas (KIP-546). Quotas are checked, kept and described as
// in Kafka; nobody is slowed down by them.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using QuotaFilterComponent = DescribeClientQuotasRequest::ComponentData;
using QuotaAlteration = AlterClientQuotasRequest::EntryData;

constexpr const char *user_type = "user", *client_id_type = "client-id", *ip_type = "ip";

bool is_entity_type(std::string_view type) {
  return type == user_type || type == client_id_type || type == ip_type;
}

// ---- describe

enum class QuotaMatch : std::int8_t { exact = 0, default_name = 1, any_name = 2 };

// What has to be in an entity, by type; nothing stands for any name.
struct QuotaFilter {
  std::map<std::string, std::optional<std::optional<std::string>>> names;
  bool is_strict = false;

  bool matches(const QuotaEntity& entity) const {
    if (names.empty()) return !is_strict;
    if (is_strict && entity.size() != names.size()) return false;
    return std::ranges::all_of(names, [&](const auto& wanted) {
      const auto found = entity.find(wanted.first);
      return found != entity.end() && (!wanted.second || *wanted.second == found->second);
    });
  }
};

ControllerAnswer add(const QuotaFilterComponent& component, QuotaFilter& filter) {
  if (component.entity_type.empty())
    return {ErrorCode::invalid_request, "Invalid empty entity type."};
  if (filter.names.contains(component.entity_type))
    return {ErrorCode::invalid_request, "Entity type " + component.entity_type +
                                            " cannot appear more than once in the filter."};
  if (!is_entity_type(component.entity_type))
    return {ErrorCode::unsupported_version, "Unsupported entity type " + component.entity_type};
  std::optional<std::optional<std::string>>& name = filter.names[component.entity_type];
  switch (static_cast<QuotaMatch>(component.match_type)) {
    case QuotaMatch::exact:
      if (!component.match)
        return {ErrorCode::invalid_request,
                "Request specified MATCH_TYPE_EXACT, but set match string to null."};
      name = component.match;
      return {};
    case QuotaMatch::default_name:
      if (component.match)
        return {ErrorCode::invalid_request,
                "Request specified MATCH_TYPE_DEFAULT, but also specified a match string."};
      name.emplace();
      return {};
    case QuotaMatch::any_name:
      if (component.match)
        return {ErrorCode::invalid_request,
                "Request specified MATCH_TYPE_SPECIFIED, but also specified a match string."};
      return {};
  }
  return {ErrorCode::invalid_request, "Unknown match type " + std::to_string(component.match_type)};
}

ControllerAnswer read_filter(const DescribeClientQuotasRequest& request, QuotaFilter& filter) {
  filter.is_strict = request.strict;
  for (const QuotaFilterComponent& component : request.components)
    if (ControllerAnswer refused = add(component, filter); refused.error != ErrorCode::none)
      return refused;
  if (filter.names.contains(ip_type) && filter.names.size() > 1)
    return {ErrorCode::invalid_request,
            "Invalid entity filter component combination. IP filter component should not be used "
            "with user or clientId filter component."};
  return {};
}

DescribeClientQuotasResponse::EntryData described_quotas(
    const QuotaEntity& entity, const std::map<std::string, double>& quotas) {
  DescribeClientQuotasResponse::EntryData out;
  for (const auto& [type, name] : entity) out.entity.push_back({type, name, {}});
  for (const auto& [key, value] : quotas) out.values.push_back({key, value, {}});
  return out;
}

// ---- alter

enum class QuotaType { whole_64, whole_32, fraction };
struct QuotaKey {
  std::string_view name;
  QuotaType type;
};

constexpr std::array user_and_client_keys{
    QuotaKey{"producer_byte_rate", QuotaType::whole_64},
    QuotaKey{"consumer_byte_rate", QuotaType::whole_64},
    QuotaKey{"request_percentage", QuotaType::fraction},
    QuotaKey{"controller_mutation_rate", QuotaType::fraction},
};
constexpr std::array ip_keys{QuotaKey{"connection_creation_rate", QuotaType::whole_32}};

ControllerAnswer invalid_quota(std::string text) {
  return {ErrorCode::invalid_request, std::move(text)};
}

QuotaEntity entity_of(const QuotaAlteration& asked) {
  QuotaEntity entity;
  for (const auto& [type, name, unknown] : asked.entity) entity[type] = name;
  return entity;
}

// As Java prints it.
std::string entity_text(const QuotaEntity& entity) {
  std::string text;
  for (const auto& [type, name] : entity)
    text += (text.empty() ? "" : ", ") + type + "=" + name.value_or("null");
  return "ClientQuotaEntity(entries={" + text + "})";
}

// Kafka asks its resolver about other names; here is none.
bool is_address(const std::string& host) {
  in6_addr address;
  return host == "localhost" || inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

ControllerAnswer check_entity(const QuotaEntity& entity) {
  if (entity.empty()) return invalid_quota("Invalid empty client quota entity");
  for (const auto& [type, name] : entity) {
    if (!is_entity_type(type)) return invalid_quota("Unhandled client quota entity type: " + type);
    if (name && name->empty()) return invalid_quota("Empty " + type + " not supported");
  }
  const auto address = entity.find(ip_type);
  if (address == entity.end()) return {};
  if (entity.size() > 1)
    return invalid_quota(
        "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId");
  if (address->second && !is_address(*address->second))
    return invalid_quota(*address->second + " is not a valid IP or resolvable host.");
  return {};
}

ControllerAnswer check_value(const QuotaEntity& entity, const std::string& name, double value) {
  const std::span<const QuotaKey> keys = entity.contains(ip_type)
                                             ? std::span<const QuotaKey>(ip_keys)
                                             : std::span<const QuotaKey>(user_and_client_keys);
  const auto key = std::ranges::find(keys, name, &QuotaKey::name);
  if (key == keys.end()) return invalid_quota("Invalid configuration key " + name);
  if (!std::isfinite(value)) return invalid_quota("Quota " + name + " must be a finite number");
  if (value <= 0) return invalid_quota("Quota " + name + " must be greater than 0");
  if (key->type == QuotaType::fraction) return {};
  const bool is_whole_32 = key->type == QuotaType::whole_32;
  const auto most = static_cast<double>(is_whole_32 ? std::numeric_limits<std::int32_t>::max()
                                                    : std::numeric_limits<std::int64_t>::max());
  if (value > most)
    return invalid_quota("Proposed value for " + name + " is too large for " +
                         (is_whole_32 ? "an INT." : "a LONG."));
  constexpr double rounding_error_max = 1e-6;
  if (std::fmod(value, 1.0) > rounding_error_max)
    return invalid_quota(name + " cannot be a fractional value.");
  return {};
}

// New values by key; nothing removes the quota.
using QuotaValues = std::map<std::string, std::optional<double>>;

ControllerAnswer read_values(const QuotaAlteration& asked, const QuotaEntity& entity,
                             QuotaValues& values) {
  for (const auto& op : asked.ops) {
    const std::optional<double> value = op.remove ? std::nullopt : std::optional(op.value);
    if (!values.emplace(op.key, value).second)
      return invalid_quota("Ignoring duplicate entity " + entity_text(entity));
  }
  if (ControllerAnswer refused = check_entity(entity); refused.error != ErrorCode::none)
    return refused;
  for (const auto& [key, value] : values) {
    if (!value) continue;
    if (ControllerAnswer refused = check_value(entity, key, *value);
        refused.error != ErrorCode::none)
      return refused;
  }
  return {};
}

ControllerAnswer alter(Turn& turn, const QuotaAlteration& asked, const QuotaEntity& entity,
                       bool is_validate_only) {
  QuotaValues values;
  ControllerAnswer answer = read_values(asked, entity, values);
  if (is_validate_only) return answer;
  for (const auto& [key, value] : values)
    if (answer.error == ErrorCode::none)
      answer = turn.controller.set_client_quota(entity, key, value);
  return answer;
}

}  // namespace

void describe_client_quotas(Broker& broker, Turn& turn, const RequestContext& context,
                            const DescribeClientQuotasRequest& request) {
  DescribeClientQuotasResponse response;
  QuotaFilter filter;
  ControllerAnswer refused = {ErrorCode::cluster_authorization_failed, cluster_denied_message};
  if (allows_cluster(turn, context, Operation::describe_configs))
    refused = read_filter(request, filter);
  response.error_code = refused.error;
  if (refused.error != ErrorCode::none) {
    response.error_message = refused.message;
    response.entries.reset();
  } else {
    for (const auto& [entity, quotas] : turn.controller.image()->client_quotas)
      if (filter.matches(entity)) response.entries->push_back(described_quotas(entity, quotas));
  }
  broker.reply(context, response);
}

// An entity is answered once; what is asked for it again is not done.
void alter_client_quotas(Broker& broker, Turn& turn, const RequestContext& context,
                         const AlterClientQuotasRequest& request) {
  turn.controller.catch_up();
  const bool is_allowed = allows_cluster(turn, context, Operation::alter_configs);
  std::map<QuotaEntity, ControllerAnswer> answers;
  for (const QuotaAlteration& asked : request.entries) {
    const QuotaEntity entity = entity_of(asked);
    if (!is_allowed)
      answers[entity] = {ErrorCode::cluster_authorization_failed, cluster_denied_message};
    else if (answers.contains(entity))
      answers[entity] = invalid_quota("Ignoring duplicate entity " + entity_text(entity));
    else
      answers[entity] = alter(turn, asked, entity, request.validate_only);
  }
  AlterClientQuotasResponse response;
  for (const auto& [entity, answer] : answers) {
    auto& result = response.entries.emplace_back();
    result.error_code = answer.error;
    result.error_message = std::nullopt;
    if (answer.error != ErrorCode::none) result.error_message = answer.message;
    for (const auto& [type, name] : entity) result.entity.push_back({type, name, {}});
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
