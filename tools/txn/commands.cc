#include "tools/txn/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "client/hanging_transactions.h"
#include "client/retry.h"
#include "client/transactional_session.h"
#include "tools/exit_code.h"
#include "tools/scenario/values.h"
#include "tools/topics.h"
#include "tools/txn/tables.h"

namespace fencepost::tools {

namespace {

using client::TopicPartition;
using protocol::ErrorCode;

// Ctrl-C before the answer came: nothing is known, as when the cluster does not answer.
constexpr int exit_interrupted = exit_unreachable;

int refuse(std::string text) {
  return report_error("txn", Error{ErrorKind::invalid_argument, std::move(text)});
}

int report_refusal(const std::string& what, ErrorCode code, const std::string& advice = {}) {
  fmt::print(stderr, "fencepost txn: {}: {}{}\n", what, to_string(code), advice);
  return exit_not_held;
}

void print(const TxnOptions& options, const Table& table) {
  fmt::print("{}", options.is_json ? to_json_lines(table) : to_text(table));
  std::fflush(stdout);
}

std::int64_t wall_clock_ms(ClusterCommand& command) {
  return to_timestamp(command.clock().now());
}

// What the cluster answered, or the exit code that says why it did not; that is reported by then.
template <class T>
struct Asked {
  std::optional<T> answer;
  int exit_code = exit_held;

