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
#include <set>
#include <thread>

#include "minibroker/server/connection.h"
#include "minibroker/server/connection_limits.h"
#include "minibroker/server/control/http.h"
#include "minibroker/server/data_directory.h"
#include "minibroker/server/saver.h"
#include "minibroker/server/wall_clock.h"

namespace fencepost::minibroker::server {

using asio::ip::tcp;

namespace {

// After running out of file descriptors, until somebody may have left.
constexpr std::chrono::milliseconds accept_retry(100);

constexpr std::chrono::seconds guest_sweep_interval(1);
// After the last request, before waiting for the next one costs no processor time.
constexpr std::chrono::microseconds wakeful_time(50);
// Above this many bytes of requests that wait for an earlier one no further request is read.
constexpr std::size_t waiting_bytes_max = 16 * 1024 * 1024;

Error invalid(std::string text) {
  return {ErrorKind::invalid_argument, std::move(text), 0, {}};
}

Error cannot_listen(const std::string& host, int port, const asio::error_code& error) {
  return {ErrorKind::cannot_connect,
          "cannot listen on " + host + ":" + std::to_string(port) + ": " + error.message(),
          0,
          {}};
}

}  // namespace

class Server::Loop final : public ConnectionOwner, public ControlledCluster {
 public:
  // `started` is the cluster of these settings; `storage` is that of its disks, if it has some.
  Loop(const ClusterSettings& cluster, Cluster started, std::shared_ptr<FileStorage> storage,
       const WallClock& clock, ServerSettings settings)
      : settings_(std::move(settings)),
        frame_bytes_max_(static_cast<std::size_t>(cluster.socket_request_max_bytes)),
        unauthenticated_bytes_max_(static_cast<std::size_t>(cluster.sasl_server_max_receive_size)),
        queued_request_bytes_max_(cluster.queued_max_request_bytes),
        idle_max_(cluster.connections_max_idle),
        limits_(static_cast<std::size_t>(cluster.max_connections), cluster.max_connections_per_ip),
        clock_(clock),
        cluster_(std::move(started)) {
    if (storage) saver_.emplace(context_, cluster_, std::move(storage), settings_.fsync);
  }

  Result<void> listen();
  Result<void> run();
  void stop() {
    asio::post(context_, [this] { context_.stop(); });
  }
  const std::vector<Listener>& listeners() const { return listeners_; }
  std::optional<int> control_port() const {
    return control_ ? std::optional(control_->port()) : std::nullopt;
  }

  Cluster& cluster() override { return cluster_; }
  Instant now() const override { return has_manual_clock() ? manual_now_ : clock_.now(); }
  bool has_manual_clock() const override { return settings_.has_manual_clock; }
  void advance(Duration duration) override { manual_now_ += duration; }

  bool may_read(const Connection& connection) override;
  void secured(Connection& connection, std::string principal) override;
  void frame_arrived(ConnectionId connection, SharedBytes frame) override {
    cluster_.receive(connection, std::move(frame), now());
  }
  std::size_t frame_bytes_max(ConnectionId connection) const override {
    return cluster_.has_to_authenticate(connection)
               ? std::min(unauthenticated_bytes_max_, frame_bytes_max_)
               : frame_bytes_max_;
  }
  void read_ended() override;
  void connection_ended(Connection& connection, std::string_view reason) override;

 private:
  struct Door {
    int broker_id;
    security::Protocol protocol;
    tcp::acceptor acceptor;
    asio::steady_timer retry;
  };

  // A client that has not established TLS yet: the cluster does not know it.
  struct Guest {
    std::shared_ptr<Connection> connection;
    int broker_id = 0;
    security::Origin origin;
    Instant until;
  };

  Result<void> listen_on(const ListenerSettings& listener);
  Result<void> open_door(int broker_id, const ListenerSettings& listener,
                         const tcp::endpoint& endpoint);
  void introduce(const std::shared_ptr<Connection>& connection, int broker_id,
                 security::Origin origin);
  void sweep_guests();
  std::size_t held_bytes() const;
  void resume_paused();
  Result<void> listen_for_control();
  void accept(Door& door);
  void accepted(Door& door, tcp::socket socket);
  void serve();
  void turn();
  void carry_out(std::vector<Output> outputs);
  void arm_timer();
  void sweep_idle();
  void debug(const std::string& line) const {
    if (settings_.debug) settings_.debug(line);
  }

  ServerSettings settings_;
  std::size_t frame_bytes_max_;
  std::size_t unauthenticated_bytes_max_;
  std::int64_t queued_request_bytes_max_;
  Duration idle_max_;
  ConnectionLimits limits_;
  WallClock clock_;
  Instant manual_now_ = clock_.now();
  Cluster cluster_;

  bool is_turn_due_ = false;

