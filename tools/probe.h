// The subcommand `fencepost probe`.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_probe(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
