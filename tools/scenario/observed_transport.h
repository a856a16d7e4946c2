// A client's transport that writes down what passes, and that can hold a request back or lose an
// answer. It stands between the client and whichever network there is, so that both worlds share
// it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/clock.h"
#include "client/transport.h"
#include "protocol/api.h"
#include "tools/scenario/topic_names.h"

namespace fencepost::scenario {

// One request and its answer.
struct Exchange {
  protocol::ApiKey key = protocol::ApiKey::api_versions;
  int version = 0;
  std::string request;
  Instant sent;
  std::string answer;  // empty as long as there is none
  std::optional<Instant> answered;
  bool is_held = false;
  bool is_answer_lost = false;
};

class ObservedTransport : public client::Transport {
 public:
  ObservedTransport(client::Transport& network, client::Clock& clock, TopicNames& names);
  // In a copy of the network of `other`, which holds nothing.
  ObservedTransport(const ObservedTransport& other, client::Transport& network,
                    client::Clock& clock, TopicNames& names);
  ~ObservedTransport() override;

  client::Task<std::unique_ptr<client::Channel>> connect(std::string host, int port) override;

  std::unique_ptr<client::Channel> copy_of(const client::Channel& original,
                                           asio::any_io_executor executor) override;

  // Holds the next request of that API until release() of the name.
  void hold_next(protocol::ApiKey key, std::string name);
  // The next request of that API takes effect; its connection closes when the answer comes.
  void lose_next_answer(protocol::ApiKey key);
  // Sends what is held under that name. False when nothing is.
  client::Task<bool> release(std::string name);
  bool is_holding(const std::string& name) const;
  bool is_holding() const;

  // From now on only what is held or lost is looked at; take_exchanges() gives nothing.
  void write_nothing_down();
  // The exchanges since the last call, in the order of sending.
  std::vector<std::shared_ptr<Exchange>> take_exchanges();

 private:
  struct State;
  class ObservedChannel;
  std::shared_ptr<State> state_;
};

}  // namespace fencepost::scenario