  explicit operator bool() const { return answer.has_value(); }
  const T& operator*() const { return *answer; }
  const T* operator->() const { return &*answer; }
};

template <class T>
Asked<T> ask(ClusterCommand& command, const std::string& name, client::Task<T> task) {
  std::optional<Result<T>> result = command.run(std::move(task));
  if (!result) return {std::nullopt, exit_interrupted};
  if (!result->ok()) return {std::nullopt, report_error(name, result->error())};
  return {std::move(**result), exit_held};
}

// Runs `step` once, or again and again until Ctrl-C when --watch is given.
template <class Step>
int run_watched(const TxnOptions& options, Step step) {
  Result<std::unique_ptr<ClusterCommand>> command = ClusterCommand::make(options.cluster);
  if (!command) return report_error("txn", command.error());
  if (options.watch.empty()) return step(**command);
  const Result<Duration> pause = scenario::parse_duration(options.watch);
  if (!pause) return refuse("--watch: " + pause.error().text);
  int exit_code = exit_held;
  do exit_code = step(**command);
  while (exit_code != exit_wrong_input && (*command)->wait(*pause));
  return exit_code;
}

template <class Step>
int run_once(const TxnOptions& options, Step step) {
  Result<std::unique_ptr<ClusterCommand>> command = ClusterCommand::make(options.cluster);
  if (!command) return report_error("txn", command.error());
  return step(**command);
}

int list_once(const TxnOptions& options, ClusterCommand& command) {
  const auto listed =
      ask(command, "txn list", client::list_transactions(command.cluster(), options.filter));
  if (!listed) return listed.exit_code;
  int exit_code = exit_held;
  for (const auto& coordinator : *listed) {
    if (coordinator.error_code != ErrorCode::none)
      exit_code = report_refusal(fmt::format("broker {}", coordinator.broker_id),
                                 coordinator.error_code, "; its transactions are missing here");
    if (!coordinator.unknown_states.empty())
      return refuse("--state: the brokers know no state " + coordinator.unknown_states.front() +
                    "; Kafka's are Empty, Ongoing, PrepareCommit, PrepareAbort, CompleteCommit, "
                    "CompleteAbort, Dead, PrepareEpochFence");
  }
  print(options, list_table(*listed));
  return exit_code;
}

int find_hanging_once(const TxnOptions& options, const client::HangingScope& scope,
                      ClusterCommand& command) {
  const std::int64_t now_ms = wall_clock_ms(command);
  const auto search = ask(command, "txn find-hanging",
                          client::find_hanging_transactions(command.cluster(), scope, now_ms));
  if (!search) return search.exit_code;
  int exit_code = search->found.empty() ? exit_held : exit_not_held;
  for (const auto& partition : search->could_not_ask)
    exit_code = report_refusal(to_string(partition.partition), partition.error_code,
                               "; what is open there is not known");
  print(options, hanging_table(search->found, now_ms));
  if (!options.is_json)
    fmt::print("{} partitions searched, {} open transactions, {} hanging\n",
               search->partitions_searched, search->open_transactions, search->found.size());
  return exit_code;
}

// Minutes as a plain number, as Kafka's tool takes them, or a duration with its unit.
Result<Duration> parse_age(const std::string& text) {
  if (const std::optional<std::int64_t> minutes = scenario::parse_integer(text))
    return Duration(std::chrono::minutes(std::max<std::int64_t>(*minutes, 0)));
  return scenario::parse_duration(text);
}

client::Task<protocol::InitProducerIdResponse> init_once(client::TransactionalSession* session,
                                                         bool fresh_lookup) {
  client::ProducerOverrides overrides;
  overrides.call.fresh_lookup = fresh_lookup;
  co_return co_await session->init_producer_id(std::chrono::seconds(60), overrides);
}

int fence(const TxnOptions& options, ClusterCommand& command, const std::string& id) {
  if (!options.is_confirmed) {
    fmt::print("would fence the producer of {}; --yes does it\n", id);
    return exit_held;
  }
  // A cluster out of reach is told at once, a coordinator that moves is waited for.
  const auto reached = ask(command, "txn fence", command.cluster().any_connection());
  if (!reached) return reached.exit_code;
  client::TransactionalSession session(command.cluster(), id);
  client::RetryPolicy policy;
  policy.time_max = command.cluster().options().connection.request_timeout;
  const auto seed = static_cast<std::uint64_t>(wall_clock_ms(command));
  const auto fenced = ask(command, "txn fence",
                          client::run_with_retries<protocol::InitProducerIdResponse>(
                              command.clock(), policy, seed, [&session](bool fresh_lookup) {
                                return init_once(&session, fresh_lookup);
                              }));
  if (!fenced) return fenced.exit_code;
  if (fenced->error_code != ErrorCode::none)
    return report_refusal("fencing " + id, fenced->error_code);
  fmt::print("fenced {}: producer id {}, epoch {}\n", id, fenced->producer_id,
             fenced->producer_epoch);
  return exit_held;
}

int abort_by_id(const TxnOptions& options, ClusterCommand& command) {
  const std::string& id = *options.transactional_id;
  const auto described =
      ask(command, "txn abort", client::describe_transaction(command.cluster(), id));
  if (!described) return described.exit_code;
  const auto& state = described->state;
  if (state.error_code != ErrorCode::none) return report_refusal(id, state.error_code);
  if (state.transaction_state != "Ongoing") {
    fmt::print("{} is {}: it has no open transaction\n", id, state.transaction_state);
    return exit_not_held;
  }
  return fence(options, command, id);
}

int abort_on_partition(const TxnOptions& options, ClusterCommand& command) {
  const TopicPartition partition{*options.topic, *options.partition};
  if (const auto exit_code = exit_if_missing(command, "txn abort", partition)) return *exit_code;
  const auto described =
      ask(command, "txn abort",
          client::describe_producers(command.cluster(), std::vector<TopicPartition>{partition}));
  if (!described) return described.exit_code;
  const client::PartitionProducers& answer = described->front();
  if (answer.error_code != ErrorCode::none)
    return report_refusal(to_string(partition), answer.error_code);
  const auto open = std::ranges::find(answer.producers, *options.start_offset,
                                      &client::ActiveProducer::current_txn_start_offset);
  if (open == answer.producers.end()) {
    fmt::print(stderr, "fencepost txn abort: no transaction of {} begins at offset {}\n",
               to_string(partition), *options.start_offset);
    return exit_not_held;
  }
  client::AbortMarker marker;
  marker.partition = partition;
  marker.producer_id = open->producer_id;
  marker.producer_epoch = static_cast<std::int16_t>(open->producer_epoch);
  // A producer that no coordinator has ended a transaction of has none yet.
  marker.coordinator_epoch = std::max(open->coordinator_epoch, 0);
  const std::string what = fmt::format(
      "an abort marker to {} for producer id {}, epoch {}, coordinator epoch {}",
      to_string(partition), marker.producer_id, marker.producer_epoch, marker.coordinator_epoch);
  if (!options.is_confirmed) {
    fmt::print("would write {}; --yes does it\n", what);
    return exit_held;
  }
  const auto written =
      ask(command, "txn abort", client::write_abort_marker(command.cluster(), marker));
  if (!written) return written.exit_code;
  if (*written != ErrorCode::none) return report_refusal("writing " + what, *written);
  fmt::print("wrote {}\n", what);
  return exit_held;
}

}  // namespace

int list_transactions(const TxnOptions& options) {
  return run_watched(options, [&](ClusterCommand& command) { return list_once(options, command); });
}

int describe_transaction(const TxnOptions& options) {
  return run_once(options, [&](ClusterCommand& command) {
    const auto described =
        ask(command, "txn describe",
            client::describe_transaction(command.cluster(), *options.transactional_id));
    if (!described) return described.exit_code;
    if (described->state.error_code != ErrorCode::none)
      return report_refusal(*options.transactional_id, described->state.error_code);
    print(options, describe_table({*described}, wall_clock_ms(command)));
    return exit_held;
  });
}

int describe_producers(const TxnOptions& options) {
  return run_once(options, [&](ClusterCommand& command) {
    const TopicPartition partition{*options.topic, *options.partition};
    if (const auto exit_code = exit_if_missing(command, "txn describe-producers", partition))
      return *exit_code;
    if (options.broker_id.has_value()) {
      const auto known =
          ask(command, "txn describe-producers", command.cluster().refresh_metadata(std::nullopt));
      if (!known) return known.exit_code;
    }
    const auto described =
        ask(command, "txn describe-producers",
            client::describe_producers(command.cluster(), std::vector<TopicPartition>{partition},
                                       options.broker_id));
    if (!described) return described.exit_code;
    const client::PartitionProducers& answer = described->front();
    if (answer.error_code != ErrorCode::none)
      return report_refusal(to_string(partition), answer.error_code);
    print(options, producers_table(answer));
    return exit_held;
  });
}

int find_hanging(const TxnOptions& options) {
  client::HangingScope scope;
  scope.broker_id = options.broker_id;
  scope.topic = options.topic;
  scope.partition = options.partition;
  const Result<Duration> age = parse_age(options.age_min);
  if (!age) return refuse("--max-transaction-timeout: " + age.error().text);
  scope.age_min = *age;
  return run_watched(
      options, [&](ClusterCommand& command) { return find_hanging_once(options, scope, command); });
}

int abort_transaction(const TxnOptions& options) {
  const bool by_partition = options.topic && options.partition && options.start_offset;
  if (!by_partition && !options.transactional_id)
    return refuse("abort needs --transactional-id, or --topic, --partition and --start-offset");
  return run_once(options, [&](ClusterCommand& command) {
    return by_partition ? abort_on_partition(options, command) : abort_by_id(options, command);
  });
}

int fence_producers(const TxnOptions& options) {
  return run_once(options, [&](ClusterCommand& command) {
    int exit_code = exit_held;
    for (const std::string& id : options.transactional_ids)
      exit_code = std::max(exit_code, fence(options, command, id));
    return exit_code;
  });
}

}  // namespace fencepost::tools
