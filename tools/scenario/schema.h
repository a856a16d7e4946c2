// The JSON Schema of scenario files for editors, made from the verb table.
#pragma once

#include <string>

namespace fencepost::scenario {

// scenarios/scenario.schema.json, with a newline at the end.
std::string scenario_schema();

}  // namespace fencepost::scenario
