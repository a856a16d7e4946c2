// `fencepost worker`: the example service (fencing/example) against a cluster, until Ctrl-C.
#include "tools/worker.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>

#include "fencing/example/worker.h"
#include "tools/cluster_command.h"
#include "tools/exit_code.h"
#include "tools/scenario/values.h"
#include "tools/topics.h"

namespace fencepost::tools {

namespace {

using client::GroupProtocol;
using fencing::example::Fence;

const std::map<std::string, GroupProtocol> protocol_names = {
    {"eager", GroupProtocol::eager},
    {"cooperative", GroupProtocol::cooperative},
    {"consumer", GroupProtocol::consumer},
};
const std::map<std::string, Fence> fence_names = {
    {"generation", Fence::generation},
    {"none", Fence::none},
};

struct WorkerCommandOptions {
  ClusterOptions cluster;
  std::string group;
  std::string input;
  std::string snapshots;
  std::string instance_id;
  std::string commit_interval = "5s";
  std::string session_timeout = "45s";
  std::string transaction_timeout = "60s";
  std::string prefix = "fencepost";
  std::size_t cap = 256;
  std::string protocol = "eager";
  std::string fence = "generation";
  int parent = 0;  // without which it does not live; 0: it does
};

Result<Duration> duration_of(const std::string& option, const std::string& text) {
  Result<Duration> duration = scenario::parse_duration(text);
  if (!duration) return Error{ErrorKind::invalid_argument, option + ": " + duration.error().text};
  return duration;
}

Result<fencing::example::WorkerOptions> worker_options(const WorkerCommandOptions& options) {
  const Result<Duration> commit = duration_of("--commit-interval", options.commit_interval);
  if (!commit) return commit.error();
  const Result<Duration> session = duration_of("--session-timeout", options.session_timeout);
  if (!session) return session.error();
  const Result<Duration> timeout =
      duration_of("--transaction-timeout", options.transaction_timeout);
  if (!timeout) return timeout.error();
  fencing::example::WorkerOptions worker;
  client::GroupMemberOptions& member = worker.membership.member;
  member.group_id = options.group;
  member.topics.push_back(options.input);
  member.session_timeout = *session;
  member.rebalance_timeout = std::max(*session, Duration(std::chrono::seconds(60)));
  if (!options.instance_id.empty()) member.group_instance_id = options.instance_id;
  worker.membership.protocol = protocol_names.at(options.protocol);
  worker.membership.heartbeat_interval = std::min(*session / 3, Duration(std::chrono::seconds(3)));
  // Two members must not draw the same member id.
  std::uint64_t seed = 0;
  CHECK(getrandom(&seed, sizeof seed, 0) == static_cast<ssize_t>(sizeof seed));
  worker.membership.seed = seed;
  worker.snapshot_topic = options.snapshots;
  worker.owner.transactional_id_prefix = options.prefix;
  worker.owner.transaction_timeout = *timeout;
  worker.owner.commit_interval = *commit;
  worker.owner.cap = options.cap;
  worker.fence = fence_names.at(options.fence);
  worker.notice = [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  return worker;
}

// From now on the death of the parent is ours, a stopped process's as well. False: it has died
// already.
bool dies_with(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == parent;
}

int run(const WorkerCommandOptions& options) {
  if (options.parent > 0 && !dies_with(options.parent))
    return report_error("worker", Error{ErrorKind::io, "process " + std::to_string(options.parent) +
                                                           " is not the parent"});
  Result<fencing::example::WorkerOptions> worker_result = worker_options(options);
  if (!worker_result) return report_error("worker", worker_result.error());
  Result<std::unique_ptr<ClusterCommand>> command = ClusterCommand::make(options.cluster);
  if (!command) return report_error("worker", command.error());
  Result<client::TransactionalProducerOptions> producer = (*command)->producer_options();
  if (!producer) return report_error("worker", producer.error());
  worker_result->owner.pipeline = producer->pipeline;
  worker_result->owner.pipeline.seed = worker_result->membership.seed;
  const std::unique_ptr<client::ClusterClient> data = (*command)->make_client();
  for (const std::string& topic : {options.input, options.snapshots})
    if (const auto exit_code = exit_if_missing(**command, "worker", {topic, 0})) return *exit_code;
  fencing::example::Worker worker((*command)->io().get_executor(), (*command)->cluster(), *data,
                                  std::move(*worker_result));
  std::optional<Result<void>> ended = (*command)->run_to_end(worker.run(), [&worker] {
    fmt::print("giving the partitions up; a second signal ends at once\n");
    std::fflush(stdout);
    worker.stop();
  });
  if (!ended) return exit_unreachable;
  if (!ended->ok()) return report_error("worker", ended->error());
  return exit_held;
}

}  // namespace

void add_worker(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<WorkerCommandOptions>();
  CLI::App* worker = app.add_subcommand(
      "worker", "Run the example service: fold events into per-key state, one writer a partition");
  options->cluster.add_to(*worker);
  worker->add_option("--group", options->group, "Consumer group")->required();
  worker->add_option("--input", options->input, "Topic with the events")->required();
  worker
      ->add_option("--snapshots", options->snapshots,
                   "Topic for the snapshots, with as many partitions")
      ->required();
  worker->add_option("--protocol", options->protocol, "eager, cooperative or consumer")
      ->check(CLI::IsMember(protocol_names))
      ->capture_default_str();
  worker->add_option("--instance-id", options->instance_id, "Be a static member");
  worker->add_option("--transactional-id-prefix", options->prefix, "Of the producers")
      ->capture_default_str();
  worker->add_option("--commit-interval", options->commit_interval, "Between moves of the offset")
      ->capture_default_str();
  worker->add_option("--session-timeout", options->session_timeout, "Of the group member")
      ->capture_default_str();
  worker->add_option("--transaction-timeout", options->transaction_timeout, "Of the producers")
      ->capture_default_str();
  worker->add_option("--cap", options->cap, "Snapshots a transaction; 0: no cap")
      ->capture_default_str();
  worker
      ->add_option("--fence", options->fence,
                   "generation, or none: the plain design, which loses snapshots")
      ->check(CLI::IsMember(fence_names))
      ->capture_default_str();
  worker->add_option("--parent", options->parent)->group("");  // how torture begins one
  worker->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fencepost::tools
