// A simulated cluster with one client, for tests that write code against the library as an
// application would. Time is virtual and moves only while something is awaited.
#pragma once

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "client/cluster_client.h"
#include "client/transactional_producer.h"
#include "tools/scenario/world.h"

namespace fencepost::tests {

template <class T>
asio::awaitable<void> keep(asio::awaitable<T> work, std::shared_ptr<std::optional<T>> place) {
  place->emplace(co_await std::move(work));
}

struct SimulatedCluster {
  explicit SimulatedCluster(minibroker::ClusterSettings settings);

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
  minibroker::Cluster& brokers() { return *world->cluster(); }
  minibroker::PartitionState partition(const std::string& topic, int index);
  // The records of committed transactions and of no transaction, as "key=value".
  std::vector<std::string> committed(const std::string& topic, int index);
  // What the group has committed for that partition, -1 if nothing; staged offsets do not count.
  std::int64_t committed_offset(const std::string& group, const std::string& topic, int index);
  std::uint64_t fault(minibroker::sim::FaultAction action, protocol::ApiKey key, int count = 1);
  // How many requests a rule has taken.
  int hits(std::uint64_t rule);

  std::unique_ptr<scenario::World> world;
  client::ClusterClient client;
};

// Brokers of that release with one topic of three partitions; every message takes `latency`.
minibroker::ClusterSettings settings_of(const std::string& release, int broker_count = 1,
                                        Duration latency = Duration());
protocol::NewRecord record(const std::string& key, const std::string& value);

}  // namespace fencepost::tests
