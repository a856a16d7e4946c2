// Scalars of a scenario file: durations with their unit, partitions, records, and the values of
// arguments by their type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

// 500ms, 60s, 2m, 1h, 0s. Errors say which units there are.
Result<Duration> parse_duration(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<bool> parse_boolean(std::string_view text);
// "state-0": the last dash separates. Nothing when it is not of that form.
std::optional<TopicPartition> parse_partition(std::string_view text);
// "k1=s1"; "k1" alone is a tombstone.
KeyValue parse_record(std::string_view text);

// The value of an argument; errors have no place yet.
Result<ArgumentValue> parse_argument(const ArgumentSpec& spec, const Node& node);

}  // namespace fencepost::scenario
