// The links between brokers, clients and the controller: which are cut, and which are slow. What is
// sent into a cut link waits there, as TCP would send it again, until the link is healed.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/base/digest.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker::sim {

// One end of a link. Clients are known by the client id of their requests.
struct Party {
  enum class Kind { controller, broker, client, all_clients };

  Kind kind = Kind::controller;
  int broker_id = 0;
  std::string client_id;

  static Party controller() { return {}; }
  static Party broker(int id) { return {Kind::broker, id, {}}; }
  static Party client(std::string client_id) { return {Kind::client, 0, std::move(client_id)}; }
  static Party all_clients() { return {Kind::all_clients, 0, {}}; }
  auto operator<=>(const Party&) const = default;
};

std::string to_string(const Party& party);
// "controller", "clients", "broker-2"; any other name is a client's.
Party parse_party(std::string_view name);

class Links {
 public:
  // Both ways, as are the others.
  void cut(const Party& one, const Party& other);
  // Heals a cut link and gives a slow one its speed back. False when it was neither.
  bool heal(const Party& one, const Party& other);
  void heal_all();
  // `latency` one way, instead of the cluster's.
  void slow(const Party& one, const Party& other, Duration latency);

  bool is_cut(const Party& one, const Party& other) const;
  std::optional<Duration> latency(const Party& one, const Party& other) const;
  bool empty() const { return cut_.empty() && slow_.empty(); }

  void add_to(Digest& digest) const;

 private:
  using Link = std::pair<Party, Party>;  // the smaller party first

  std::set<Link> cut_;
  std::map<Link, Duration> slow_;
};

}  // namespace fencepost::minibroker::sim
