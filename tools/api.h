// `fencepost api`: the APIs, and each message as a table of its fields.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_api(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
