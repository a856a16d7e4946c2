// `fencepost explore`: every schedule of a scenario up to a bound.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_explore(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
