// The minibroker as a world. Frames go straight from a channel into the cluster and back; the time
// of both is one clock, moved from deadline to deadline.
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <deque>
#include <map>

#include "client/event.h"
#include "client/manual_clock.h"
#include "tools/scenario/world.h"

namespace fencepost::scenario {

namespace {

using client::Channel;
using client::Task;
using minibroker::Cluster;
using minibroker::ConnectionId;

constexpr std::string_view host_prefix = "broker-";
constexpr int port = 9092;

// The client's end of a connection.
struct Inbox {
  explicit Inbox(asio::any_io_executor executor) : arrived(std::move(executor)) {}
  std::deque<SharedBytes> frames;
  bool is_closed = false;
  client::Event arrived;
};

// Weak: an inbox holds a timer of the io_context and has to go before it, with its channel.
using Inboxes = std::map<ConnectionId, std::weak_ptr<Inbox>>;

class SimulatedChannel : public Channel {
 public:
  SimulatedChannel(Cluster& cluster, client::Clock& clock, ConnectionId id,
                   std::shared_ptr<Inbox> inbox)
      : cluster_(cluster), clock_(clock), id_(id), inbox_(std::move(inbox)) {}
  ~SimulatedChannel() override { SimulatedChannel::close(); }

  Task<void> send(Frame frame) override {
    if (inbox_->is_closed) co_return Error{ErrorKind::closed, "the connection is closed"};
    cluster_.receive(id_, frame.flatten(), clock_.now());
    co_return Result<void>();
  }

  Task<SharedBytes> receive() override {
    const std::shared_ptr<Inbox> inbox = inbox_;
    while (inbox->frames.empty() && !inbox->is_closed) {
      inbox->arrived.reset();
      co_await inbox->arrived.wait();
    }
    if (inbox->frames.empty()) co_return Error{ErrorKind::closed, "the connection was closed"};
    SharedBytes frame = std::move(inbox->frames.front());
    inbox->frames.pop_front();
    co_return frame;
  }

  ConnectionId id() const { return id_; }

  void close() override {
    if (inbox_->is_closed) return;
    inbox_->is_closed = true;
    inbox_->arrived.set();
    cluster_.disconnect(id_);
  }

 private:
  Cluster& cluster_;
  client::Clock& clock_;
  ConnectionId id_;
  std::shared_ptr<Inbox> inbox_;
};

class SimulatedNetwork : public client::Transport {
 public:
  SimulatedNetwork(Cluster& cluster, client::Clock& clock) : cluster_(cluster), clock_(clock) {}

  Task<std::unique_ptr<Channel>> connect(std::string host, int) override {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const bool is_broker = host.rfind(host_prefix, 0) == 0;
    if (!is_broker) co_return Error{ErrorKind::cannot_connect, "no host " + host};
    const int broker_id = std::atoi(host.c_str() + host_prefix.size());
    if (!is_listening(broker_id))
      co_return Error{ErrorKind::cannot_connect, host + " refuses the connection"};
    const ConnectionId id = cluster_.connect(broker_id, "127.0.0.1");
    auto inbox = std::make_shared<Inbox>(executor);
    inboxes_[id] = inbox;
    co_return std::unique_ptr<Channel>(
        std::make_unique<SimulatedChannel>(cluster_, clock_, id, std::move(inbox)));
  }

  std::unique_ptr<Channel> copy_of(const Channel& original,
                                   asio::any_io_executor executor) override {
    const ConnectionId id = static_cast<const SimulatedChannel&>(original).id();
    auto inbox = std::make_shared<Inbox>(std::move(executor));
    inboxes_[id] = inbox;
    return std::make_unique<SimulatedChannel>(cluster_, clock_, id, std::move(inbox));
  }

  // Hands the cluster's output to the channels; whether there was any.
  bool deliver() {
    const std::vector<minibroker::Output> outputs = cluster_.take_output();
    for (const minibroker::Output& output : outputs) {
      const auto at = inboxes_.find(output.connection);
      const std::shared_ptr<Inbox> inbox = at == inboxes_.end() ? nullptr : at->second.lock();
      if (inbox == nullptr) continue;
      if (output.is_close) {
        inbox->is_closed = true;
      } else if (!inbox->is_closed) {
        inbox->frames.push_back(output.frame.flatten());
      }
      inbox->arrived.set();
    }
    return !outputs.empty();
  }

 private:
  bool is_listening(int broker_id) const {
    for (const minibroker::BrokerState& broker : cluster_.brokers())
      if (broker.id == broker_id)
        return broker.state == minibroker::NodeState::up ||
               broker.state == minibroker::NodeState::paused;
    return false;
  }

