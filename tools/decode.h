// `fencepost decode`: bytes of the wire and of log files as JSON, or field by field.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_decode(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
