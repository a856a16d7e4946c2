// Where a scenario runs: the simulated cluster, whose time moves only when somebody waits, or a
// real one. Steps are coroutines on one io_context; the world drives it.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/address.h"
#include "client/clock.h"
#include "client/transport.h"
#include "minibroker/cluster.h"

namespace fencepost::scenario {

class World {
 public:
  virtual ~World() = default;

  virtual asio::io_context& io() = 0;
  virtual client::Transport& network() = 0;
  virtual client::Clock& clock() = 0;
  virtual std::vector<client::Address> bootstrap() const = 0;

  // Lets time pass until `done` says so. False when nothing can happen any more.
  virtual bool run_until(const std::function<bool()>& done) = 0;
  // Delivers what is in flight; no timer fires by it.
  virtual void settle() = 0;
  // Lets that much time pass.
  virtual void advance(Duration duration) = 0;
  // The simulated cluster; nullptr in a real world.
  virtual minibroker::Cluster* cluster() = 0;

  // Whether nobody waits for a moment to come; never in a real world.
  virtual bool can_be_copied() const = 0;
  // A world with the same cluster at the same time, and no clients.
  virtual std::unique_ptr<World> copy() const = 0;
};

std::unique_ptr<World> make_simulated_world(minibroker::ClusterSettings settings);
// A cluster in which no time has passed yet: a copy of it.
minibroker::Cluster make_cluster(const minibroker::ClusterSettings& settings);
std::unique_ptr<World> make_simulated_world(const minibroker::Cluster& cluster, Instant start);
std::unique_ptr<World> make_real_world(std::vector<client::Address> bootstrap);

}  // namespace fencepost::scenario
