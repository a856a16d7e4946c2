// `fencepost encode`: from the JSON that `fencepost decode` prints back to bytes.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_encode(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
