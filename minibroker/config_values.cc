// What Kafka's ConfigDef accepts, and how it says what it does not.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "minibroker/config_keys.h"

namespace fencepost::minibroker {

namespace {

struct Words {
  std::string_view key;
  std::string_view words;  // in the order in which Kafka lists them
};

constexpr std::array word_lists{
    Words{"cleanup.policy", "compact, delete"},
    Words{"log.cleanup.policy", "compact, delete"},
    Words{"compression.type", "uncompressed, zstd, lz4, snappy, gzip, producer"},
    Words{"message.timestamp.type", "CreateTime, LogAppendTime"},
    Words{"log.message.timestamp.type", "CreateTime, LogAppendTime"},
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
  }
  return parts;
}

std::optional<std::string> word_problem(const ConfigKey& key, std::string_view value) {
  const auto list = std::ranges::find(word_lists, key.name, &Words::key);
  if (list == word_lists.end()) return std::nullopt;
  const std::vector<std::string_view> good = split(list->words);
  const auto is_good = [&](std::string_view word) { return std::ranges::count(good, word) > 0; };
  const bool is_list = key.type == ConfigType::list;
  if (is_list ? std::ranges::all_of(split(value), is_good) : is_good(value)) return std::nullopt;
  return "String must be one of: " + std::string(list->words);
}

std::string_view number_name(ConfigType type) {
  if (type == ConfigType::short_integer) return "SHORT";
  return type == ConfigType::integer ? "INT" : "LONG";
}

bool fits(ConfigType type, std::int64_t number) {
  if (type == ConfigType::short_integer) return number == static_cast<std::int16_t>(number);
  return type != ConfigType::integer || number == static_cast<std::int32_t>(number);
}

std::optional<std::string> number_problem(const ConfigKey& key, std::string_view value) {
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || rest != end || !fits(key.type, number))
    return "Not a number of type " + std::string(number_name(key.type));
  constexpr std::string_view with_own_default = "compression.gzip.level";
  const bool is_outside = number < key.min || number > key.max;
  if (key.name == with_own_default) {
    if (!is_outside || number == -1) return std::nullopt;
    return "Value must be between 1 and 9 or equal to -1";
  }
  if (number < key.min) return "Value must be at least " + std::to_string(key.min);
  if (number > key.max) return "Value must be no more than " + std::to_string(key.max);
  return std::nullopt;
}

std::optional<std::string> floating_problem(const ConfigKey& key, std::string_view value) {
  const std::string text(value);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return "Not a number of type DOUBLE";
  if (number < static_cast<double>(key.min))
    return "Value must be at least " + std::to_string(key.min);
  constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  if (key.max != unlimited && number > static_cast<double>(key.max))
    return "Value must be no more than " + std::to_string(key.max);
  return std::nullopt;
}

// "*", or pairs of partition and broker.
std::optional<std::string> throttled_replicas_problem(const ConfigKey& key,
                                                      std::string_view value) {
  constexpr std::string_view suffix = ".replication.throttled.replicas";
  if (!key.name.ends_with(suffix) || value == "*") return std::nullopt;
  const auto is_pair = [](std::string_view pair) {
    const std::size_t colon = pair.find(':');
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    return colon != std::string_view::npos && colon > 0 && colon + 1 < pair.size() &&
           std::ranges::all_of(pair.substr(0, colon), is_digit) &&
           std::ranges::all_of(pair.substr(colon + 1), is_digit);
  };
  if (std::ranges::all_of(split(value), is_pair)) return std::nullopt;
  return std::string(key.name) +
         " must be the literal '*' or a list of replicas in the following format: "
         "[partitionId]:[brokerId],[partitionId]:[brokerId],...";
}

std::optional<std::string> reason_against(const ConfigKey& key, std::string_view value) {
  switch (key.type) {
    case ConfigType::boolean:
      if (value == "true" || value == "false") return std::nullopt;
      return "Expected value to be either true or false";
    case ConfigType::short_integer:
    case ConfigType::integer:
    case ConfigType::long_integer:
      return number_problem(key, value);
    case ConfigType::floating:
      return floating_problem(key, value);
    case ConfigType::list:
      if (auto problem = throttled_replicas_problem(key, value)) return problem;
      return word_problem(key, value);
    case ConfigType::string:
      return word_problem(key, value);
    case ConfigType::class_name:
    case ConfigType::password:
      return std::nullopt;
  }
  return std::nullopt;
}

// What was refused after it had been parsed is shown as Java prints it.
std::string as_parsed(const ConfigKey& key, std::string_view value) {
  const std::string text(value);
  if (throttled_replicas_problem(key, value)) return "[" + text + "]";
  const bool is_whole = !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
  return key.type == ConfigType::floating && is_whole ? text + ".0" : text;
}

}  // namespace

const ConfigKey* find_config_key(std::span<const ConfigKey> keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, &ConfigKey::name);
  return found == keys.end() ? nullptr : &*found;
}

std::optional<std::string> config_value_problem(const ConfigKey& key, std::string_view value) {
  const std::optional<std::string> reason = reason_against(key, value);
  if (!reason) return std::nullopt;
  return "Invalid value " + as_parsed(key, value) + " for configuration " + std::string(key.name) +
         ": " + *reason;
}

}  // namespace fencepost::minibroker
