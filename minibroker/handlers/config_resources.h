// What the handlers of DescribeConfigs and of the requests that alter configuration share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "minibroker/described_config.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::handlers {

struct ConfigAnswer {
  protocol::ErrorCode error = protocol::ErrorCode::none;
  std::string message;
  std::vector<DescribedConfig> configs;
};

std::optional<int> parse_id(const std::string& text);

// The one logger that a broker has here.
constexpr const char* root_logger = "root";
std::string logger_level(const ControllerView& controller, const std::string& broker_id);

}  // namespace fencepost::minibroker::handlers
