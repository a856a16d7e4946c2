// One function per argument type; each says what it wanted when it does not get it.
#include "tools/scenario/values.h"

#include <array>
#include <charconv>
#include <limits>

#include "tools/scenario/words.h"

namespace fencepost::scenario {

namespace {

Error invalid(std::string text) {
  return {ErrorKind::invalid_argument, std::move(text)};
}

Error wanted(const ArgumentSpec& spec, const Node& node) {
  return invalid("'" + std::string(spec.name) + "' has to be " + std::string(to_string(spec.type)) +
                 ", not '" + to_string(node) + "'");
}

Result<ArgumentValue> parse_choice(const ArgumentSpec& spec, const Node& node) {
  const std::vector<std::string> choices = split_choices(spec.choices);
  for (const std::string& choice : choices)
    if (node.is_scalar() && node.text == choice) return ArgumentValue(choice);
  return invalid("'" + to_string(node) + "' is not a value of '" + std::string(spec.name) + "'" +
                 suggestion(to_string(node), choices));
}

// A single value stands for a list of one.
std::vector<Node> as_list(const Node& node) {
  return node.is_list() ? node.items : std::vector<Node>{node};
}

Result<ArgumentValue> parse_partitions(const ArgumentSpec& spec, const Node& node) {
  if (spec.type == ArgumentType::partition && !node.is_scalar()) return wanted(spec, node);
  std::vector<TopicPartition> partitions;
  for (const Node& item : as_list(node)) {
    const std::optional<TopicPartition> partition = parse_partition(item.text);
    if (!item.is_scalar() || !partition) return wanted(spec, node);
    partitions.push_back(*partition);
  }
  if (partitions.empty()) return wanted(spec, node);
  return ArgumentValue(partitions);
}

Result<ArgumentValue> parse_topics(const ArgumentSpec& spec, const Node& node) {
  std::vector<std::string> topics;
  for (const Node& item : as_list(node)) {
    if (!item.is_scalar()) return wanted(spec, node);
    topics.push_back(item.text);
  }
  if (topics.empty()) return wanted(spec, node);
  return ArgumentValue(topics);
}

Result<ArgumentValue> parse_offsets(const ArgumentSpec& spec, const Node& node) {
  if (!node.is_map() || node.entries.empty()) return wanted(spec, node);
  OffsetMap offsets;
  for (const Node::Entry& entry : node.entries) {
    const std::optional<TopicPartition> partition = parse_partition(entry.key);
    const std::optional<std::int64_t> offset = parse_integer(entry.value.text);
    if (!partition || !entry.value.is_scalar() || !offset) return wanted(spec, node);
    offsets[*partition] = *offset;
  }
  return ArgumentValue(offsets);
}

Result<ArgumentValue> parse_records(const ArgumentSpec& spec, const Node& node) {
  if (!node.is_list() || node.items.empty()) return wanted(spec, node);
  std::vector<KeyValue> records;
  for (const Node& item : node.items) {
    if (!item.is_scalar()) return wanted(spec, node);
    records.push_back(parse_record(item.text));
  }
  return ArgumentValue(records);
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || text.empty()) return std::nullopt;
  return number;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

Result<Duration> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  constexpr std::array units{Unit{"ms", 1'000'000}, Unit{"s", 1'000'000'000},
                             Unit{"m", 60'000'000'000}, Unit{"h", 3'600'000'000'000},
                             Unit{"d", 86'400'000'000'000}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<std::int64_t> count = parse_integer(text.substr(0, digits));
  const std::string_view name = text.substr(digits);
  for (const Unit& unit : units) {
    if (unit.name != name || !count) continue;
    if (*count > std::numeric_limits<std::int64_t>::max() / unit.nanoseconds / 100) break;
    return Duration(*count * unit.nanoseconds);
  }
  std::string reason = count && name.empty()    ? "' has no unit"
                       : !count || name.empty() ? "' is not a duration"
                                                : "' has no valid unit";
  return invalid("'" + std::string(text) + reason + "; write 500ms, 60s, 2m or 1h");
}

std::optional<TopicPartition> parse_partition(std::string_view text) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const std::optional<std::int64_t> index = parse_integer(text.substr(dash + 1));
  if (!index || *index < 0 || *index > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return TopicPartition{std::string(text.substr(0, dash)), static_cast<std::int32_t>(*index)};
}

KeyValue parse_record(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos) return {std::string(text), std::nullopt};
  return {std::string(text.substr(0, sign)), std::string(text.substr(sign + 1))};
}

Result<ArgumentValue> parse_argument(const ArgumentSpec& spec, const Node& node) {
  switch (spec.type) {
    case ArgumentType::text:
    case ArgumentType::nullable_text:
      if (node.is_null() && spec.type == ArgumentType::nullable_text)
        return ArgumentValue(NullArgument{});
      if (!node.is_scalar()) return wanted(spec, node);
      return ArgumentValue(node.text);
    case ArgumentType::integer: {
      const std::optional<std::int64_t> number = parse_integer(node.text);
      if (!node.is_scalar() || !number) return wanted(spec, node);
      return ArgumentValue(*number);
    }
    case ArgumentType::boolean: {
      const std::optional<bool> flag = parse_boolean(node.text);
      if (!node.is_scalar() || !flag) return wanted(spec, node);
      return ArgumentValue(*flag);
    }
    case ArgumentType::duration: {
      const Result<Duration> duration = parse_duration(node.text);
      if (!duration) return duration.error();
      return ArgumentValue(*duration);
    }
    case ArgumentType::choice:
      return parse_choice(spec, node);
    case ArgumentType::partition:
    case ArgumentType::partitions:
      return parse_partitions(spec, node);
    case ArgumentType::topics:
    case ArgumentType::parties:
      return parse_topics(spec, node);
    case ArgumentType::offsets:
      return parse_offsets(spec, node);
    case ArgumentType::records:
      return parse_records(spec, node);
  }
  return wanted(spec, node);
}

}  // namespace fencepost::scenario
