// Subscriptions by pattern: regular expressions of RE2, which Kafka's brokers use too.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "minibroker/group/consumer_group.h"
#include "minibroker/group/topic_directory.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker {

// What is wrong with the expression, in words; nothing when it can be used.
std::optional<std::string> regex_problem(const std::string& regex);

// The topics whose whole name each expression matches. An invalid one matches nothing.
std::map<std::string, ResolvedRegex> resolve(const std::set<std::string>& regexes,
                                             const TopicDirectory& topics, Instant now);

}  // namespace fencepost::minibroker
