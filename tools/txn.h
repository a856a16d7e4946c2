// The subcommand `fencepost txn`: what an operator does about transactions of a cluster.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

void add_txn(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
