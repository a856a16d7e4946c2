#include "tools/conform/side.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include "tools/scenario/world.h"

namespace fencepost::conform {

namespace {

class ClusterSide : public Side {
 public:
  explicit ClusterSide(tools::ClusterCommand& command) : command_(command) {}

  client::ClusterClient& client() override { return command_.cluster(); }
  bool is_simulated() const override { return false; }
  bool is_interrupted() const override { return command_.is_interrupted(); }
  void start(asio::awaitable<void> work) override {
    asio::co_spawn(command_.io(), std::move(work), asio::detached);
  }
  bool run_until(const std::function<bool()>& done, Duration patience) override {
    return command_.wait_until(done, patience);
  }

 private:
  tools::ClusterCommand& command_;
};

asio::awaitable<void> wait(client::Clock& clock, Duration patience, std::shared_ptr<bool> is_over) {
  co_await clock.sleep_until(clock.now() + patience);
  *is_over = true;
}

class SimulatedSide : public Side {
 public:
  explicit SimulatedSide(minibroker::ClusterSettings settings)
      : world_(scenario::make_simulated_world(std::move(settings))),
        client_(world_->network(), world_->clock(), world_->bootstrap()) {}

  client::ClusterClient& client() override { return client_; }
  bool is_simulated() const override { return true; }
  void start(asio::awaitable<void> work) override {
    asio::co_spawn(world_->io(), std::move(work), asio::detached);
  }
  bool run_until(const std::function<bool()>& done, Duration patience) override {
    world_->settle();
    if (done()) return true;
    auto is_over = std::make_shared<bool>(false);
    start(wait(world_->clock(), patience, is_over));
    world_->run_until([&done, &is_over] { return *is_over || done(); });
    return done();
  }

 private:
  std::unique_ptr<scenario::World> world_;
  client::ClusterClient client_;
};

}  // namespace

std::unique_ptr<Side> make_cluster_side(tools::ClusterCommand& command) {
  return std::make_unique<ClusterSide>(command);
}

std::unique_ptr<Side> make_simulated_side(minibroker::ClusterSettings settings) {
  return std::make_unique<SimulatedSide>(std::move(settings));
}

}  // namespace fencepost::conform
