// `fencepost torture`: real workers, stopped, woken, cut off, killed and ended by a seeded plan;
// then every claim is checked from the topics alone.
#include "tools/torture.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "tools/cluster_command.h"
#include "tools/exit_code.h"
#include "tools/scenario/values.h"
#include "tools/topics.h"
#include "tools/torture/proxy.h"
#include "tools/torture/topics.h"
#include "tools/torture/worker_process.h"

namespace fencepost::tools {

namespace {

using client::Task;

struct TortureOptions {
  ClusterOptions cluster;
  std::string duration = "60s";
  std::string protocol = "eager";
  std::string fence = "generation";
  std::string log_folder;
  std::uint64_t seed = 1;
  int workers = 3;
  int partitions = 4;
  int replicas = 1;
  int keys = 20;
  int events_per_second = 200;
};

struct Torture {
  const TortureOptions& options;
  ClusterCommand& command;
  TortureTopics topics;
  Duration duration;
  Random random;
  std::vector<std::unique_ptr<WorkerProcess>> workers;
  std::vector<std::unique_ptr<Proxy>> proxies;  // of each worker
  bool is_over = false;                         // no more events
  std::optional<Result<std::int64_t>> produced;

  client::Clock& clock() { return command.clock(); }
  asio::awaitable<void> wait(Duration duration_of_it) {
    co_await clock().sleep_until(clock().now() + duration_of_it);
  }
  // A moment from `from` to `to`, in milliseconds.
  Duration moment(std::int64_t from, std::int64_t to) {
    return milliseconds(
        from + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(to - from))));
  }
};

std::vector<std::string> worker_arguments(const TortureOptions& options,
                                          const TortureTopics& topics,
                                          const client::Address& proxy) {
  std::vector<std::string> arguments{"fencepost",
                                     "worker",
                                     "--bootstrap",
                                     options.cluster.bootstrap,
                                     "--group",
                                     topics.group,
                                     "--input",
                                     topics.input,
                                     "--snapshots",
                                     topics.snapshots,
                                     "--protocol",
                                     options.protocol,
                                     "--fence",
                                     options.fence,
                                     "--session-timeout",
                                     "6s",
                                     "--proxy",
                                     to_string(proxy),
                                     "--commit-interval",
                                     "500ms",
                                     "--transaction-timeout",
                                     "10s",
                                     "--transactional-id-prefix",
                                     topics.group};
  if (!options.cluster.property_file.empty()) {
    arguments.push_back("--command-config");
    arguments.push_back(options.cluster.property_file);
  }
  for (const std::string& setting : options.cluster.settings) {
    arguments.push_back("-X");
    arguments.push_back(setting);
  }
  return arguments;
}

void say(Torture& torture, Instant begin, std::size_t worker, const std::string& what) {
  const double seconds = std::chrono::duration<double>(torture.clock().now() - begin).count();
  fmt::print("{:7.1f}s  worker {} {}\n", seconds, worker, what);
  std::fflush(stdout);
}

// Longer than a session, so that another has taken over when it wakes.
asio::awaitable<void> stop_and_wake(Torture& torture, Instant begin, std::size_t worker) {
  const Duration pause = torture.moment(7'000, 12'000);
  say(torture, begin, worker, fmt::format("stopped for {} ms", to_milliseconds(pause)));
  torture.workers[worker]->send(SIGSTOP);
  co_await torture.wait(pause);
  torture.workers[worker]->send(SIGCONT);
  say(torture, begin, worker, "woken");
}

// As long as a stop; but the worker goes on meanwhile, and believes what it knew.
asio::awaitable<void> cut_off(Torture& torture, Instant begin, std::size_t worker) {
  const Duration pause = torture.moment(7'000, 12'000);
  const bool drops_links = torture.random.below(2) == 0;
  say(torture, begin, worker, fmt::format("cut off for {} ms", to_milliseconds(pause)));
  torture.proxies[worker]->cut();
  co_await torture.wait(pause);
  torture.proxies[worker]->heal(drops_links);
  say(torture, begin, worker,
      drops_links ? "reached again, its connections ended"
                  : "reached again, what was sent arrives");
}

