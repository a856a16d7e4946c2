// The subcommand `fencepost bench`.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_bench(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
