// Scenario files as the commands take them: read all, and refuse what is wrong with any before
// anything runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/scenario/scenario.h"

namespace fencepost::tools {

// Prints the text on stderr; the exit code for wrong input.
int refuse(const std::string& text);

// What else is wrong with a scenario for the command that asks.
using Refusals = std::function<std::vector<scenario::Mistake>(const scenario::Scenario&)>;

// Nothing when a file cannot be read or has a mistake; everything that is wrong has been printed.
std::optional<std::vector<scenario::Scenario>> read_scenarios(const std::vector<std::string>& files,
                                                              const Refusals& refusals);

// Refuses a Kafka release that there is no era of; `command` is who says it. True when it is known.
bool check_as_version(const std::string& command, const std::string& as_version);

}  // namespace fencepost::tools
