// The names of the properties, for the parser and the schema: without the cluster behind them.
#pragma once

#include <span>
#include <string_view>

namespace fencepost::scenario {

struct PropertyName {
  std::string_view name;
  std::string_view meaning;
};

// All properties, in the order in which the course meets them.
std::span<const PropertyName> property_table();

}  // namespace fencepost::scenario
