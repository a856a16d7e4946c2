// IncrementalAlterConfigs and AlterConfigs: the broker looks at what concerns itself, the
// controller at topics and groups, in that order.
#include <algorithm>
#include <set>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/config_resources.h"
#include "minibroker/handlers/handlers.h"
#include "minibroker/topic_configuration.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

enum class ChangeKind : std::int8_t { set = 0, remove = 1, append = 2, subtract = 3 };

using Change = IncrementalAlterConfigsRequest::AlterableConfig;

// One resource of either request.
struct Alteration {
  std::int8_t type = 0;
  std::string name;
  std::vector<Change> changes;
  bool is_whole = false;  // AlterConfigs: what is not named is removed

  ConfigResource resource() const { return static_cast<ConfigResource>(type); }
};

ControllerAnswer invalid_request(std::string message) {
  return {ErrorCode::invalid_request, std::move(message)};
}
ControllerAnswer invalid_config(std::string message) {
  return {ErrorCode::invalid_config, std::move(message)};
}

ChangeKind kind_of(const Change& change) {
  return static_cast<ChangeKind>(change.config_operation);
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

// ---- values

std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  std::size_t from = 0;
  while (!list.empty() && from <= list.size()) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    items.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return items;
}

std::string changed_list(const std::string& now, const Change& change) {
  std::vector<std::string> items = items_of(now);
  for (const std::string& item : items_of(change.value.value_or(""))) {
    const bool is_there = std::ranges::count(items, item) > 0;
    if (kind_of(change) == ChangeKind::append && !is_there) items.push_back(item);
    if (kind_of(change) == ChangeKind::subtract) std::erase(items, item);
  }
  return join(items);
}

// The default that a list grows from when nothing is set.
std::string default_of(std::span<const ConfigKey> keys, const std::string& name) {
  const ConfigKey* key = find_config_key(keys, name);
  return key == nullptr || key->default_value == nullptr ? "" : key->default_value;
}

std::span<const ConfigKey> keys_of(ConfigResource resource) {
  if (resource == ConfigResource::topic) return topic_config_keys();
  return resource == ConfigResource::group ? group_config_keys() : broker_config_keys();
}

// What the resource would have afterwards.
ControllerAnswer apply(const Alteration& alteration, ConfigMap& config) {
  const std::span<const ConfigKey> keys = keys_of(alteration.resource());
  if (alteration.is_whole) config.clear();
  for (const Change& change : alteration.changes) {
    switch (kind_of(change)) {
      case ChangeKind::set:
        config[change.name] = change.value.value_or("");
        continue;
      case ChangeKind::remove:
        config.erase(change.name);
        continue;
      case ChangeKind::append:
      case ChangeKind::subtract: {
        const char* what = kind_of(change) == ChangeKind::append ? "append" : "subtract";
        const ConfigKey* key = find_config_key(keys, change.name);
        const bool is_list = key != nullptr && key->type == ConfigType::list;
        if (!is_list && alteration.resource() == ConfigResource::broker)
          return invalid_config("Config value " + std::string(what) +
                                " is not allowed for config key: " + change.name);
        if (!is_list)
          return invalid_config("Can't " + std::string(*what == 'a' ? "APPEND" : "SUBTRACT") +
                                " to key " + change.name + " because its type is not LIST.");
        const auto now = config.find(change.name);
        config[change.name] =
            changed_list(now == config.end() ? default_of(keys, change.name) : now->second, change);
        continue;
      }
    }
    return {ErrorCode::unknown_server_error, ""};
  }
  return {};
}

// ---- what the broker looks at

std::vector<std::string> names_with(const std::vector<Change>& changes, auto is_meant) {
  std::vector<std::string> names;
  for (const Change& change : changes)
    if (is_meant(change)) names.push_back(change.name);
  return names;
}

ControllerAnswer check_updates(const Alteration& alteration) {
  const bool is_for_all = alteration.name.empty();
  const auto update_of = [](const Change& change) {
    const ConfigKey* key = find_config_key(broker_config_keys(), change.name);
    return key == nullptr ? ConfigUpdate::cluster : key->update;
  };
  const std::vector<std::string> fixed = names_with(alteration.changes, [&](const Change& change) {
    return update_of(change) == ConfigUpdate::never;
  });
  if (!fixed.empty())
    return invalid_request("Cannot update these configs dynamically: [" + join(fixed) + "]");
  const std::vector<std::string> secure = names_with(alteration.changes, [&](const Change& change) {
    return change.name.starts_with("ssl.keystore.") || change.name.starts_with("ssl.truststore.") ||
           change.name == "ssl.key.password";
  });
  if (!secure.empty())
    return invalid_request(
        "These security configs can be dynamically updated only per-listener using the listener "
        "prefix: [" +
        join(secure) + "]");
  const std::vector<std::string> single = names_with(alteration.changes, [&](const Change& change) {
    return update_of(change) == ConfigUpdate::broker;
  });
  if (is_for_all && !single.empty())
    return invalid_request(
        "Cannot update these configs at default cluster level, broker id must be specified: [" +
        join(single) + "]");
  return {};
}