  asio::io_context context_{1};
  std::optional<Saver> saver_;
  // From the start: who reads that the server listens may end it at once.
  asio::signal_set signals_{context_};
  asio::steady_timer timer_{context_};
  std::optional<Instant> timer_due_;
  asio::steady_timer idle_timer_{context_};
  std::deque<Door> doors_;
  std::vector<Listener> listeners_;
  std::optional<protocol::tls::Context> tls_;
  asio::steady_timer guest_timer_{context_};
  std::map<const Connection*, Guest> guests_;
  std::map<ConnectionId, std::shared_ptr<Connection>> connections_;
  std::set<ConnectionId> paused_;  // they may not read until others need less memory
  std::unique_ptr<ControlServer> control_;
};

Result<void> Server::Loop::listen() {
  if (settings_.ends_on_signals) {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
  }
  std::vector<ListenerSettings> listeners = settings_.listeners;
  if (listeners.empty())
    listeners.push_back({security::Protocol::plaintext, settings_.host, settings_.port});
  std::set<security::Protocol> protocols;
  for (const ListenerSettings& listener : listeners) {
    if (!protocols.insert(listener.protocol).second)
      return invalid("there are two listeners for " + std::string(to_string(listener.protocol)));
    if (security::uses_tls(listener.protocol) && !tls_) {
      if (!settings_.tls)
        return invalid(std::string(to_string(listener.protocol)) +
                       " needs a certificate and its key");
      Result<protocol::tls::Context> context =
          protocol::tls::Context::make(protocol::tls::Context::Side::server, *settings_.tls);
      if (!context.ok()) return context.error();
      tls_ = std::move(*context);
    }
    if (Result<void> listening = listen_on(listener); !listening.ok()) return listening;
  }
  return settings_.control_port ? listen_for_control() : Result<void>{};
}

// What a request changed is carried out by the turn that follows it.
Result<void> Server::Loop::listen_for_control() {
  auto listening =
      ControlServer::listen(*settings_.control_port, *this, [this](std::function<void()> work) {
        asio::post(context_, [this, work = std::move(work)] {
          work();
          turn();
        });
      });
  if (!listening.ok()) return listening.error();
  control_ = std::move(*listening);
  return {};
}

Result<void> Server::Loop::listen_on(const ListenerSettings& listener) {
  const std::vector<int> brokers = cluster_.broker_ids();
  const int port_max = 65535 - (listener.port == 0 ? 0 : static_cast<int>(brokers.size()) - 1);
  if (listener.port < 0 || listener.port > port_max)
    return invalid("the port of the first broker has to be from 0 to " + std::to_string(port_max) +
                   ", not " + std::to_string(listener.port));
  asio::error_code error;
  const auto found = tcp::resolver(context_).resolve(listener.host, "", error);
  if (error || found.empty()) return invalid("unknown host '" + listener.host + "'");
  for (std::size_t i = 0; i < brokers.size(); ++i) {
    const int port = listener.port == 0 ? 0 : listener.port + static_cast<int>(i);
    tcp::endpoint endpoint(found.begin()->endpoint().address(),
                           static_cast<asio::ip::port_type>(port));
    if (Result<void> opened = open_door(brokers[i], listener, endpoint); !opened.ok())
      return opened;
  }
  return {};
}

Result<void> Server::Loop::open_door(int broker_id, const ListenerSettings& listener,
                                     const tcp::endpoint& endpoint) {
  asio::error_code error;
  tcp::acceptor acceptor(context_);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) return cannot_listen(listener.host, endpoint.port(), error);

  const int port = acceptor.local_endpoint(error).port();
  const std::string& host =
      settings_.advertised_host.empty() ? listener.host : settings_.advertised_host;
  const std::string name(to_string(listener.protocol));
  cluster_.set_advertised(broker_id, host, port, name);
  listeners_.push_back({broker_id, name, host, port});
  doors_.push_back(
      {broker_id, listener.protocol, std::move(acceptor), asio::steady_timer(context_)});
  return {};
}

Result<void> Server::Loop::run() {
  if (settings_.ends_on_signals)
    signals_.async_wait([this](asio::error_code error, int) {
      if (!error) context_.stop();
    });
  for (Door& door : doors_) accept(door);
  sweep_idle();
  turn();
  serve();
  control_.reset();
  doors_.clear();
  while (!guests_.empty()) std::shared_ptr(guests_.begin()->second.connection)->end("");
  while (!connections_.empty()) std::shared_ptr(connections_.begin()->second)->end("");
  if (!saver_) return {};
  saver_->save_all();
  if (saver_->failure()) return *saver_->failure();
  return {};
}