asio::awaitable<void> begin_again(Torture& torture, Instant begin, std::size_t worker) {
  co_await torture.wait(torture.moment(500, 2'500));
  Result<void> started = torture.workers[worker]->start();
  say(torture, begin, worker, started.ok() ? "started again" : started.error().text);
}

asio::awaitable<void> strike(Torture& torture, Instant begin, std::size_t worker) {
  WorkerProcess& process = *torture.workers[worker];
  switch (torture.random.below(6)) {
    case 0:
      process.kill_and_wait();
      say(torture, begin, worker, "killed");
      co_return co_await begin_again(torture, begin, worker);
    case 1:
      process.send(SIGTERM);
      say(torture, begin, worker, "asked to end");
      for (int i = 0; i < 200 && process.is_running(); ++i) co_await torture.wait(milliseconds(50));
      process.kill_and_wait();
      co_return co_await begin_again(torture, begin, worker);
    case 2:
    case 3:
      co_return co_await cut_off(torture, begin, worker);
    default:
      co_return co_await stop_and_wake(torture, begin, worker);
  }
}

asio::awaitable<void> end_workers(Torture& torture) {
  for (const auto& worker : torture.workers) worker->send(SIGTERM);
  for (const auto& worker : torture.workers) {
    for (int i = 0; i < 400 && worker->is_running(); ++i) co_await torture.wait(milliseconds(50));
    worker->kill_and_wait();
  }
}

asio::awaitable<void> keep_producing(Torture* torture) {
  Result<std::int64_t> produced = co_await produce_events(
      torture->command.cluster(), torture->command.io().get_executor(), torture->topics,
      torture->options.keys, torture->options.events_per_second, torture->options.seed,
      &torture->is_over);
  torture->produced.emplace(std::move(produced));
}

// The broken claims of all partitions.
Task<std::vector<std::string>> run_torture(Torture* torture) {
  std::vector<std::string> names{torture->topics.input, torture->topics.snapshots};
  Result<void> created =
      co_await create_topics(torture->command.cluster(), std::move(names),
                             torture->topics.partitions, torture->topics.replicas);
  if (!created) co_return created.error();
  for (const auto& worker : torture->workers)
    if (Result<void> started = worker->start(); !started) co_return started.error();
  asio::co_spawn(torture->command.io(), keep_producing(torture), asio::detached);
  const Instant begin = torture->clock().now();
  std::int64_t strikes = 0;
  while (torture->clock().now() < begin + torture->duration && !torture->produced) {
    co_await torture->wait(torture->moment(300, 2'000));
    const auto worker = static_cast<std::size_t>(torture->random.below(torture->workers.size()));
    co_await strike(*torture, begin, worker);
    ++strikes;
  }
  torture->is_over = true;
  while (!torture->produced.has_value()) co_await torture->wait(milliseconds(20));
  if (!torture->produced->ok()) co_return torture->produced->error();
  // The last word is a worker's that has all partitions and all events.
  co_await torture->wait(std::chrono::seconds(10));
  co_await end_workers(*torture);
  std::vector<std::string> broken;
  std::int64_t snapshots = 0;
  for (int i = 0; i < torture->topics.partitions; ++i) {
    Result<SeenPartition> seen =
        co_await read_partition(torture->command.cluster(), torture->topics, i);
    if (!seen) co_return seen.error();
    snapshots += static_cast<std::int64_t>(seen->snapshots.size());
    for (std::string& claim : broken_claims(*seen)) broken.push_back(std::move(claim));
  }
  fmt::print("{} strikes, {} events, {} snapshots\n", strikes, torture->produced->value(),
             snapshots);
  co_return broken;
}

// Each behind a proxy of its own; none runs yet.
Result<void> add_workers(Torture& torture, const std::filesystem::path& folder) {
  for (int i = 0; i < torture.options.workers; ++i) {
    auto proxy = std::make_unique<Proxy>(torture.command.io().get_executor());
    Result<client::Address> address = proxy->listen();
    if (!address) return address.error();
    torture.proxies.push_back(std::move(proxy));
    torture.workers.push_back(
        std::make_unique<WorkerProcess>(worker_arguments(torture.options, torture.topics, *address),
                                        folder / ("worker-" + std::to_string(i) + ".log")));
  }
  return {};
}

int report(const std::vector<std::string>& broken) {
  for (const std::string& claim : broken) fmt::print("BROKEN  {}\n", claim);
  if (broken.empty()) fmt::print("every claim holds\n");
  return broken.empty() ? exit_held : exit_not_held;
}

int run(const TortureOptions& options) {
  const Result<Duration> duration = scenario::parse_duration(options.duration);
  if (!duration)
    return report_error("torture",
                        Error{ErrorKind::invalid_argument, "--duration: " + duration.error().text});
  Result<std::unique_ptr<ClusterCommand>> command = ClusterCommand::make(options.cluster);
  if (!command) return report_error("torture", command.error());
  const std::string name = "torture-" + std::to_string(to_timestamp((*command)->clock().now()));
  const std::filesystem::path folder = options.log_folder.empty()
                                           ? std::filesystem::temp_directory_path() / name
                                           : std::filesystem::path(options.log_folder);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    return report_error("torture", Error{ErrorKind::io, "cannot make " + folder.string()});
  TortureTopics topics{name + "-in", name + "-state", name, options.partitions, options.replicas};
  Torture torture{options, **command, topics, *duration, Random(options.seed, "plan"),
                  {},      {},        false,  {}};
  if (Result<void> added = add_workers(torture, folder); !added)
    return report_error("torture", added.error());
  fmt::print("topics {} and {}, logs of the workers in {}\n", topics.input, topics.snapshots,
             folder.string());
  std::optional<Result<std::vector<std::string>>> broken = (*command)->run(run_torture(&torture));
  if (!broken) return exit_unreachable;
  if (!broken->ok()) return report_error("torture", broken->error());
  return report(**broken);
}

}  // namespace

void add_torture(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TortureOptions>();
  CLI::App* torture = app.add_subcommand("torture",
                                         "Stop, cut off and kill real workers by a seeded plan, "
                                         "then check every claim from the topics");
  options->cluster.add_to(*torture);
  torture->add_option("--duration", options->duration, "How long")->capture_default_str();
  torture->add_option("--seed", options->seed, "Of the plan and the events")->capture_default_str();
  torture->add_option("--workers", options->workers, "Processes")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  torture->add_option("--partitions", options->partitions, "Of each topic")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  torture->add_option("--replicas", options->replicas, "Of each partition")->capture_default_str();
  torture->add_option("--keys", options->keys, "Different ones")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  torture->add_option("--events-per-second", options->events_per_second, "Over all partitions")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  torture->add_option("--protocol", options->protocol, "eager, cooperative or consumer")
      ->check(CLI::IsMember({"eager", "cooperative", "consumer"}))
      ->capture_default_str();
  torture->add_option("--fence", options->fence, "generation, or none to see the corruption")
      ->check(CLI::IsMember({"generation", "none"}))
      ->capture_default_str();
  torture->add_option("--logs", options->log_folder, "Folder for what the workers print");
  torture->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fencepost::tools
