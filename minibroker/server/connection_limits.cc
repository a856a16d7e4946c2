#include "minibroker/server/connection_limits.h"

namespace fencepost::minibroker::server {

std::string ConnectionLimits::refusal_of(const std::string& address) const {
  if (addresses_.size() >= connections_max_)
    return "max.connections is " + std::to_string(connections_max_);
  const auto found = counts_.find(address);
  const int count = found == counts_.end() ? 0 : found->second;
  if (count >= per_address_max_)
    return "max.connections.per.ip is " + std::to_string(per_address_max_) + ", and " + address +
           " has as many";
  return {};
}

void ConnectionLimits::add(const Connection& connection, const std::string& address) {
  addresses_[&connection] = address;
  ++counts_[address];
}

void ConnectionLimits::remove(const Connection& connection) {
  const auto found = addresses_.find(&connection);
  if (found == addresses_.end()) return;
  const auto count = counts_.find(found->second);
  if (--count->second == 0) counts_.erase(count);
  addresses_.erase(found);
}

}  // namespace fencepost::minibroker::server
