// A real cluster as a world: TCP and the system's clock. Time passes whether or not a step waits.
#include "client/system_clock.h"
#include "client/tcp_transport.h"
#include "tools/scenario/world.h"

namespace fencepost::scenario {

namespace {

class RealWorld : public World {
 public:
  explicit RealWorld(std::vector<client::Address> bootstrap) : bootstrap_(std::move(bootstrap)) {}

  asio::io_context& io() override { return io_; }
  client::Transport& network() override { return network_; }
  client::Clock& clock() override { return clock_; }
  std::vector<client::Address> bootstrap() const override { return bootstrap_; }
  minibroker::Cluster* cluster() override { return nullptr; }

  bool run_until(const std::function<bool()>& done) override {
    while (!done()) {
      io_.restart();
      if (io_.run_one() == 0) return done();
    }
    return true;
  }

  // Markers are written within milliseconds of the answer to EndTxn.
  void settle() override { advance(milliseconds(50)); }

  void advance(Duration duration) override {
    io_.restart();
    io_.run_for(duration);
  }

  bool can_be_copied() const override { return false; }
  std::unique_ptr<World> copy() const override { return nullptr; }

 private:
  std::vector<client::Address> bootstrap_;
  client::SystemClock clock_;
  client::TcpTransport network_;
  asio::io_context io_{1};
};

}  // namespace

std::unique_ptr<World> make_real_world(std::vector<client::Address> bootstrap) {
  return std::make_unique<RealWorld>(std::move(bootstrap));
}

}  // namespace fencepost::scenario
