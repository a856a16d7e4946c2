// One turn of the loop: requests go into the cluster, what is due is done, every answer is written.
// The turn runs after each read and when the cluster's deadline comes.
#include "minibroker/server/server.h"

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <csignal>
#include <deque>
#include <map>
#include <optional>

#include "minibroker/server/connection.h"
#include "minibroker/server/wall_clock.h"

namespace fencepost::minibroker::server {

using asio::ip::tcp;

namespace {

// After running out of file descriptors, until somebody may have left.
constexpr std::chrono::milliseconds accept_retry(100);

Error cannot_listen(const std::string& host, int port, const asio::error_code& error) {
  return {ErrorKind::cannot_connect,
          "cannot listen on " + host + ":" + std::to_string(port) + ": " + error.message(),
          0,
          {}};
}

}  // namespace

class Server::Loop final : public ConnectionOwner {
 public:
  Loop(ClusterSettings cluster, ServerSettings settings)
      : settings_(std::move(settings)),
        frame_bytes_max_(static_cast<std::size_t>(cluster.socket_request_max_bytes)),
        connections_max_(static_cast<std::size_t>(cluster.max_connections)),
        idle_max_(cluster.connections_max_idle),
        cluster_(started_at(std::move(cluster), clock_.now())) {}

  Result<void> listen();
  void run();
  void stop() {
    asio::post(context_, [this] { context_.stop(); });
  }
  const std::vector<Listener>& listeners() const { return listeners_; }

  void frame_arrived(ConnectionId connection, SharedBytes frame) override {
    cluster_.receive(connection, std::move(frame), clock_.now());
  }
  void read_ended() override { turn(); }
  void connection_ended(ConnectionId connection, std::string_view reason) override;

 private:
  struct Door {
    int broker_id;
    tcp::acceptor acceptor;
    asio::steady_timer retry;
  };

  static ClusterSettings started_at(ClusterSettings settings, Instant now) {
    settings.start = now;
    return settings;
  }

  Result<void> open_door(int broker_id, const tcp::endpoint& endpoint);
  void accept(Door& door);
  void accepted(Door& door, tcp::socket socket);
  void turn();
  void carry_out(std::vector<Output> outputs);
  void arm_timer();
  void sweep_idle();
  void debug(const std::string& line) const {
    if (settings_.debug) settings_.debug(line);
  }

  ServerSettings settings_;
  std::size_t frame_bytes_max_;
  std::size_t connections_max_;
  Duration idle_max_;
  WallClock clock_;
  Cluster cluster_;

  asio::io_context context_{1};
  // From the start: who reads that the server listens may end it at once.
  asio::signal_set signals_{context_, SIGINT, SIGTERM};
  asio::steady_timer timer_{context_};
  std::optional<Instant> timer_due_;
  asio::steady_timer idle_timer_{context_};
  std::deque<Door> doors_;
  std::vector<Listener> listeners_;
  std::map<ConnectionId, std::shared_ptr<Connection>> connections_;
};

Result<void> Server::Loop::listen() {
  const std::vector<int> brokers = cluster_.broker_ids();
  const int port_max = 65535 - (settings_.port == 0 ? 0 : static_cast<int>(brokers.size()) - 1);
  if (settings_.port < 0 || settings_.port > port_max) {
    return Error{ErrorKind::invalid_argument,
                 "the port of the first broker has to be from 0 to " + std::to_string(port_max) +
                     ", not " + std::to_string(settings_.port),
                 0,
                 {}};
  }
  asio::error_code error;
  const auto found = tcp::resolver(context_).resolve(settings_.host, "", error);
  if (error || found.empty()) {
    return Error{ErrorKind::invalid_argument, "unknown host '" + settings_.host + "'", 0, {}};
  }
  for (std::size_t i = 0; i < brokers.size(); ++i) {
    const int port = settings_.port == 0 ? 0 : settings_.port + static_cast<int>(i);
    tcp::endpoint endpoint(found.begin()->endpoint().address(),
                           static_cast<asio::ip::port_type>(port));
    if (Result<void> opened = open_door(brokers[i], endpoint); !opened.ok()) return opened;
  }
  return {};
}

Result<void> Server::Loop::open_door(int broker_id, const tcp::endpoint& endpoint) {
  asio::error_code error;
  tcp::acceptor acceptor(context_);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) return cannot_listen(settings_.host, endpoint.port(), error);

