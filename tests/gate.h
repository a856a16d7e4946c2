// A client's way to its brokers that a test can close: what is sent waits there until it is opened,
// and counts. It stands in front of any network, so that a member goes silent, or a request is
// late, in the same way in both worlds.
#pragma once

#include <memory>

#include "client/transport.h"
#include "protocol/api.h"

namespace fencepost::tests {

class Gate : public client::Transport {
 public:
  // The network must outlive the gate.
  explicit Gate(client::Transport& network);
  ~Gate() override;

  client::Task<std::unique_ptr<client::Channel>> connect(std::string host, int port) override;

  // Requests of this API wait from now on, and what comes behind them on their connection.
  void hold(protocol::ApiKey key);
  // Everything waits from now on: the client is alone, and believes what it knew.
  void close();
  // Nothing waits any more; what has waited goes out now, late, in its order.
  client::Task<void> open();
  bool is_holding() const;
  // Requests of this API that the client has sent so far, those that wait included.
  int count(protocol::ApiKey key) const;

 private:
  struct State;
  struct Waiting;
  class GatedChannel;
  client::Transport& network_;
  std::shared_ptr<State> state_;
};

}  // namespace fencepost::tests
