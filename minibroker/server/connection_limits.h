// How many connections there may be, in all and from one address.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace fencepost::minibroker::server {

class Connection;

class ConnectionLimits {
 public:
  // max.connections and max.connections.per.ip
  ConnectionLimits(std::size_t connections_max, int per_address_max)
      : connections_max_(connections_max), per_address_max_(per_address_max) {}

  // Why a client of that address cannot come in now; empty: it can.
  std::string refusal_of(const std::string& address) const;
  void add(const Connection& connection, const std::string& address);
  // Nothing happens for a connection that was not added.
  void remove(const Connection& connection);

 private:
  std::size_t connections_max_;
  int per_address_max_;
  std::map<const Connection*, std::string> addresses_;
  std::map<std::string, int> counts_;  // by address
};

}  // namespace fencepost::minibroker::server