ControllerAnswer check_broker(const Alteration& alteration, const ConfigMap& config,
                              int broker_id) {
  if (!alteration.name.empty()) {
    const std::optional<int> id = parse_id(alteration.name);
    if (!id) return invalid_request("Node id must be an integer, but it is: " + alteration.name);
    if (*id != broker_id)
      return invalid_request("Unexpected broker id, expected " + std::to_string(broker_id) +
                             ", but received " + alteration.name);
  }
  if (ControllerAnswer answer = check_updates(alteration); answer.error != ErrorCode::none)
    return answer;
  for (const auto& [name, value] : config) {
    const ConfigKey* key = find_config_key(broker_config_keys(), name);
    if (key == nullptr) continue;
    if (auto problem = config_value_problem(*key, value))
      return invalid_request(std::move(*problem));
  }
  return {};
}

ControllerAnswer check_logger(const Alteration& alteration, int broker_id) {
  constexpr std::string_view levels = "DEBUG, ERROR, FATAL, INFO, TRACE, WARN";
  if (alteration.name != std::to_string(broker_id))
    return invalid_request("Unexpected broker id, expected " + std::to_string(broker_id) +
                           ", but received " + alteration.name);
  for (const Change& change : alteration.changes) {
    const ChangeKind kind = kind_of(change);
    if (kind == ChangeKind::append || kind == ChangeKind::subtract)
      return invalid_request(std::string(kind == ChangeKind::append ? "APPEND" : "SUBTRACT") +
                             " operation is not allowed for the BROKER_LOGGER resource");
    if (change.name != root_logger)
      return invalid_config("Logger " + change.name + " does not exist!");
    const std::string level = change.value.value_or("");
    const bool is_level = !level.empty() && levels.find(level) != std::string_view::npos &&
                          level.find(',') == std::string::npos;
    if (kind == ChangeKind::set && !is_level)
      return invalid_config("Cannot set the log level of " + change.name + " to " + level +
                            " as it is not a supported log level. Valid log levels are " +
                            std::string(levels));
  }
  return {};
}

// ---- what the controller looks at

// A wrong value is said before that the topic is not there.
ControllerAnswer check_topic(const Turn& turn, const std::string& topic, const ConfigMap& config) {
  for (const auto& [name, value] : config)
    if (auto problem = topic_config_problem(name, value)) return invalid_config(*problem);
  if (turn.controller.find_topic(topic) == nullptr)
    return {ErrorCode::unknown_topic_or_partition, "The topic '" + topic + "' does not exist."};
  return {};
}

// A group's timeout has to lie between the broker's limits for it.
ControllerAnswer check_limits(const Turn& turn, int broker_id, const std::string& name,
                              const std::string& value) {
  constexpr std::string_view prefix = "consumer.";
  if (!name.starts_with(prefix) || name.find("interval") == name.find("timeout")) return {};
  const std::string rest = name.substr(prefix.size());
  const auto min = broker_value(turn.controller, broker_id, "group.consumer.min." + rest);
  const auto max = broker_value(turn.controller, broker_id, "group.consumer.max." + rest);
  if (!min || !max) return {};
  const std::int64_t number = std::stoll(value);
  if (number >= std::stoll(*min) && number <= std::stoll(*max)) return {};
  return invalid_config(name + " must be in the range " + *min + " to " + *max + " inclusive.");
}

ControllerAnswer check_group(const Turn& turn, int broker_id, const ConfigMap& config) {
  for (const auto& [name, value] : config) {
    const ConfigKey* key = find_config_key(group_config_keys(), name);
    if (key == nullptr) return invalid_config("Unknown group config name: " + name);
    if (auto problem = config_value_problem(*key, value))
      return invalid_config(std::move(*problem));
    ControllerAnswer answer = check_limits(turn, broker_id, name, value);
    if (answer.error != ErrorCode::none) return answer;
  }
  return {};
}

ControllerAnswer check_shape(const Alteration& alteration) {
  std::set<std::string> names;
  for (const Change& change : alteration.changes) names.insert(change.name);
  if (names.size() != alteration.changes.size())
    return invalid_request("Error due to duplicate config keys");
  const std::vector<std::string> nulls = names_with(alteration.changes, [](const Change& change) {
    return !change.value && kind_of(change) != ChangeKind::remove;
  });
  if (!nulls.empty()) return invalid_request("Null value not supported for : " + join(nulls));
  return {};
}

