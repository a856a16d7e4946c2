// `fencepost conform`: whether two clusters answer alike.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_conform(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
