// Where a broker listens.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

namespace fencepost::client {

struct Address {
  std::string host;
  int port = 0;
  auto operator<=>(const Address&) const = default;
};

std::string to_string(const Address& address);
// "host:port,host:port"; an IPv6 host stands in brackets. Error invalid_argument names the part
// that is wrong.
Result<std::vector<Address>> parse_addresses(std::string_view text);

}  // namespace fencepost::client
