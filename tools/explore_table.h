// `fencepost explore --table`: what a crash at each moment of a scenario's last step leaves behind,
// as a table for people or a JSON object a moment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/scenario/scenario.h"

namespace fencepost::tools {

// `as_version` is for variants that name none. False when a property breaks, or a step before the
// last one is refused.
bool print_cut_tables(const std::vector<scenario::Scenario>& scenarios,
                      const std::optional<std::string>& as_version, bool is_json);

}  // namespace fencepost::tools