// Who has just been answered often asks again within microseconds; to wake a process that has gone
// to sleep takes longer than that. So it looks a little while before it sleeps, and leaves the core
// to whoever wants it meanwhile.
void Server::Loop::serve() {
  using Clock = std::chrono::steady_clock;
  for (Clock::time_point last = Clock::now(); !context_.stopped();) {
    if (context_.poll() == 0) {
      if (Clock::now() - last < wakeful_time) {
        std::this_thread::yield();
        continue;
      }
      context_.run_one();
    }
    last = Clock::now();
  }
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
  security::Origin origin;
  origin.address = client.address().to_string();
  origin.protocol = door.protocol;
  origin.listener = std::string(to_string(door.protocol));
  if (const std::string refusal = limits_.refusal_of(origin.address); !refusal.empty())
    return debug("refused a connection: " + refusal);
  const bool has_tls = security::uses_tls(door.protocol);
  const bool has_sasl = security::uses_sasl(door.protocol);
  const Connection::Options options{
      has_sasl ? std::min(unauthenticated_bytes_max_, frame_bytes_max_) : frame_bytes_max_,
      has_sasl, has_tls ? &*tls_ : nullptr};
  auto connection = std::make_shared<Connection>(std::move(socket), options, *this);
  limits_.add(*connection, origin.address);
  if (!has_tls) {
    introduce(connection, door.broker_id, std::move(origin));
  } else {
    const Instant until = clock_.now() + std::min(settings_.tls_handshake_max, idle_max_);
    guests_[connection.get()] = {connection, door.broker_id, std::move(origin), until};
    if (guests_.size() == 1) sweep_guests();
  }
  connection->start();
}

void Server::Loop::introduce(const std::shared_ptr<Connection>& connection, int broker_id,
                             security::Origin origin) {
  const ConnectionId id = cluster_.connect(broker_id, std::move(origin));
  connection->set_id(id);
  connections_.emplace(id, connection);
}

void Server::Loop::secured(Connection& connection, std::string principal) {
  const auto found = guests_.find(&connection);
  if (found == guests_.end()) return;
  Guest guest = std::move(found->second);
  guests_.erase(found);
  if (!principal.empty()) guest.origin.principal = "User:" + principal;
  introduce(guest.connection, guest.broker_id, std::move(guest.origin));
}

void Server::Loop::sweep_guests() {
  guest_timer_.expires_after(std::min<Duration>(guest_sweep_interval, idle_max_));
  guest_timer_.async_wait([this](asio::error_code error) {
    if (error) return;
    std::vector<std::shared_ptr<Connection>> late;
    for (const auto& [key, guest] : guests_)
      if (guest.until <= clock_.now()) late.push_back(guest.connection);
    for (const auto& connection : late) connection->end("TLS was not established in time");
    if (!guests_.empty()) sweep_guests();
  });
}

// A request that has begun to arrive may always go on: else nobody could finish one.
bool Server::Loop::may_read(const Connection& connection) {
  if (connection.id() == 0) return true;
  const bool may = cluster_.waiting_bytes(connection.id()) <= waiting_bytes_max &&
                   (queued_request_bytes_max_ < 0 || connection.pending_bytes() > 0 ||
                    held_bytes() < static_cast<std::size_t>(queued_request_bytes_max_));
  if (!may) paused_.insert(connection.id());
  return may;
}

std::size_t Server::Loop::held_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [id, connection] : connections_)
    bytes += connection->pending_bytes() + cluster_.waiting_bytes(id);
  return bytes;
}

void Server::Loop::resume_paused() {
  for (const ConnectionId id : std::exchange(paused_, {})) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    const std::shared_ptr<Connection> connection = found->second;
    connection->resume();
  }
}

void Server::Loop::connection_ended(Connection& connection, std::string_view reason) {
  if (!reason.empty())
    debug("closed connection " + std::to_string(connection.id()) + ": " + std::string(reason));
  limits_.remove(connection);
  guests_.erase(&connection);
  paused_.erase(connection.id());
  cluster_.disconnect(connection.id());
  connections_.erase(connection.id());
  // What it held is free for others.
  if (!paused_.empty()) asio::post(context_, [this] { resume_paused(); });
}

// All requests that are there are read before the turn: one save is for all of them, and a client
// that has several connections is woken once.
void Server::Loop::read_ended() {
  if (is_turn_due_) return;
  is_turn_due_ = true;
  asio::post(context_, [this] {
    is_turn_due_ = false;
    turn();
  });
}

void Server::Loop::turn() {
  cluster_.advance_to(now());
  if (saver_ && !saver_->save()) return;
  // A connection that ends while it is written to may leave something more to say.
  for (auto outputs = cluster_.take_output(); !outputs.empty(); outputs = cluster_.take_output()) {
    carry_out(std::move(outputs));
    if (saver_ && !saver_->save()) return;
  }
  if (!paused_.empty()) resume_paused();
  const std::vector<Event> events = cluster_.take_events();
  for (const Event& event : events) debug(event.text);
  if (control_) control_->turned(events);
  if (!has_manual_clock()) arm_timer();
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
  const WallClock clock;
  cluster.start = clock.now();
  std::shared_ptr<FileStorage> storage;
  Result<Cluster> started =
      start_cluster(cluster, settings.data_directory, settings.notice, storage);
  if (!started.ok()) return started.error();
  auto loop = std::make_unique<Loop>(cluster, std::move(*started), std::move(storage), clock,
                                     std::move(settings));
  if (Result<void> listening = loop->listen(); !listening.ok()) return listening.error();
  return Server(std::move(loop));
}

const std::vector<Listener>& Server::listeners() const {
  return loop_->listeners();
}
std::optional<int> Server::control_port() const {
  return loop_->control_port();
}
Result<void> Server::run() {
  return loop_->run();
}
void Server::stop() {
  loop_->stop();
}

}  // namespace fencepost::minibroker::server
