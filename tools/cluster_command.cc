#include "tools/cluster_command.h"

#include <fmt/format.h>

#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>

#include "tools/exit_code.h"
#include "tools/scenario/values.h"

namespace fencepost::tools {

void ClusterOptions::add_to(CLI::App& app) {
  app.add_option("--bootstrap", bootstrap, "The cluster, HOST:PORT[,HOST:PORT]")->required();
  app.add_option("--timeout", timeout, "How long one request may take, as 500ms, 30s, 2m");
  app.add_option("--command-config", property_file, "Property file of a client, by Kafka's names");
  app.add_option("-X", settings, "Client setting, as security.protocol=SSL")
      ->allow_extra_args(false);
  app.add_option("--proxy", proxy, "SOCKS5 proxy to the brokers, HOST:PORT, as of ssh -D");
}

namespace {

Result<client::Configuration> configuration_of(const ClusterOptions& options) {
  client::Configuration configuration;
  if (!options.property_file.empty())
    if (Result<void> read = configuration.read_file(options.property_file); !read)
      return read.error();
  for (const std::string& setting : options.settings)
    if (Result<void> set = configuration.set(setting); !set) return set.error();
  return configuration;
}

}  // namespace

Result<std::unique_ptr<ClusterCommand>> ClusterCommand::make(const ClusterOptions& options) {
  Result<std::vector<client::Address>> addresses = client::parse_addresses(options.bootstrap);
  if (!addresses) return addresses.error();
  Result<client::Configuration> configuration = configuration_of(options);
  if (!configuration) return configuration.error();
  Result<client::ConnectionOptions> connection = configuration->connection();
  if (!connection) return connection.error();
  Result<std::optional<client::TlsOptions>> tls = configuration->tls();
  if (!tls) return tls.error();
  if (!options.timeout.empty()) {
    Result<Duration> timeout = scenario::parse_duration(options.timeout);
    if (!timeout) return Error{ErrorKind::invalid_argument, "--timeout: " + timeout.error().text};
    connection->request_timeout = *timeout;
  }
  std::unique_ptr<ClusterCommand> command(new ClusterCommand);
  client::ClusterClientOptions client_options;
  client_options.connection = std::move(*connection);
  command->transport_ = std::make_unique<client::TcpTransport>(std::move(*tls));
  if (!options.proxy.empty()) {
    Result<std::vector<client::Address>> proxy = client::parse_addresses(options.proxy);
    if (!proxy) return Error{ErrorKind::invalid_argument, "--proxy: " + proxy.error().text};
    command->transport_->use_proxy(proxy->front());
    command->bare_transport_.use_proxy(proxy->front());
  }
  command->configuration_ = std::move(*configuration);
  command->bootstrap_ = std::move(*addresses);
  command->cluster_ = std::make_unique<client::ClusterClient>(*command->transport_, command->clock_,
                                                              command->bootstrap_, client_options);
  command->listen_for_signals();
  return command;
}

std::unique_ptr<client::ClusterClient> ClusterCommand::make_client() {
  return std::make_unique<client::ClusterClient>(*transport_, clock_, bootstrap_,
                                                 cluster_->options());
}

client::Task<bool> ClusterCommand::is_anyone_listening() {
  for (const client::Address& address : bootstrap_) {
    std::string host = address.host;
    Result<std::unique_ptr<client::Channel>> channel =
        co_await bare_transport_.connect(std::move(host), address.port);
    if (channel.ok()) co_return true;
  }
  co_return false;
}

client::Task<void> ClusterCommand::wait_for_broker() {
  constexpr Duration pause = milliseconds(200);
  const Instant deadline = clock_.now() + cluster_->options().connection.request_timeout;
  while (true) {
    Result<std::shared_ptr<client::Connection>> connection = co_await cluster_->any_connection();
    if (connection.ok()) co_return Result<void>();
    if (clock_.now() >= deadline) co_return connection.error();
    // Who listens and is of no use, as without the right password, will not be in a moment either.
    Result<bool> listens = co_await is_anyone_listening();
    if (listens.ok() && *listens) co_return connection.error();
    co_await clock_.sleep_until(clock_.now() + pause);
  }
}

void ClusterCommand::listen_for_signals() {
  auto signals = std::make_shared<asio::signal_set>(io_, SIGINT, SIGTERM);
  signals->async_wait([this](const asio::error_code& error, int) {
    if (!error) is_interrupted_ = true;
  });
  signals_ = signals;
}

bool ClusterCommand::wait(Duration duration) {
  wait_until([] { return false; }, duration);
  return !is_interrupted_;
}

bool ClusterCommand::wait_until(const std::function<bool()>& done, Duration patience) {
  asio::steady_timer timer(io_, patience);
  auto is_over = std::make_shared<bool>(false);
  timer.async_wait([is_over](const asio::error_code&) { *is_over = true; });
  run_until([&done, &is_over] { return *is_over || done(); });
  return done();
}

int report_error(const std::string& command, const Error& error) {
  fmt::print(stderr, "fencepost {}: {}\n", command, error.text);
  switch (error.kind) {
    case ErrorKind::invalid_argument:
    case ErrorKind::not_encodable:
      return exit_wrong_input;
    case ErrorKind::malformed:
    case ErrorKind::unsupported_version:
    case ErrorKind::stalled:
    case ErrorKind::io:
      return exit_not_held;
    case ErrorKind::cannot_connect:
    case ErrorKind::unknown_outcome:
    case ErrorKind::closed:
      return exit_unreachable;
  }
  return exit_not_held;
}

}  // namespace fencepost::tools