ControllerAnswer check_resource(const Alteration& alteration) {
  const bool is_logger = alteration.resource() == ConfigResource::broker_logger;
  switch (alteration.resource()) {
    case ConfigResource::topic:
      if (auto problem = topic_name_problem(alteration.name))
        return {ErrorCode::invalid_topic_exception, *problem};
      return {};
    case ConfigResource::group:
      if (alteration.name.empty())
        return invalid_request("Default group resources are not allowed.");
      return {};
    case ConfigResource::broker:
    case ConfigResource::broker_logger:
      if (is_logger && alteration.is_whole) break;
      return {};
  }
  return invalid_request("Unknown resource type " + std::to_string(alteration.type));
}

ControllerAnswer check_authorization(const Turn& turn, const RequestContext& context,
                                     const Alteration& alteration) {
  switch (alteration.resource()) {
    case ConfigResource::topic:
      if (allows_topic(turn, context, Operation::alter_configs, alteration.name)) return {};
      return {ErrorCode::topic_authorization_failed, topic_denied_message};
    case ConfigResource::group:
      if (allows_group(turn, context, Operation::alter_configs, alteration.name)) return {};
      return {ErrorCode::group_authorization_failed, group_denied_message};
    case ConfigResource::broker:
    case ConfigResource::broker_logger:
      if (allows_cluster(turn, context, Operation::alter_configs)) return {};
      return {ErrorCode::cluster_authorization_failed, ""};
  }
  return {};
}

ControllerAnswer alter(Broker& broker, Turn& turn, const RequestContext& context,
                       const Alteration& alteration, bool is_validate_only) {
  ControllerAnswer answer = check_shape(alteration);
  if (answer.error == ErrorCode::none) answer = check_authorization(turn, context, alteration);
  if (answer.error == ErrorCode::none) answer = check_resource(alteration);
  if (answer.error != ErrorCode::none) return answer;
  const ConfigResource resource = alteration.resource();
  if (resource == ConfigResource::broker_logger) {
    answer = check_logger(alteration, broker.id());
    if (answer.error != ErrorCode::none) return answer;
  }
  ConfigMap config = turn.controller.config_of(resource, alteration.name);
  answer = apply(alteration, config);
  if (answer.error != ErrorCode::none) return answer;
  if (resource == ConfigResource::broker) answer = check_broker(alteration, config, broker.id());
  if (resource == ConfigResource::topic) answer = check_topic(turn, alteration.name, config);
  if (resource == ConfigResource::group) answer = check_group(turn, broker.id(), config);
  if (answer.error != ErrorCode::none) return answer;
  if (is_validate_only) return {};
  return turn.controller.set_config(resource, alteration.name, std::move(config));
}

template <class Response>
void alter_all(Broker& broker, Turn& turn, const RequestContext& context,
               const std::vector<Alteration>& alterations, bool is_validate_only) {
  Response response;
  turn.controller.catch_up();
  for (const Alteration& alteration : alterations) {
    const auto is_same = [&](const Alteration& other) {
      return other.type == alteration.type && other.name == alteration.name;
    };
    const ControllerAnswer answer =
        std::ranges::count_if(alterations, is_same) > 1
            ? invalid_request("Each resource must appear at most once.")
            : alter(broker, turn, context, alteration, is_validate_only);
    auto& result = response.responses.emplace_back();
    result.error_code = answer.error;
    result.error_message = std::nullopt;
    if (!answer.message.empty()) result.error_message = answer.message;
    result.resource_type = alteration.type;
    result.resource_name = alteration.name;
  }
  broker.reply(context, response);
}

}  // namespace

void incremental_alter_configs(Broker& broker, Turn& turn, const RequestContext& context,
                               const IncrementalAlterConfigsRequest& request) {
  std::vector<Alteration> alterations;
  for (const auto& resource : request.resources)
    alterations.push_back({resource.resource_type, resource.resource_name, resource.configs});
  alter_all<IncrementalAlterConfigsResponse>(broker, turn, context, alterations,
                                             request.validate_only);
}

void alter_configs(Broker& broker, Turn& turn, const RequestContext& context,
                   const AlterConfigsRequest& request) {
  std::vector<Alteration> alterations;
  for (const auto& resource : request.resources) {
    Alteration& alteration = alterations.emplace_back();
    alteration.type = resource.resource_type;
    alteration.name = resource.resource_name;
    alteration.is_whole = true;
    for (const auto& config : resource.configs)
      alteration.changes.push_back(
          {config.name, static_cast<std::int8_t>(ChangeKind::set), config.value, {}});
  }
  alter_all<AlterConfigsResponse>(broker, turn, context, alterations, request.validate_only);
}

}  // namespace fencepost::minibroker::handlers
