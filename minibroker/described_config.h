// Configuration as DescribeConfigs and CreateTopics show it: each key with its value, where that
// comes from, and what would hold if it were not set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/config_keys.h"
#include "minibroker/controller_view.h"

namespace fencepost::minibroker {

enum class ConfigSource : std::int8_t {
  topic = 1,
  dynamic_broker = 2,
  dynamic_default_broker = 3,
  static_broker = 4,
  default_config = 5,
  broker_logger = 6,
  group = 8
};

struct ConfigSynonym {
  std::string name;
  std::optional<std::string> value;
  ConfigSource source = ConfigSource::default_config;
};

struct DescribedConfig {
  std::string name;
  std::optional<std::string> value;  // nothing also for a secret
  ConfigSource source = ConfigSource::default_config;
  std::int8_t type = 0;  // ConfigType; 0: not known
  bool is_read_only = false;
  bool is_sensitive = false;
  std::vector<ConfigSynonym> synonyms = {};  // the one that holds first
};

// All keys of a broker, as that broker runs.
std::vector<DescribedConfig> describe_broker(const ControllerView& controller, int broker_id);
// What is set for all brokers.
std::vector<DescribedConfig> describe_all_brokers(const ControllerView& controller);
// All keys of a topic, with the defaults of that broker.
std::vector<DescribedConfig> describe_topic(const ControllerView& controller, int broker_id,
                                            const TopicImage& topic);
std::vector<DescribedConfig> describe_group(const ControllerView& controller, int broker_id,
                                            const std::string& group_id);
// The value that a broker's key has now.
std::optional<std::string> broker_value(const ControllerView& controller, int broker_id,
                                        const std::string& name);

}  // namespace fencepost::minibroker
