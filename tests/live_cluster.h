// A cluster with one client, for tests that write code against the library as an application
// would: simulated, where time is virtual and moves only while something is awaited, or real.
#pragma once

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "client/cluster_client.h"
#include "tools/scenario/world.h"

namespace fencepost::tests {

template <class T>
asio::awaitable<void> keep(asio::awaitable<T> work, std::shared_ptr<std::optional<T>> place) {
  place->emplace(co_await std::move(work));
}

struct LiveCluster {
  explicit LiveCluster(std::unique_ptr<scenario::World> of)
      : world(std::move(of)), client(world->network(), world->clock(), world->bootstrap()) {}

  // Begins something; it runs while something is awaited.
  template <class T>
  std::shared_ptr<std::optional<T>> start(asio::awaitable<T> work) {
    auto place = std::make_shared<std::optional<T>>();
    asio::co_spawn(world->io(), keep(std::move(work), place), asio::detached);
    return place;
  }
  // Awaits it; nothing happens any more when it cannot end.
  template <class T>
  T finish(const std::shared_ptr<std::optional<T>>& place) {
    const bool is_done = world->run_until([&place] { return place->has_value(); });
    if (!is_done) throw std::runtime_error("nothing moves any more");
    return std::move(**place);
  }
  template <class T>
  T run(asio::awaitable<T> work) {
    return finish(start(std::move(work)));
  }
  Instant now() { return world->clock().now(); }

  std::unique_ptr<scenario::World> world;
  client::ClusterClient client;
  // What the members of the tests join and read, and how long a silent one stays.
  std::string group = "g";
  std::string input = "in";
  std::string snapshots = "state";
  Duration session_timeout = std::chrono::seconds(10);
  // The same of a member moved by hand, who heartbeats as little.
  Duration unattended_session_timeout = std::chrono::seconds(10);
};

}  // namespace fencepost::tests
