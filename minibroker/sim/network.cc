#include "minibroker/sim/network.h"

#include "protocol/base/check.h"

namespace fencepost::minibroker::sim {

void add_to(Digest& digest, const Message& message) {
  digest.add(static_cast<std::int64_t>(message.kind));
  digest.add(message.connection);
  digest.add(message.to_broker);
  digest.add(message.correlation_id);
  for (const SharedBytes& piece : message.frame.pieces()) digest.add(piece.view());
}

void Network::send(Message message, Instant arrival) {
  in_flight_.emplace(std::pair{arrival, sent_count_++}, std::move(message));
}

void Network::hold(const std::string& name, Message message) {
  held_[name].push_back(std::move(message));
}

std::vector<Message> Network::release(const std::string& name) {
  const auto found = held_.find(name);
  if (found == held_.end()) return {};
  std::vector<Message> messages = std::move(found->second);
  held_.erase(found);
  return messages;
}

std::size_t Network::held_count(const std::string& name) const {
  const auto found = held_.find(name);
  return found == held_.end() ? 0 : found->second.size();
}

std::optional<Instant> Network::next_arrival() const {
  if (in_flight_.empty()) return std::nullopt;
  return in_flight_.begin()->first.first;
}

Message Network::take_next() {
  CHECK(!in_flight_.empty());
  Message message = std::move(in_flight_.begin()->second);
  in_flight_.erase(in_flight_.begin());
  return message;
}

void Network::add_to(Digest& digest) const {
  for (const auto& [key, message] : in_flight_) {
    digest.add(key.first.time_since_epoch().count());
    sim::add_to(digest, message);
  }
  for (const auto& [name, messages] : held_) {
    digest.add(name);
    for (const Message& message : messages) sim::add_to(digest, message);
  }
  for (const Message& message : stalled_) sim::add_to(digest, message);
}

}  // namespace fencepost::minibroker::sim
