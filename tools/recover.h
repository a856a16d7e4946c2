// The subcommand `fencepost recover`.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_recover(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
