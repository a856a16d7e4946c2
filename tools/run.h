// The subcommand `fencepost run`.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_run(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
