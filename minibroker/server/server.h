// The TCP front door: one thread that carries bytes and the real time into a Cluster and its
// answers out. Everything that decides is in the cluster; what is here are sockets and a timer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/cluster.h"
#include "minibroker/security/protocol_names.h"
#include "minibroker/server/fsync.h"
#include "minibroker/settings.h"
#include "protocol/base/result.h"
#include "protocol/tls/session.h"

namespace fencepost::minibroker::server {

// A door for clients, at each broker.
struct ListenerSettings {
  security::Protocol protocol = security::Protocol::plaintext;
  std::string host = "127.0.0.1";
  int port = 9092;  // of the first broker, the others follow; 0: free ones
};

// "SASL_SSL://127.0.0.1:9093". Error invalid_argument names what can stand there.
Result<ListenerSettings> parse_listener(std::string_view text);

struct ServerSettings {
  std::string host = "127.0.0.1";    // to listen on
  std::string advertised_host = {};  // what clients are told; empty: `host`
  int port = 9092;                   // of the first broker, the others follow; 0: free ones
  // Instead of `host` and `port`, if there are any; no two of the same protocol.
  std::vector<ListenerSettings> listeners = {};
  // For listeners with TLS.
  std::optional<protocol::tls::ContextSettings> tls = {};
  // How long a client may take to establish TLS.
  Duration tls_handshake_max = std::chrono::seconds(10);
  // Whether SIGINT and SIGTERM end run(); a test process has its own ideas about them.
  bool ends_on_signals = false;
  // Where the brokers keep their logs, each in a folder of its own; empty: in memory only.
  std::string data_directory = {};
  Fsync fsync = Fsync::interval;
  // Takes one line for each thing that was repaired in the data directory; may be empty.
  std::function<void(std::string_view line)> notice = {};
  // HTTP and JSON on 127.0.0.1 (control/api.h); 0: a free port.
  std::optional<int> control_port = {};
  // Time stands still until the control API advances it.
  bool has_manual_clock = false;
  // Takes one line for each connection that ends other than by its client, and each event of the
  // cluster; may be empty.
  std::function<void(std::string_view line)> debug = {};
};

struct Listener {
  int broker_id = 0;
  std::string name;  // "SASL_SSL"
  std::string host;  // as advertised
  int port = 0;
};

class Server {
 public:
  // Starts a cluster and listens for its brokers. Clients can connect from now on; they are
  // answered while run() runs.
  // Errors: invalid_argument for a host or port that cannot be; cannot_connect when a port cannot
  // be had (somebody else listens there); as Cluster::open() for the data directory. Nothing is
  // left open then.
  static Result<Server> listen(ClusterSettings cluster, ServerSettings settings);
  ~Server();
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;

  const std::vector<Listener>& listeners() const;
  // Of the control API; nothing without one.
  std::optional<int> control_port() const;

  // Serves until stop(), or a signal where it ends on them; then every socket is closed. Errors: io
  // when the data directory cannot be written; what was not answered by then may or may not be in
  // it.
  Result<void> run();
  // Makes run() return; from any thread.
  void stop();

 private:
  class Loop;
  explicit Server(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace fencepost::minibroker::server
