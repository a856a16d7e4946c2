// What every subcommand that talks to a cluster shares: where the cluster is, the client, and a
// coroutine run to its end in this thread.
#pragma once

#include <CLI/CLI.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cluster_client.h"
#include "client/configuration.h"
#include "client/system_clock.h"
#include "client/tcp_transport.h"
#include "client/transactional_producer.h"

namespace fencepost::tools {

struct ClusterOptions {
  std::string bootstrap;
  std::string timeout;  // of one request; empty: request.timeout.ms, 30 s unless it is set
  std::string property_file;
  std::vector<std::string> settings;  // key=value; they win over the file
  std::string proxy;                  // HOST:PORT of a SOCKS5 proxy; empty: none

  // Adds --bootstrap, --timeout, --command-config, -X and --proxy to a subcommand.
  void add_to(CLI::App& app);
};

// One client of one cluster for the time of a command.
class ClusterCommand {
 public:
  // Errors: invalid_argument names the option or key that is wrong, io the file.
  static Result<std::unique_ptr<ClusterCommand>> make(const ClusterOptions& options);

  client::ClusterClient& cluster() { return *cluster_; }
  client::SystemClock& clock() { return clock_; }

  // Runs the coroutine until it ends, or SIGINT or SIGTERM does: nothing then.
  template <class T>
  std::optional<Result<T>> run(client::Task<T> task) {
    std::optional<Result<T>> result;
    asio::co_spawn(io_, keep(std::move(task), &result), asio::detached);
    run_until([&result] { return result.has_value(); });
    return result;
  }

  // Runs the coroutine to its end. On SIGINT or SIGTERM `on_interrupt` is called, once, and should
  // make it end; a second signal ends at once: nothing then.
  template <class T>
  std::optional<Result<T>> run_to_end(client::Task<T> task, std::function<void()> on_interrupt) {
    std::optional<Result<T>> result;
    asio::co_spawn(io_, keep(std::move(task), &result), asio::detached);
    run_until([&result] { return result.has_value(); });
    if (result.has_value()) return result;
    is_interrupted_ = false;
    listen_for_signals();
    on_interrupt();
    run_until([&result] { return result.has_value(); });
    return result;
  }

  // Until a broker answers. One whose port nobody listens on yet may be starting: it is tried again
  // for the time of a request. Errors as of any connection.
  client::Task<void> wait_for_broker();
  // Another client of the same cluster; it ends with this.
  std::unique_ptr<client::ClusterClient> make_client();
  asio::io_context& io() { return io_; }
  // By -X and --command-config. Error invalid_argument when they do not fit each other.
  Result<client::TransactionalProducerOptions> producer_options() const {
    return configuration_.producer();
  }

  // Lets the time pass. False when SIGINT or SIGTERM came meanwhile.
  bool wait(Duration duration);
  // Lets at most that much time pass, until `done` says so; what `done` says then.
  bool wait_until(const std::function<bool()>& done, Duration patience);
  // Whether SIGINT or SIGTERM came.
  bool is_interrupted() const { return is_interrupted_; }

 private:
  ClusterCommand() = default;
  template <class T>
  static asio::awaitable<void> keep(client::Task<T> task, std::optional<Result<T>>* result) {
    result->emplace(co_await std::move(task));
  }
  template <class Done>
  void run_until(Done done) {
    io_.restart();
    while (!done() && !is_interrupted_ && io_.run_one() > 0) continue;
  }
  client::Task<bool> is_anyone_listening();
  void listen_for_signals();

  asio::io_context io_{1};
  client::SystemClock clock_;
  client::Configuration configuration_;
  std::vector<client::Address> bootstrap_;
  std::unique_ptr<client::TcpTransport> transport_;
  client::TcpTransport bare_transport_;  // without TLS
  std::unique_ptr<client::ClusterClient> cluster_;
  bool is_interrupted_ = false;
  std::shared_ptr<void> signals_;
};

// Prints "fencepost NAME: ..." and answers the exit code that belongs to the error.
int report_error(const std::string& command, const Error& error);

}  // namespace fencepost::tools