  Cluster& cluster_;
  client::Clock& clock_;
  Inboxes inboxes_;
};

// Contexts that nothing waits in any more, for worlds to come: a new one opens files.
using IdleContexts = std::vector<std::unique_ptr<asio::io_context>>;

class SimulatedWorld : public World {
 public:
  SimulatedWorld(const Cluster& cluster, Instant start, std::shared_ptr<IdleContexts> idle)
      : clock_(start),
        cluster_(cluster),
        network_(cluster_, clock_),
        idle_(std::move(idle)),
        io_(take_context(*idle_)) {}

  ~SimulatedWorld() override {
    io_->restart();
    io_->poll();
    if (io_->stopped()) idle_->push_back(std::move(io_));
  }

  asio::io_context& io() override { return *io_; }
  client::Transport& network() override { return network_; }
  client::Clock& clock() override { return clock_; }
  Cluster* cluster() override { return &cluster_; }

  std::vector<client::Address> bootstrap() const override {
    std::vector<client::Address> addresses;
    for (const int id : cluster_.broker_ids())
      addresses.push_back({std::string(host_prefix) + std::to_string(id), port});
    return addresses;
  }

  bool run_until(const std::function<bool()>& done) override {
    // Far more than any scenario needs; a client that asks again for ever ends here.
    constexpr int rounds_max = 2'000'000;
    for (int round = 0; round < rounds_max; ++round) {
      run_ready();
      if (done()) return true;
      const std::optional<Instant> next = next_deadline();
      if (!next) return false;
      move_to(*next);
    }
    return false;
  }

  void settle() override {
    // A background step that asks again at once would keep something in flight for ever.
    constexpr int rounds_max = 10'000;
    run_ready();
    for (int round = 0; round < rounds_max; ++round) {
      const std::optional<Instant> arrival = cluster_.next_arrival();
      if (!arrival) return;
      const std::optional<Instant> next = next_deadline();
      move_to(next ? std::min(*next, *arrival) : *arrival);
      run_ready();
    }
  }

  void advance(Duration duration) override {
    const Instant end = clock_.now() + duration;
    run_ready();
    while (true) {
      const std::optional<Instant> next = next_deadline();
      if (!next || *next > end) break;
      move_to(*next);
      run_ready();
    }
    move_to(end);
    run_ready();
  }

  bool can_be_copied() const override { return !clock_.next_deadline(); }

  std::unique_ptr<World> copy() const override {
    return std::make_unique<SimulatedWorld>(cluster_, clock_.now(), idle_);
  }

 private:
  static std::unique_ptr<asio::io_context> take_context(IdleContexts& idle) {
    if (idle.empty()) return std::make_unique<asio::io_context>(1);
    std::unique_ptr<asio::io_context> context = std::move(idle.back());
    idle.pop_back();
    return context;
  }

  // Everything that needs no time.
  void run_ready() {
    do {
      io_->restart();
      io_->poll();
    } while (network_.deliver());
  }

  std::optional<Instant> next_deadline() const {
    const std::optional<Instant> cluster = cluster_.next_deadline();
    const std::optional<Instant> clients = clock_.next_deadline();
    if (!cluster || !clients) return cluster ? cluster : clients;
    return std::min(*cluster, *clients);
  }

  void move_to(Instant time) {
    const Instant to = std::max(time, clock_.now());
    cluster_.advance_to(to);
    network_.deliver();
    clock_.advance_to(to);
  }

  // Coroutines that still wait refer to all of these: the context is destroyed first.
  client::ManualClock clock_;
  Cluster cluster_;
  SimulatedNetwork network_;
  std::shared_ptr<IdleContexts> idle_;
  std::unique_ptr<asio::io_context> io_;
};

}  // namespace

Cluster make_cluster(const minibroker::ClusterSettings& settings) {
  Cluster cluster(settings);
  for (const int id : cluster.broker_ids())
    cluster.set_advertised(id, std::string(host_prefix) + std::to_string(id), port);
  return cluster;
}

std::unique_ptr<World> make_simulated_world(const Cluster& cluster, Instant start) {
  return std::make_unique<SimulatedWorld>(cluster, start, std::make_shared<IdleContexts>());
}

std::unique_ptr<World> make_simulated_world(minibroker::ClusterSettings settings) {
  return make_simulated_world(make_cluster(settings), settings.start);
}

}  // namespace fencepost::scenario
