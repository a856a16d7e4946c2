// One of the two clusters that a program is played to: one behind TCP, in the system's time, or a
// minibroker in this process, in a time of its own that passes only while something is awaited.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "client/cluster_client.h"
#include "minibroker/settings.h"
#include "tools/cluster_command.h"
#include "tools/conform/program.h"

namespace fencepost::conform {

class Side {
 public:
  virtual ~Side() = default;

  virtual client::ClusterClient& client() = 0;
  virtual bool is_simulated() const = 0;
  virtual bool is_interrupted() const { return false; }
  // Begins something that goes on while anything is awaited here.
  virtual void start(asio::awaitable<void> work) = 0;
  // Lets at most that much time pass, until `done` says so; what `done` says then.
  virtual bool run_until(const std::function<bool()>& done, Duration patience) = 0;

  Instant now() { return client().clock().now(); }
  void pass(Duration duration) {
    run_until([] { return false; }, duration);
  }
};

std::unique_ptr<Side> make_cluster_side(tools::ClusterCommand& command);
std::unique_ptr<Side> make_simulated_side(minibroker::ClusterSettings settings);

// What the side has to be asked before programs are played to it.
struct Acquaintance {
  Offer offer;
  client::Address address;  // of the broker that leads the topics of all programs
  int broker_id = 0;
  Duration join_delay{};  // group.initial.rebalance.delay.ms, as far as it is known
};

// Asks what the cluster offers, and has it create the coordinators' topics and load them, so that
// no program is the first. Errors: cannot_connect, and those of ClusterClient.
Result<Acquaintance> get_to_know(Side& side);

}  // namespace fencepost::conform
