// The command line of `fencepost serve`, turned into a cluster's settings. It serves in this thread
// until SIGINT or SIGTERM.
#include "tools/serve.h"

#include <fmt/core.h>
#include <malloc.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/configuration.h"
#include "minibroker/era.h"
#include "minibroker/server/server.h"
#include "tools/exit_code.h"
#include "tools/security_options.h"

namespace fencepost::tools {

namespace {

using minibroker::ClusterSettings;
using minibroker::TopicSettings;
using minibroker::server::Fsync;
using minibroker::server::Server;
using minibroker::server::ServerSettings;

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::string advertised_host;
  int port = 9092;
  int broker_count = 1;
  std::string as_version = "4.4";
  std::vector<std::string> features;
  std::vector<std::string> configuration;
  std::vector<std::string> topics;
  SecurityOptions security;
  std::uint64_t seed = 1;
  std::optional<int> control_port;
  std::string clock = "real";
  std::string data_directory;
  std::string fsync = "interval";
  bool is_quiet = false;
  bool is_debug = false;
};

Fsync fsync_named(std::string_view name) {
  if (name == "always") return Fsync::always;
  return name == "never" ? Fsync::never : Fsync::interval;
}

Error invalid(std::string text) {
  return {ErrorKind::invalid_argument, std::move(text), 0, {}};
}

Result<minibroker::Era> era_named(const std::string& name) {
  if (std::optional<minibroker::Era> era = minibroker::find_era(name)) return *era;
  std::string known;
  for (const minibroker::Era& era : minibroker::eras()) {
    known += (known.empty() ? "" : ", ") + era.name;
  }
  return invalid(fmt::format("unknown Kafka version '{}'; known are {}", name, known));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

// A count of at least 1, or 0 when the text is none.
int parse_count(std::string_view text) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  return error == std::errc() && rest == end && count > 0 ? count : 0;
}

// "orders", "orders:6" or "orders:6:3": name, partitions, replicas.
Result<TopicSettings> topic_of(const std::string& text, const ClusterSettings& settings) {
  const std::vector<std::string_view> parts = split(text, ':');
  TopicSettings topic;
  topic.name = std::string(parts[0]);
  topic.partition_count = parts.size() > 1 ? parse_count(parts[1]) : settings.num_partitions;
  topic.replication_factor =
      parts.size() > 2 ? parse_count(parts[2]) : settings.default_replication_factor;
  const bool has_counts = topic.partition_count > 0 && topic.replication_factor > 0;
  if (topic.name.empty() || parts.size() > 3 || !has_counts) {
    return invalid(fmt::format(
        "'{}' is not a topic; write name, name:partitions or name:partitions:replicas", text));
  }
  if (topic.replication_factor > settings.broker_count) {
    return invalid(fmt::format("topic {} cannot have {} replicas on {} broker{}", topic.name,
                               topic.replication_factor, settings.broker_count,
                               settings.broker_count == 1 ? "" : "s"));
  }
  return topic;
}

Result<ClusterSettings> cluster_settings(const ServeOptions& options) {
  Result<minibroker::Era> era = era_named(options.as_version);
  if (!era.ok()) return era.error();
  ClusterSettings settings;
  settings.era = std::move(*era);
  settings.broker_count = options.broker_count;
  settings.seed = options.seed;
  for (const std::string& feature : options.features) {
    if (Result<void> set = minibroker::set_feature(settings, feature); !set.ok()) {
      return set.error();
    }
  }
  for (const std::string& assignment : options.configuration) {
    if (Result<void> set = minibroker::configure(settings, assignment); !set.ok()) {
      return set.error();
    }
  }
  for (const std::string& text : options.topics) {
    Result<TopicSettings> topic = topic_of(text, settings);
    if (!topic.ok()) return topic.error();
    settings.topics.push_back(std::move(*topic));
  }
  return settings;
}

// Kafka's keys that do nothing here are taken, and said so.
void warn_of_idle_keys(const ClusterSettings& settings) {
  for (const auto& [name, value] : settings.broker_config)
    if (!minibroker::takes_effect(name))
      fmt::print(stderr, "fencepost serve: {} has no effect here\n", name);
}

int report(const Error& error) {
  fmt::print(stderr, "fencepost serve: {}\n", to_string(error));
  switch (error.kind) {
    case ErrorKind::cannot_connect:
      return exit_unreachable;
    case ErrorKind::io:
      return exit_not_held;
    default:
      return exit_wrong_input;
  }
}

// The pieces that logs are held in are of this size. Left alone, glibc takes them from its heap as
// soon as the first one has been freed, and keeps a fifth more than is in use.
constexpr int own_pages_bytes = 1 << 20;
// What is free at the end of the heap is kept up to this: each large request would bring it back.
constexpr int kept_heap_bytes = 16 << 20;

int serve(const ServeOptions& options) {
  mallopt(M_MMAP_THRESHOLD, own_pages_bytes);
  mallopt(M_TRIM_THRESHOLD, kept_heap_bytes);
  Result<ClusterSettings> cluster = cluster_settings(options);
  if (!cluster.ok()) return report(cluster.error());
  warn_of_idle_keys(*cluster);
  ServerSettings settings;
  settings.host = options.host;
  settings.advertised_host = options.advertised_host;
  settings.port = options.port;
  settings.ends_on_signals = true;
  settings.data_directory = options.data_directory;
  settings.fsync = fsync_named(options.fsync);
  settings.notice = [](std::string_view line) {
    fmt::print(stderr, "fencepost serve: {}\n", line);
  };
  if (Result<void> secured = apply(options.security, *cluster, settings); !secured.ok())
    return report(secured.error());
  settings.control_port = options.control_port;
  settings.has_manual_clock = options.clock == "manual";
  if (settings.has_manual_clock && !settings.control_port)
    return report(invalid("--clock manual needs --control PORT, which moves it"));
  if (options.is_debug) {
    settings.debug = [](std::string_view line) { fmt::print(stderr, "{}\n", line); };
  }
  Result<Server> server = Server::listen(std::move(*cluster), std::move(settings));
  if (!server.ok()) return report(server.error());
  if (!options.is_quiet) {
    for (const auto& listener : server->listeners()) {
      const bool is_plain = listener.name == minibroker::security::plaintext_listener;
      fmt::print("listening on {}{}{}:{} (broker {})\n", is_plain ? "" : listener.name,
                 is_plain ? "" : "://", listener.host, listener.port, listener.broker_id);
    }
    if (const auto port = server->control_port())
      fmt::print("control API at http://127.0.0.1:{}, described at /openapi.json\n", *port);
    std::fflush(stdout);
  }
  const Result<void> ended = server->run();
  return ended.ok() ? exit_held : report(ended.error());
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command = app.add_subcommand("serve", "Run a cluster for any Kafka client over TCP");
  command
      ->add_option("--port", options->port,
                   "Port of the first broker, the others follow; 0 takes free ones")
      ->capture_default_str();
  command->add_option("--host", options->host, "Address to listen on")->capture_default_str();
  command->add_option("--advertised-host", options->advertised_host,
                      "Host that clients are told to connect to (default: --host)");
  command->add_option("--brokers", options->broker_count, "Number of brokers")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--as-version", options->as_version, "Kafka version to behave as")
      ->capture_default_str();
  command->add_option("--feature", options->features, "Feature level, as transaction.version=0")
      ->allow_extra_args(false);
  command->add_option("-c,--config", options->configuration, "Broker configuration, as key=value")
      ->allow_extra_args(false);
  command->add_option("--topic", options->topics, "Topic to create: name[:partitions[:replicas]]")
      ->allow_extra_args(false);
  add_security_options(*command, options->security);
  command->get_option("--listener")->excludes("--port")->excludes("--host");
  command->add_option(
      "--data-dir", options->data_directory,
      "Folder to keep all but users and ACLs in, broker-N for each broker (default: "
      "in memory only)");
  command
      ->add_option("--fsync", options->fsync,
                   "When an acknowledged record is on disk: always (before its answer), interval "
                   "(within a second), never (when the system likes). The end of the process "
                   "alone loses none in any of them")
      ->check(CLI::IsMember({"always", "interval", "never"}))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of every random choice")
      ->capture_default_str();
  command->add_option("--control", options->control_port,
                      "Port of the control API (HTTP and JSON, on 127.0.0.1); 0 takes a free one");
  command->add_option("--clock", options->clock, "real, or manual: moved by the control API only")
      ->check(CLI::IsMember({"real", "manual"}))
      ->capture_default_str();
  command->add_flag("--quiet", options->is_quiet, "Print nothing when ready");
  command->add_flag("--debug", options->is_debug,
                    "Print what happens in the cluster and why connections end, to stderr");
  command->callback([options, &exit_code] { exit_code = serve(*options); });
}

}  // namespace fencepost::tools
