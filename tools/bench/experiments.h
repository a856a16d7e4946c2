// The two experiments of the design, as `fencepost bench experiments`.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_experiments(CLI::App& bench, int& exit_code);

}  // namespace fencepost::tools
