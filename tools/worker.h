// The subcommand `fencepost worker`.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_worker(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
