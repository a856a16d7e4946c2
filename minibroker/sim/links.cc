#include "minibroker/sim/links.h"

#include <array>
#include <charconv>

namespace fencepost::minibroker::sim {

namespace {

std::pair<Party, Party> link_of(const Party& one, const Party& other) {
  return one < other ? std::pair{one, other} : std::pair{other, one};
}

// A link of one client is named by its client id, or as one of all clients'.
std::array<std::pair<Party, Party>, 2> names_of(const Party& one, const Party& other) {
  const auto general = [](const Party& party) {
    return party.kind == Party::Kind::client ? Party::all_clients() : party;
  };
  return {link_of(one, other), link_of(general(one), general(other))};
}

}  // namespace

std::string to_string(const Party& party) {
  switch (party.kind) {
    case Party::Kind::controller:
      return "the controller";
    case Party::Kind::broker:
      return "broker " + std::to_string(party.broker_id);
    case Party::Kind::client:
      return "client " + party.client_id;
    case Party::Kind::all_clients:
      return "all clients";
  }
  return {};
}

Party parse_party(std::string_view name) {
  constexpr std::string_view broker = "broker-";
  if (name == "controller") return Party::controller();
  if (name == "clients") return Party::all_clients();
  if (name.starts_with(broker)) {
    int id = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + broker.size(), end, id);
    if (error == std::errc() && rest == end) return Party::broker(id);
  }
  return Party::client(std::string(name));
}

void Links::cut(const Party& one, const Party& other) {
  cut_.insert(link_of(one, other));
}

bool Links::heal(const Party& one, const Party& other) {
  const std::size_t removed = cut_.erase(link_of(one, other)) + slow_.erase(link_of(one, other));
  return removed > 0;
}

void Links::heal_all() {
  cut_.clear();
  slow_.clear();
}

void Links::slow(const Party& one, const Party& other, Duration latency) {
  slow_[link_of(one, other)] = latency;
}

bool Links::is_cut(const Party& one, const Party& other) const {
  for (const auto& link : names_of(one, other))
    if (cut_.contains(link)) return true;
  return false;
}

std::optional<Duration> Links::latency(const Party& one, const Party& other) const {
  for (const auto& link : names_of(one, other))
    if (const auto found = slow_.find(link); found != slow_.end()) return found->second;
  return std::nullopt;
}

void Links::add_to(Digest& digest) const {
  for (const auto& [one, other] : cut_) {
    digest.add(to_string(one));
    digest.add(to_string(other));
  }
  for (const auto& [link, latency] : slow_) {
    digest.add(to_string(link.first));
    digest.add(to_string(link.second));
    digest.add(latency.count());
  }
}

}  // namespace fencepost::minibroker::sim
