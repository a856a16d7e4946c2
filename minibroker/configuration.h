// Kafka's broker configuration keys: one table from their names to the settings they set, read by
// the command line, by scenario files and by DescribeConfigs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "minibroker/settings.h"
#include "protocol/base/result.h"

namespace fencepost::minibroker {

// Behaviours of the era that a key can switch off; what the era does not do stays off.
using EraSwitches = std::array<bool Era::*, 2>;

// Text of which not every value makes sense.
struct TextSetting {
  std::string ClusterSettings::*member = nullptr;
  bool (*is_valid)(std::string_view value) = nullptr;
  std::string_view wanted;  // "one of a, b"
};

// What has to be taken apart first: a list, a class name.
struct ParsedSetting {
  bool (*set)(ClusterSettings& settings, std::string_view value);  // false: not a possible value
  std::string (*get)(const ClusterSettings& settings);
  const char* wanted;  // "a list of ..."
};

struct ConfigurationKey {
  std::string_view name;
  std::variant<int ClusterSettings::*, bool ClusterSettings::*, Duration ClusterSettings::*,
               std::int64_t ClusterSettings::*, EraSwitches, TextSetting, const ParsedSetting*>
      target;
  // Of numbers; a Duration counts milliseconds.
  std::int64_t min = 0;
  std::int64_t max = 0;
};

// All keys, by name.
std::span<const ConfigurationKey> configuration_keys();

// The key's value in Kafka's text form ("60000", "true").
std::string value_of(const ConfigurationKey& key, const ClusterSettings& settings);

// What a value of the key has to be, for people: "an integer from 1 to 2147483647".
std::string wanted(const ConfigurationKey& key);

// Whether the key changes what this cluster does; Kafka's other keys are only kept and shown.
bool takes_effect(std::string_view name);

// Sets one key. Choose the era first: some keys switch off what it does.
// Errors: invalid_argument for an unknown key (with the nearest known one) or a wrong value;
// nothing is set then.
Result<void> configure(ClusterSettings& settings, std::string_view name, std::string_view value);

// The same for "name=value".
Result<void> configure(ClusterSettings& settings, std::string_view assignment);

// Sets a finalized feature level: "transaction.version=0" turns KIP-890 part 2 off,
// "group.version=0" the consumer protocol, as `kafka-storage format --feature` does.
// Errors: invalid_argument for an unknown feature, or a level that the era does not have.
Result<void> set_feature(ClusterSettings& settings, std::string_view assignment);

}  // namespace fencepost::minibroker
