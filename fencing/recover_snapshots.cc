// The loop compares the position with the target, also after an answer without a visible record:
// a marker at the end of the log is never delivered.
#include "fencing/recover_snapshots.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "client/explained.h"
#include "client/partition_reader.h"
#include "client/transaction_admin.h"

namespace fencepost::fencing {

namespace {

using client::ClusterClient;
using client::IsolationLevel;
using client::Task;
using client::TopicPartition;
using protocol::ErrorCode;
using protocol::Reaction;

constexpr Duration pause_after_error = milliseconds(100);

// A recovery under way.
struct Progress {
  Recovery recovery;
  Instant stall_deadline;
  std::string last_problem;  // why the last request did not help
  bool is_refused = false;   // the last request was; the next one waits a little
  bool is_truncated = false;
};

bool may_ask_again(const Error& error) {
  return error.kind == ErrorKind::cannot_connect || error.kind == ErrorKind::closed ||
         error.kind == ErrorKind::unknown_outcome;
}

bool may_ask_again(ErrorCode code) {
  const Reaction reaction = protocol::reaction_of(code);
  return reaction == Reaction::retry || reaction == Reaction::find_coordinator;
}

// The producer whose open transaction begins first there; nothing when there is none.
Task<std::optional<client::ActiveProducer>> oldest_open(ClusterClient& cluster,
                                                        TopicPartition partition) {
  std::vector<TopicPartition> partitions(1, partition);
  Result<std::vector<client::PartitionProducers>> described =
      co_await client::describe_producers(cluster, std::move(partitions));
  if (!described) co_return described.error();
  std::optional<client::ActiveProducer> oldest;
  for (const client::PartitionProducers& it : *described) {
    if (it.error_code != ErrorCode::none)
      co_return Error{ErrorKind::stalled, to_string(it.error_code)};
    for (const client::ActiveProducer& producer : it.producers)
      if (producer.current_txn_start_offset >= 0 &&
          (!oldest || producer.current_txn_start_offset < oldest->current_txn_start_offset))
        oldest = producer;
  }
  co_return oldest;
}

// ", transactional.id x-0, begun 12 s ago", as far as a coordinator knows the producer id.
Task<std::string> describe_owner(ClusterClient& cluster, std::int64_t producer_id) {
  client::TransactionFilter filter;
  filter.producer_ids.push_back(producer_id);
  Result<std::vector<client::CoordinatorTransactions>> listed =
      co_await client::list_transactions(cluster, std::move(filter));
  if (!listed) co_return listed.error();
  std::string text;
  for (const client::CoordinatorTransactions& coordinator : *listed)
    for (const auto& it : coordinator.transactions)
      if (it.producer_id == producer_id) text = it.transactional_id;
  if (text.empty()) co_return std::string(", which no coordinator knows: it is hanging");
  Result<client::DescribedTransaction> described =
      co_await client::describe_transaction(cluster, text);
  text = ", transactional.id " + text;
  // The coordinator has ended it, and the leader has opened it again by a batch that came late.
  if (described.ok() && described->state.transaction_state.starts_with("Complete"))
    co_return text + ", which has ended as " + described->state.transaction_state +
        ": it is hanging";
  if (described.ok() && described->state.transaction_start_time_ms >= 0) {
    const std::int64_t age_ms =
        to_timestamp(cluster.clock().now()) - described->state.transaction_start_time_ms;
    text += ", begun " + std::to_string(age_ms / 1000) + " s ago";
  }
  co_return text;
}

// Whose transaction holds the last stable offset back.
Task<std::string> describe_open_transaction(ClusterClient& cluster, TopicPartition partition) {
  Result<std::optional<client::ActiveProducer>> oldest =
      co_await oldest_open(cluster, std::move(partition));
  if (!oldest) co_return oldest.error();
  if (!oldest->has_value()) co_return std::string("no open transaction is known there");
  const client::ActiveProducer& producer = **oldest;
  Result<std::string> owner = co_await describe_owner(cluster, producer.producer_id);
  co_return "the transaction of producer " + std::to_string(producer.producer_id) + " (epoch " +
      std::to_string(producer.producer_epoch) + (owner.ok() ? owner.value() : std::string()) +
      ") is open since offset " + std::to_string(producer.current_txn_start_offset);
}

Error stalled(std::string text) {
  return Error{ErrorKind::stalled, std::move(text)};
}

// Why there is no progress: by reading the end of the log again. Its own failures are part of the
// reason and never take its place.
asio::awaitable<Error> diagnose(ClusterClient& cluster, TopicPartition partition,
                                std::int64_t target, std::string last_problem) {
  Result<client::ListedOffset> end = co_await client::list_offset(
      cluster, partition, client::latest_timestamp, IsolationLevel::read_uncommitted);
  if (!end) co_return stalled("the leader cannot be asked: " + end.error().text);
  if (end->error_code != ErrorCode::none)
    co_return stalled("the leader answers " + to_string(end->error_code));
  if (end->offset < target)
    co_return Error{ErrorKind::malformed, "the log ends at " + std::to_string(end->offset) +
                                              ", below the target: it was truncated"};
  if (!last_problem.empty()) co_return stalled("the last fetch failed: " + last_problem);
  Result<std::string> open = co_await describe_open_transaction(cluster, std::move(partition));
  if (open.ok()) co_return stalled(open.value());
  co_return stalled("an open transaction holds back the last stable offset (whose is not known: " +
                    open.error().text + ")");
}

asio::awaitable<Error> fail_stalled(ClusterClient& cluster, TopicPartition partition,
                                    Progress progress, std::string how_long) {
  const Recovery& recovery = progress.recovery;
  Error reason{ErrorKind::malformed, progress.last_problem};
  if (!progress.is_truncated)
    reason = co_await diagnose(cluster, partition, recovery.target, progress.last_problem);
  reason.text = "recovery of " + to_string(partition) + " stopped at offset " +
                std::to_string(recovery.position) + " of " + std::to_string(recovery.target) +
                how_long + ": " + reason.text;
  co_return reason;
}

void report(const RecoveryOptions& options, const Recovery& recovery) {
  if (!options.on_progress) return;
  options.on_progress({recovery.position, recovery.target, recovery.last_stable_offset});
}

void warn(const RecoveryOptions& options, const TopicPartition& partition,
          const Recovery& recovery) {
  if (!options.on_warning || !recovery.had_to_wait()) return;
  options.on_warning("a transaction is open on " + to_string(partition) + ": reading up to " +
                     std::to_string(recovery.target) +
                     " has to wait for its end, the last stable " + "offset is " +
                     std::to_string(recovery.last_stable_offset));
}

void apply(std::vector<protocol::Record> records, Recovery* recovery) {
  for (protocol::Record& record : records) {
    // The bound is where the recovery ends, also when the answer goes on.
    if (record.offset >= recovery->target) continue;
    ++recovery->records_read;
    const std::string key(record.key.has_value() ? record.key->text() : std::string_view());
    if (record.value.has_value())
      recovery->snapshots[key] = *record.value;
    else
      recovery->snapshots.erase(key);
  }
}

// What an answer changes; false when reading on is pointless.
bool take_answer(Result<client::Fetched> fetched, Progress* progress) {
  progress->is_refused = true;
  if (!fetched) {
    progress->last_problem = fetched.error().text;
    return may_ask_again(fetched.error());
  }
  if (fetched->error_code != ErrorCode::none) {
    progress->is_truncated = fetched->truncation.has_value();
    progress->last_problem = progress->is_truncated
                                 ? "the log was truncated: " + to_string(*fetched->truncation)
                                 : to_string(fetched->error_code);
    return may_ask_again(fetched->error_code);
  }
  progress->is_refused = false;
  progress->last_problem.clear();
  progress->recovery.position = fetched->position;
  apply(std::move(fetched->records), &progress->recovery);
  return true;
}

// The captured bounds and where reading begins.
Task<Progress> begin(ClusterClient& cluster, TopicPartition partition, RecoveryOptions options) {
  Progress progress;
  const Duration patience = options.stall_timeout;
  Result<std::int64_t> start = co_await client::list_offset_within(
      cluster, partition, client::earliest_timestamp, IsolationLevel::read_uncommitted, patience);
  if (!start) co_return start.error();
  Result<std::int64_t> stable = co_await client::list_offset_within(
      cluster, partition, client::latest_timestamp, IsolationLevel::read_committed, patience);
  if (!stable) co_return stable.error();
  Result<std::int64_t> end = co_await client::list_offset_within(
      cluster, partition, client::latest_timestamp, IsolationLevel::read_uncommitted, patience);
  if (!end) co_return end.error();
  progress.recovery.position = start.value();
  progress.recovery.last_stable_offset = stable.value();
  progress.recovery.target =
      options.bound == RecoveryBound::high_watermark ? end.value() : stable.value();
  co_return progress;
}

}  // namespace

Task<Recovery> recover_snapshots(ClusterClient& cluster, TopicPartition partition,
                                 RecoveryOptions options) {
  Result<Progress> begun = co_await begin(cluster, partition, options);
  if (!begun) co_return begun.error();
  Progress progress = std::move(begun).value();
  Recovery& recovery = progress.recovery;
  warn(options, partition, recovery);
  report(options, recovery);
  client::Clock& clock = cluster.clock();
  progress.stall_deadline = clock.now() + options.stall_timeout;
  client::FetchOptions fetch_options;
  fetch_options.isolation_level = IsolationLevel::read_committed;
  fetch_options.max_wait = options.fetch_wait;
  fetch_options.bytes_max = options.fetch_bytes_max;
  // The wait for an open transaction must not hold up who writes over the same cluster client.
  fetch_options.call.own_connection = true;
  client::PartitionReader reader(cluster, partition, fetch_options);
  reader.seek(recovery.position);
  while (recovery.position < recovery.target) {
    if (options.should_stop && options.should_stop())
      co_return Error{ErrorKind::closed, "the recovery of " + to_string(partition) + " was ended"};
    if (clock.now() >= progress.stall_deadline)
      co_return co_await fail_stalled(
          cluster, partition, progress,
          " without progress for " + std::to_string(to_milliseconds(options.stall_timeout) / 1000) +
              " s");
    const std::int64_t before = recovery.position;
    const Instant asked = clock.now();
    Result<client::Fetched> fetched = co_await reader.poll();
    if (!take_answer(std::move(fetched), &progress))
      co_return co_await fail_stalled(cluster, partition, progress, "");
    if (recovery.position > before) {
      progress.stall_deadline = clock.now() + options.stall_timeout;
      report(options, recovery);
      continue;
    }
    // A broker that answers at once instead of waiting is not asked more often for it.
    co_await clock.sleep_until(asked +
                               (progress.is_refused ? pause_after_error : options.fetch_wait));
  }
  co_await reader.close();
  co_return std::move(recovery);
}

}  // namespace fencepost::fencing
