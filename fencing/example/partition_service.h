// The example's life of one partition: take it over, then read events, fold them, write what has
// changed, until somebody says stop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client/partition_reader.h"
#include "fencing/example/state_store.h"
#include "fencing/example/tally.h"

namespace fencepost::fencing::example {

using MakeStore = std::function<std::unique_ptr<StateStore>()>;
using Notice = std::function<void(const std::string&)>;  // one line for a person

// One partition; run() once. The cluster client must outlive it.
class PartitionService {
 public:
  // `make_store` is called for each takeover: after the first one again when the producer was
  // fenced or an outcome is unknown. `live` is what the stores show.
  PartitionService(asio::any_io_executor executor, client::ClusterClient& cluster,
                   client::TopicPartition input, GenerationFence::LiveMetadata live,
                   MakeStore make_store, Notice notice);

  // Until stop(); what cannot be taken over is tried again.
  asio::awaitable<void> run();
  // Ends run() and waits for it. `is_lost`: the partition is another's already, nothing more is
  // committed; else the last offset is.
  asio::awaitable<void> stop(bool is_lost);

  const std::map<std::string, Tally>& state() const { return state_; }
  bool is_stopping() const { return is_stopping_; }

 private:
  enum class Step { go_on, pause, wait_for_group, take_over };

  asio::awaitable<bool> take_over();
  asio::awaitable<void> serve();
  asio::awaitable<Step> read_and_write();
  asio::awaitable<Step> write_changes();
  asio::awaitable<Step> find_position(std::optional<client::Truncation> truncation);
  asio::awaitable<void> give_up();
  asio::awaitable<void> pause();
  asio::awaitable<void> wait_for_group(client::GroupMetadata shown);
  Step step_after(const WriteOutcome& outcome);

  client::ClusterClient& cluster_;
  client::TopicPartition input_;
  GenerationFence::LiveMetadata live_;
  MakeStore make_store_;
  Notice notice_;
  std::unique_ptr<StateStore> store_;
  std::map<std::string, Tally> state_;
  std::map<std::string, Tally> changed_;  // not written yet
  client::PartitionReader reader_;
  bool is_stopping_ = false;
  bool is_lost_ = false;
  client::Event stopping_;
  client::Event ended_;
};

}  // namespace fencepost::fencing::example
