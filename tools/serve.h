// `fencepost serve`: a cluster for any Kafka client, over TCP.
#pragma once

#include <CLI/CLI.hpp>

namespace fencepost::tools {

// Adds the subcommand; when it has run, `exit_code` says how it ended.
void add_serve(CLI::App& app, int& exit_code);

}  // namespace fencepost::tools
