// The simulated network: messages between clients and brokers, and between brokers, each with the
// time of its arrival. It delivers in order of time, then in order of sending, and keeps what a
// rule holds until it is released.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/digest.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker::sim {

enum class MessageKind { request, response, close };

struct Message {
  MessageKind kind = MessageKind::request;
  std::int64_t connection = 0;
  int to_broker = -1;               // -1: to the client at the other end of the connection
  std::int32_t correlation_id = 0;  // of the request, or of the request that is answered
  Frame frame;                      // an answer to a broker comes without its header
};

void add_to(Digest& digest, const Message& message);

class Network {
 public:
  void send(Message message, Instant arrival);
  // Keeps a message until release(name).
  void hold(const std::string& name, Message message);
  // What `name` holds, in the order it was held; the name holds nothing afterwards.
  std::vector<Message> release(const std::string& name);
  std::size_t held_count(const std::string& name) const;

  // Keeps a message in a cut link until take_stalled().
  void stall(Message message) { stalled_.push_back(std::move(message)); }
  // All that cut links keep, in the order of sending.
  std::vector<Message> take_stalled() { return std::exchange(stalled_, {}); }

  std::optional<Instant> next_arrival() const;
  // The next message to arrive; there has to be one.
  Message take_next();

  void add_to(Digest& digest) const;

 private:
  // Ordered by arrival, then by the order of sending.
  std::map<std::pair<Instant, std::uint64_t>, Message> in_flight_;
  std::map<std::string, std::vector<Message>> held_;
  std::vector<Message> stalled_;
  std::uint64_t sent_count_ = 0;
};

}  // namespace fencepost::minibroker::sim
