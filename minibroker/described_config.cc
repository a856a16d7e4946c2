#include "minibroker/described_config.h"

#include <algorithm>

#include "minibroker/configuration.h"

namespace fencepost::minibroker {

namespace {

// "PLAINTEXT://127.0.0.1:9092,SSL://127.0.0.1:9093".
std::string listeners_of(const BrokerAddress& address) {
  std::string text;
  for (const auto& [listener, endpoint] : address.listeners) {
    if (!text.empty()) text += ',';
    text += listener + "://" + endpoint.host + ":" + std::to_string(endpoint.port);
  }
  return text;
}

// What a broker is told at its start without anybody writing it down.
std::optional<std::string> implied_value(const ControllerView& controller, int broker_id,
                                         std::string_view name) {
  const BrokerAddress& address = controller.broker(broker_id);
  if (name == "node.id" || name == "broker.id") return std::to_string(broker_id);
  if (name == "listeners" || name == "advertised.listeners") return listeners_of(address);
  if (name == "process.roles")
    return broker_id == controller.controller_id() ? "broker,controller" : "broker";
  return std::nullopt;
}

// What the cluster was started with, where that is not Kafka's default.
std::optional<std::string> static_value(const ControllerView& controller, int broker_id,
                                        std::string_view name) {
  const ClusterSettings& settings = controller.settings();
  const auto given = settings.broker_config.find(std::string(name));
  if (given != settings.broker_config.end()) return given->second;
  const auto key = std::ranges::find(configuration_keys(), name, &ConfigurationKey::name);
  if (key != configuration_keys().end()) {
    ClusterSettings usual;
    usual.era = settings.era;
    const std::string value = value_of(*key, settings);
    if (value != value_of(*key, usual)) return value;
  }
  return implied_value(controller, broker_id, name);
}

void add_if_set(const ConfigMap& config, const std::string& name, ConfigSource source,
                std::vector<ConfigSynonym>& synonyms) {
  const auto found = config.find(name);
  if (found != config.end()) synonyms.push_back({name, found->second, source});
}

// Where the value of a broker's key comes from, the strongest first.
std::vector<ConfigSynonym> broker_synonyms(const ControllerView& controller, int broker_id,
                                           const ConfigKey& key) {
  const std::string name(key.name);
  std::vector<ConfigSynonym> synonyms;
  add_if_set(controller.config_of(ConfigResource::broker, std::to_string(broker_id)), name,
             ConfigSource::dynamic_broker, synonyms);
  add_if_set(controller.config_of(ConfigResource::broker, ""), name,
             ConfigSource::dynamic_default_broker, synonyms);
  if (auto value = static_value(controller, broker_id, name))
    synonyms.push_back({name, std::move(value), ConfigSource::static_broker});
  if (key.default_value != nullptr)
    synonyms.push_back({name, key.default_value, ConfigSource::default_config});
  return synonyms;
}

DescribedConfig make(const ConfigKey& key, std::vector<ConfigSynonym> synonyms) {
  DescribedConfig out;
  out.name = key.name;
  out.type = static_cast<std::int8_t>(key.type);
  out.is_read_only = key.update == ConfigUpdate::never;
  out.is_sensitive = key.type == ConfigType::password;
  if (!synonyms.empty()) {
    out.value = synonyms.front().value;
    out.source = synonyms.front().source;
  } else if (key.default_value != nullptr) {
    out.value = key.default_value;
  }
  out.synonyms = std::move(synonyms);
  if (out.is_sensitive) {
    out.value = std::nullopt;
    for (ConfigSynonym& synonym : out.synonyms) synonym.value = std::nullopt;
  }
  return out;
}

// A group's key has its default from the broker's key of the same end.
std::string broker_key_of_group(std::string_view name) {
  return "group." + std::string(name);
}

}  // namespace

std::vector<DescribedConfig> describe_broker(const ControllerView& controller, int broker_id) {
  std::vector<DescribedConfig> configs;
  for (const ConfigKey& key : broker_config_keys())
    configs.push_back(make(key, broker_synonyms(controller, broker_id, key)));
  return configs;
}

std::vector<DescribedConfig> describe_all_brokers(const ControllerView& controller) {
  std::vector<DescribedConfig> configs;
  for (const auto& [name, value] : controller.config_of(ConfigResource::broker, "")) {
    const ConfigSynonym synonym{name, value, ConfigSource::dynamic_default_broker};
    if (const ConfigKey* key = find_config_key(broker_config_keys(), name))
      configs.push_back(make(*key, {synonym}));
  }
  return configs;
}

std::vector<DescribedConfig> describe_topic(const ControllerView& controller, int broker_id,
                                            const TopicImage& topic) {
  std::vector<DescribedConfig> configs;
  for (const ConfigKey& key : topic_config_keys()) {
    if (!key.is_of(controller.settings().era)) continue;
    std::vector<ConfigSynonym> synonyms;
    add_if_set(topic.config, std::string(key.name), ConfigSource::topic, synonyms);
    if (const ConfigKey* of_broker = find_config_key(broker_config_keys(), key.broker_key))
      std::ranges::move(broker_synonyms(controller, broker_id, *of_broker),
                        std::back_inserter(synonyms));
    configs.push_back(make(key, std::move(synonyms)));
  }
  return configs;
}

std::vector<DescribedConfig> describe_group(const ControllerView& controller, int broker_id,
                                            const std::string& group_id) {
  std::vector<DescribedConfig> configs;
  for (const ConfigKey& key : group_config_keys()) {
    std::vector<ConfigSynonym> synonyms;
    add_if_set(controller.config_of(ConfigResource::group, group_id), std::string(key.name),
               ConfigSource::group, synonyms);
    DescribedConfig config = make(key, std::move(synonyms));
    if (config.source == ConfigSource::default_config)
      if (auto value = broker_value(controller, broker_id, broker_key_of_group(key.name)))
        config.value = std::move(value);
    configs.push_back(std::move(config));
  }
  return configs;
}

std::optional<std::string> broker_value(const ControllerView& controller, int broker_id,
                                        const std::string& name) {
  const ConfigKey* key = find_config_key(broker_config_keys(), name);
  if (key == nullptr) return std::nullopt;
  const std::vector<ConfigSynonym> synonyms = broker_synonyms(controller, broker_id, *key);
  return synonyms.empty() ? std::nullopt : synonyms.front().value;
}

}  // namespace fencepost::minibroker
