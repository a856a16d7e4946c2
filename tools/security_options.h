// The options of `fencepost serve` for listeners, users and certificates.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "minibroker/server/server.h"

namespace fencepost::tools {

struct SecurityOptions {
  std::vector<std::string> listeners;
  std::vector<std::string> users;
  std::string users_file;
  std::string certificate_file;
  std::string key_file;
  std::string key_password_file;
  std::string authorities_file;
  std::string client_auth = "none";
};

void add_security_options(CLI::App& command, SecurityOptions& options);

// Reads the files and sets what the options say. Errors: invalid_argument, io; the text never holds
// a secret.
Result<void> apply(const SecurityOptions& options, minibroker::ClusterSettings& cluster,
                   minibroker::server::ServerSettings& server);

}  // namespace fencepost::tools
