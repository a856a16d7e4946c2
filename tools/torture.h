// The subcommand `fencepost torture`.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_torture(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
