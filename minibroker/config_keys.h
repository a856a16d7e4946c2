// Kafka's configuration keys as facts: names, types, defaults and limits of release 4.4.0, as
// DescribeConfigs shows them. Which of them change what this cluster does: configuration.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "minibroker/era.h"

namespace fencepost::minibroker {

enum class ConfigType : std::int8_t {
  boolean = 1,
  string = 2,
  integer = 3,
  short_integer = 4,
  long_integer = 5,
  floating = 6,
  list = 7,
  class_name = 8,
  password = 9
};

// Whether a key can be changed while brokers run: never, for one broker only, or for all as well.
enum class ConfigUpdate { never, broker, cluster };

constexpr std::size_t newest_release = 7;

struct ConfigKey {
  std::string_view name;
  ConfigType type = ConfigType::string;
  const char* default_value = nullptr;  // null: none
  ConfigUpdate update = ConfigUpdate::cluster;
  std::string_view broker_key = {};  // of a topic's key: the broker's, which gives its default
  // Of numbers.
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  // Of the releases that have the key with this default, columns of era.cc's tables. A key whose
  // default has changed stands in the table twice.
  std::size_t first_release = 0;
  std::size_t last_release = newest_release;

  bool is_of(const Era& era) const {
    return era.release_column >= first_release && era.release_column <= last_release;
  }
};

// Each by name.
std::span<const ConfigKey> broker_config_keys();
std::span<const ConfigKey> topic_config_keys();
std::span<const ConfigKey> group_config_keys();
const ConfigKey* find_config_key(std::span<const ConfigKey> keys, std::string_view name);

// What is wrong with a value for a key, in Kafka's words; nothing when it is good.
std::optional<std::string> config_value_problem(const ConfigKey& key, std::string_view value);

}  // namespace fencepost::minibroker
