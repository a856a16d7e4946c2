// Reads a scenario file. Everything that can be wrong with it is found here, before anything runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

struct ParsedScenario {
  Scenario scenario;
  // In order of place; when there are any, the scenario is not to be run.
  std::vector<Mistake> mistakes;
};

// `file` is the name that messages show.
ParsedScenario parse_scenario(const std::string& file, const std::string& text);

// "file:line:column: text".
std::string to_string(const std::string& file, const Mistake& mistake);

// The properties that `always` and `finally` can name.
std::vector<std::string> property_names();
// What a person can write in `expect` besides Kafka's error names.
std::vector<std::string> local_outcome_names();

}  // namespace fencepost::scenario