  const int port = acceptor.local_endpoint(error).port();
  const std::string& host =
      settings_.advertised_host.empty() ? settings_.host : settings_.advertised_host;
  cluster_.set_advertised(broker_id, host, port);
  listeners_.push_back({broker_id, host, port});
  doors_.push_back({broker_id, std::move(acceptor), asio::steady_timer(context_)});
  return {};
}

void Server::Loop::run() {
  signals_.async_wait([this](asio::error_code error, int) {
    if (!error) context_.stop();
  });
  for (Door& door : doors_) accept(door);
  sweep_idle();
  turn();
  context_.run();
  doors_.clear();
  while (!connections_.empty()) connections_.begin()->second->end("");
}

void Server::Loop::accept(Door& door) {
  door.acceptor.async_accept([this, &door](asio::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      accepted(door, std::move(socket));
      return accept(door);
    }
    debug("broker " + std::to_string(door.broker_id) + " cannot accept: " + error.message());
    door.retry.expires_after(accept_retry);
    door.retry.async_wait([this, &door](asio::error_code retry_error) {
      if (!retry_error) accept(door);
    });
  });
}

void Server::Loop::accepted(Door& door, tcp::socket socket) {
  asio::error_code error;
  const tcp::endpoint client = socket.remote_endpoint(error);
  if (!error) socket.set_option(tcp::no_delay(true), error);
  if (!error) socket.non_blocking(true, error);
  if (error) return;  // it has gone already
  if (connections_.size() >= connections_max_) {
    return debug("refused a connection: max.connections is " + std::to_string(connections_max_));
  }
  const std::string address = client.address().to_string();
  const ConnectionId id = cluster_.connect(door.broker_id, address);
  auto connection = std::make_shared<Connection>(std::move(socket), id, frame_bytes_max_, *this);
  connections_.emplace(id, connection);
  connection->start();
}

void Server::Loop::connection_ended(ConnectionId connection, std::string_view reason) {
  cluster_.disconnect(connection);
  connections_.erase(connection);
  if (!reason.empty()) {
    debug("closed connection " + std::to_string(connection) + ": " + std::string(reason));
  }
}

void Server::Loop::turn() {
  cluster_.advance_to(clock_.now());
  // A connection that ends while it is written to may leave something more to say.
  for (auto outputs = cluster_.take_output(); !outputs.empty(); outputs = cluster_.take_output()) {
    carry_out(std::move(outputs));
  }
  for (const Event& event : cluster_.take_events()) debug(event.text);
  arm_timer();
}

// Queues everything before writing anything: answers that go out together cost one write.
void Server::Loop::carry_out(std::vector<Output> outputs) {
  std::vector<std::shared_ptr<Connection>> touched;
  for (Output& output : outputs) {
    const auto found = connections_.find(output.connection);
    if (found == connections_.end()) continue;  // its client left before the answer
    Connection& connection = *found->second;
    if (output.is_close) {
      connection.close_when_flushed();
    } else {
      connection.push(std::move(output.frame));
    }
    if (touched.empty() || touched.back() != found->second) touched.push_back(found->second);
  }
  for (const auto& connection : touched) connection->flush();
}

void Server::Loop::arm_timer() {
  const std::optional<Instant> due = cluster_.next_deadline();
  // Coming too early is harmless and cheaper than setting the timer at each turn.
  if (!due || (timer_due_ && *timer_due_ <= *due)) return;
  timer_due_ = due;
  timer_.expires_at(clock_.to_steady(*due));
  timer_.async_wait([this](asio::error_code error) {
    if (error) return;
    timer_due_.reset();
    turn();
  });
}

void Server::Loop::sweep_idle() {
  idle_timer_.expires_after(idle_max_);
  idle_timer_.async_wait([this](asio::error_code error) {
    if (error) return;
    std::vector<std::shared_ptr<Connection>> idle;
    for (const auto& [id, connection] : connections_) {
      if (!connection->was_active()) idle.push_back(connection);
    }
    for (const auto& connection : idle) connection->end("idle for too long");
    sweep_idle();
  });
}

Server::Server(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Server::~Server() = default;
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;

Result<Server> Server::listen(ClusterSettings cluster, ServerSettings settings) {
  auto loop = std::make_unique<Loop>(std::move(cluster), std::move(settings));
  if (Result<void> listening = loop->listen(); !listening.ok()) return listening.error();
  return Server(std::move(loop));
}

const std::vector<Listener>& Server::listeners() const {
  return loop_->listeners();
}
void Server::run() {
  loop_->run();
}
void Server::stop() {
  loop_->stop();
}

}  // namespace fencepost::minibroker::server
