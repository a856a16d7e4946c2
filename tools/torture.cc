// `fencepost torture`: real workers, stopped, woken, cut off, killed and ended by a seeded plan;
// then every claim is checked from the topics alone.
#include "tools/torture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

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

// For a worker that is asked to end: the last commit, and leaving the group.
constexpr Duration patience_at_end = std::chrono::seconds(20);

struct Torture {
  const TortureOptions& options;
  ClusterCommand& command;
  TortureTopics topics;
  Duration duration;
  Random random;
  std::vector<std::unique_ptr<WorkerProcess>> workers;
  std::vector<std::unique_ptr<Proxy>> proxies;  // of each worker
  std::set<std::size_t> struck;                 // workers that something is being done to
  bool is_over = false;                         // no more strikes and events
  bool is_ending = false;                       // the workers have been asked to end
  bool is_interrupted = false;                  // by a person, who does not want to wait
  std::vector<std::string> broken;              // claims
  std::optional<Result<std::int64_t>> produced;

  client::Clock& clock() { return command.clock(); }
  // Before somebody looks again.
  asio::awaitable<void> pause() { co_await clock().sleep_until(clock().now() + milliseconds(20)); }
  // No longer than until an interruption.
  asio::awaitable<void> wait(Duration duration_of_it) {
    const Instant end = clock().now() + duration_of_it;
    while (clock().now() < end && !is_interrupted) co_await pause();
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
                                     topics.group,
                                     "--parent",
                                     std::to_string(getpid())};
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

// One entry of the plan.
struct Strike {
  enum class Kind { kill, end, cut_off, stop };
  Kind kind = Kind::stop;
  std::size_t worker = 0;
  // Longer than a session, so that another has taken over when it comes back.
  Duration pause{};
  Duration until_next_life{};
  bool drops_links = false;
};

// Draws the same for each kind: the plan is the seed's, whichever of it is carried out.
Strike draw_strike(Torture& torture) {
  constexpr std::array kinds{Strike::Kind::kill,    Strike::Kind::end,  Strike::Kind::cut_off,
                             Strike::Kind::cut_off, Strike::Kind::stop, Strike::Kind::stop};
  Strike strike;
  strike.worker = static_cast<std::size_t>(torture.random.below(torture.workers.size()));
  strike.kind = kinds[torture.random.below(kinds.size())];
  strike.pause = torture.moment(7'000, 12'000);
  strike.until_next_life = torture.moment(500, 2'500);
  strike.drops_links = torture.random.below(2) == 0;
  return strike;
}

asio::awaitable<void> stop_and_wake(Torture& torture, Instant begin, Strike strike) {
  WorkerProcess& process = *torture.workers[strike.worker];
  say(torture, begin, strike.worker,
      fmt::format("stopped for {} ms", to_milliseconds(strike.pause)));
  process.send(SIGSTOP);
  co_await torture.wait(strike.pause);
  process.send(SIGCONT);
  say(torture, begin, strike.worker, "woken");
}

// The worker goes on meanwhile, and believes what it knew.
asio::awaitable<void> cut_off(Torture& torture, Instant begin, Strike strike) {
  Proxy& proxy = *torture.proxies[strike.worker];
  say(torture, begin, strike.worker,
      fmt::format("cut off for {} ms", to_milliseconds(strike.pause)));
  proxy.cut();
  co_await torture.wait(strike.pause);
  proxy.heal(strike.drops_links);
  say(torture, begin, strike.worker,
      strike.drops_links ? "reached again, its connections ended"
                         : "reached again, what was sent arrives");
}

asio::awaitable<void> begin_again(Torture& torture, Instant begin, Strike strike) {
  co_await torture.wait(strike.until_next_life);
  if (torture.is_interrupted) co_return;
  Result<void> started = torture.workers[strike.worker]->start();
  say(torture, begin, strike.worker, started.ok() ? "started again" : started.error().text);
}

// A crash, or what a sanitizer found, is a broken claim as well.
void note_bad_end(Torture& torture, Instant begin, std::size_t worker) {
  std::optional<std::string> how = torture.workers[worker]->take_bad_end();
  if (!how.has_value()) return;
  say(torture, begin, worker, *how);
  torture.broken.push_back(fmt::format("worker {} {}", worker, *how));
}

asio::awaitable<void> ask_to_end(Torture& torture, std::size_t worker) {
  WorkerProcess& process = *torture.workers[worker];
  if (!process.is_asked_to_end()) process.send(SIGTERM);
  const Instant deadline = torture.clock().now() + patience_at_end;
  while (process.is_running() && torture.clock().now() < deadline) co_await torture.pause();
  if (process.is_running())
    torture.broken.push_back(fmt::format("worker {} was asked to end, and did not in {} s", worker,
                                         to_milliseconds(patience_at_end) / 1000));
}

asio::awaitable<void> kill_and_begin_again(Torture& torture, Instant begin, Strike strike) {
  WorkerProcess& process = *torture.workers[strike.worker];
  const bool is_asked = strike.kind == Strike::Kind::end;
  say(torture, begin, strike.worker, is_asked ? "asked to end" : "killed");
  if (is_asked) co_await ask_to_end(torture, strike.worker);
  process.kill_and_wait();
  note_bad_end(torture, begin, strike.worker);
  co_await begin_again(torture, begin, strike);
}

asio::awaitable<void> carry_out(Torture* torture, Instant begin, Strike strike) {
  switch (strike.kind) {
    case Strike::Kind::kill:
    case Strike::Kind::end:
      co_await kill_and_begin_again(*torture, begin, strike);
      break;
    case Strike::Kind::cut_off:
      co_await cut_off(*torture, begin, strike);
      break;
    case Strike::Kind::stop:
      co_await stop_and_wake(*torture, begin, strike);
      break;
  }
  torture->struck.erase(strike.worker);
}

// Strikes until the time is over, on one worker or several at once, never on the last one left; how
// many.
asio::awaitable<std::int64_t> strike_workers(Torture* torture, Instant begin) {
  std::int64_t strikes = 0;
  const Instant end = begin + torture->duration;
  while (torture->clock().now() < end && !torture->is_over && !torture->produced) {
    co_await torture->wait(torture->moment(300, 2'000));
    const Strike strike = draw_strike(*torture);
    const std::size_t struck_max = std::max<std::size_t>(torture->workers.size() - 1, 1);
    if (torture->struck.size() >= struck_max || torture->struck.contains(strike.worker)) continue;
    torture->struck.insert(strike.worker);
    asio::co_spawn(torture->command.io(), carry_out(torture, begin, strike), asio::detached);
    ++strikes;
  }
  while (!torture->struck.empty()) co_await torture->pause();
  co_return strikes;
}

// Starts a worker again that has ended by itself.
asio::awaitable<void> watch_workers(Torture* torture, Instant begin) {
  while (!torture->is_ending && !torture->is_interrupted) {
    for (std::size_t i = 0; i < torture->workers.size(); ++i) {
      if (torture->struck.contains(i) || torture->workers[i]->is_running()) continue;
      note_bad_end(*torture, begin, i);
      Strike restart;
      restart.worker = i;
      restart.until_next_life = std::chrono::seconds(1);
      torture->struck.insert(i);
      co_await begin_again(*torture, begin, restart);
      torture->struck.erase(i);
    }
    co_await torture->pause();
  }
}

asio::awaitable<void> end_workers(Torture& torture, Instant begin) {
  torture.is_ending = true;
  for (const auto& worker : torture.workers) worker->send(SIGTERM);
  for (std::size_t i = 0; i < torture.workers.size(); ++i) {
    co_await ask_to_end(torture, i);
    torture.workers[i]->kill_and_wait();
    note_bad_end(torture, begin, i);
  }
}

asio::awaitable<void> keep_producing(Torture* torture) {
  Result<std::int64_t> produced = co_await produce_events(
      torture->command.cluster(), torture->command.io().get_executor(), torture->topics,
      torture->options.keys, torture->options.events_per_second, torture->options.seed,
      &torture->is_over);
  torture->produced.emplace(std::move(produced));
}

Task<void> make_topics(ClusterCommand* command, TortureTopics topics) {
  Result<void> reached = co_await command->wait_for_broker();
  if (!reached) co_return reached.error();
  std::vector<std::string> names{topics.input, topics.snapshots};
  co_return co_await create_topics(command->cluster(), std::move(names), topics.partitions,
                                   topics.replicas);
}

// What is broken is in torture->broken.
Task<void> run_torture(Torture* torture) {
  for (const auto& worker : torture->workers)
    if (Result<void> started = worker->start(); !started) co_return started.error();
  asio::co_spawn(torture->command.io(), keep_producing(torture), asio::detached);
  const Instant begin = torture->clock().now();
  asio::co_spawn(torture->command.io(), watch_workers(torture, begin), asio::detached);
  const std::int64_t strikes = co_await strike_workers(torture, begin);
  torture->is_over = true;
  while (!torture->produced.has_value()) co_await torture->pause();
  if (!torture->produced->ok()) co_return torture->produced->error();
  // The last word is a worker's that has all partitions and all events.
  co_await torture->wait(std::chrono::seconds(10));
  co_await end_workers(*torture, begin);
  std::int64_t snapshots = 0;
  for (int i = 0; i < torture->topics.partitions; ++i) {
    Result<SeenPartition> seen =
        co_await read_partition(torture->command.cluster(), torture->topics, i);
    if (!seen) co_return seen.error();
    snapshots += static_cast<std::int64_t>(seen->snapshots.size());
    for (std::string& claim : broken_claims(*seen)) torture->broken.push_back(std::move(claim));
  }
  fmt::print("{} strikes, {} events, {} snapshots\n", strikes, torture->produced->value(),
             snapshots);
  co_return Result<void>();
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

// What was done so far is checked all the same.
void interrupt(Torture& torture) {
  torture.is_over = torture.is_interrupted = true;
  fmt::print("asking the workers to end; a second signal kills them\n");
  std::fflush(stdout);
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
  const std::string name = "torture-" + std::to_string(to_timestamp((*command)->clock().now())) +
                           "-" + std::to_string(getpid());
  const std::filesystem::path folder = options.log_folder.empty()
                                           ? std::filesystem::temp_directory_path() / name
                                           : std::filesystem::path(options.log_folder);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    return report_error("torture", Error{ErrorKind::io, "cannot make " + folder.string()});
  TortureTopics topics{name + "-in", name + "-state", name, options.partitions, options.replicas};
  Torture torture{options, **command, topics, *duration, Random(options.seed, "plan"),
                  {},      {},        {},     false,     false,
                  false,   {},        {}};
  if (Result<void> added = add_workers(torture, folder); !added)
    return report_error("torture", added.error());
  std::optional<Result<void>> made = (*command)->run(make_topics(command->get(), topics));
  if (!made) return exit_unreachable;
  if (!made->ok()) return report_error("torture", made->error());
  fmt::print("topics {} and {}, logs of the workers in {}\n", topics.input, topics.snapshots,
             folder.string());
  std::fflush(stdout);
  std::optional<Result<void>> ended =
      (*command)->run_to_end(run_torture(&torture), [&torture] { interrupt(torture); });
  if (!ended) return exit_unreachable;
  if (!ended->ok()) return report_error("torture", ended->error());
  return report(torture.broken);
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
