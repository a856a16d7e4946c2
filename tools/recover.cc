// `fencepost recover`: the newest committed value of each key of a snapshot topic's partition,
// complete up to the high watermark, or a loud failure that says why it is not.
#include "tools/recover.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "fencing/recover_snapshots.h"
#include "tools/cluster_command.h"
#include "tools/exit_code.h"
#include "tools/scenario/values.h"
#include "tools/topics.h"

namespace fencepost::tools {

namespace {

struct RecoverOptions {
  ClusterOptions cluster;
  std::string partition;
  std::string stall_timeout = "3m";
  std::string output;
};

// The text itself where it is UTF-8, else {"base64": ...}: nothing of a value may be lost.
nlohmann::ordered_json json_of(std::string_view text) {
  nlohmann::ordered_json value = std::string(text);
  try {
    static_cast<void>(value.dump());
    return value;
  } catch (const nlohmann::json::exception&) {
    return {{"base64", to_base64(as_bytes(text))}};
  }
}

std::string to_json_lines(const fencing::Recovery& recovery) {
  std::string text;
  for (const auto& [key, value] : recovery.snapshots) {
    nlohmann::ordered_json line;
    line["key"] = json_of(key);
    line["value"] = json_of(value.text());
    text += line.dump() + "\n";
  }
  return text;
}

void show_progress(const fencing::RecoveryProgress& progress) {
  fmt::print(stderr, "\rread {} of {}", progress.position, progress.target);
  if (progress.position >= progress.target) fmt::print(stderr, "\n");
}

fencing::RecoveryOptions recovery_options(Duration stall_timeout) {
  fencing::RecoveryOptions options;
  options.stall_timeout = stall_timeout;
  options.on_warning = [](const std::string& text) {
    fmt::print(stderr, "fencepost recover: {}\n", text);
  };
  if (isatty(STDERR_FILENO) != 0) options.on_progress = show_progress;
  return options;
}

int refuse(std::string text) {
  return report_error("recover", Error{ErrorKind::invalid_argument, std::move(text)});
}

int write_out(const RecoverOptions& options, const fencing::Recovery& recovery) {
  const std::string lines = to_json_lines(recovery);
  if (options.output.empty()) {
    fmt::print("{}", lines);
  } else {
    std::ofstream file(options.output, std::ios::binary);
    file << lines;
    file.close();
    if (!file)
      return report_error("recover", Error{ErrorKind::io, "cannot write " + options.output});
  }
  fmt::print(stderr, "{} keys from {} records up to offset {}\n", recovery.snapshots.size(),
             recovery.records_read, recovery.target);
  return exit_held;
}

// A recovery waits for what may come back; that is not what a mistyped name needs.
client::Task<fencing::Recovery> recover(client::ClusterClient& cluster,
                                        client::TopicPartition partition,
                                        fencing::RecoveryOptions options) {
  Result<void> exists = co_await require_partition(cluster, partition);
  if (!exists) co_return exists.error();
  co_return co_await fencing::recover_snapshots(cluster, std::move(partition), std::move(options));
}

int run(const RecoverOptions& options) {
  const auto parsed = scenario::parse_partition(options.partition);
  if (!parsed) return refuse("'" + options.partition + "' is not TOPIC-PARTITION, as state-0");
  const Result<Duration> stall_timeout = scenario::parse_duration(options.stall_timeout);
  if (!stall_timeout) return refuse("--stall-timeout: " + stall_timeout.error().text);
  Result<std::unique_ptr<ClusterCommand>> command = ClusterCommand::make(options.cluster);
  if (!command) return report_error("recover", command.error());
  const client::TopicPartition partition{parsed->topic, parsed->partition};
  std::optional<Result<fencing::Recovery>> recovery =
      (*command)->run(recover((*command)->cluster(), partition, recovery_options(*stall_timeout)));
  if (!recovery) return exit_unreachable;
  if (!recovery->ok()) return report_error("recover", recovery->error());
  return write_out(options, **recovery);
}

}  // namespace

void add_recover(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RecoverOptions>();
  CLI::App* recover = app.add_subcommand(
      "recover", "Read a snapshot topic to its high watermark; the latest value of each key");
  options->cluster.add_to(*recover);
  recover->add_option("partition", options->partition, "TOPIC-PARTITION, as state-0")->required();
  recover
      ->add_option("--stall-timeout", options->stall_timeout,
                   "Fail when nothing advances for so long")
      ->capture_default_str();
  recover->add_option("--output", options->output, "Write the JSON lines to this file");
  recover->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fencepost::tools
