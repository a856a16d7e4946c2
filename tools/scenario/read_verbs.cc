// The verbs that read: offsets, single fetches, whole partitions, and a recovery.
#include "client/reader.h"
#include "fencing/recover_snapshots.h"
#include "protocol/messages/fetch.h"
#include "tools/scenario/attempts.h"
#include "tools/scenario/wire_text.h"

namespace fencepost::scenario {

namespace {

using client::CallOptions;
using client::IsolationLevel;
using protocol::ErrorCode;

IsolationLevel isolation_of(const StepRun& run, IsolationLevel otherwise) {
  const auto name = run.arguments().text("isolation");
  if (!name) return otherwise;
  return *name == "read_committed" ? IsolationLevel::read_committed
                                   : IsolationLevel::read_uncommitted;
}

ErrorCode error_of(const client::ListedOffset& it) {
  return it.error_code;
}
ErrorCode error_of(const client::Fetched& it) {
  return it.error_code;
}
ErrorCode error_of(const protocol::FetchResponse& it) {
  return client::first_error(it);
}

// The offset, or nothing with the reason in the run's answer.
asio::awaitable<std::optional<std::int64_t>> list_offset(StepRun& run,
                                                         const TopicPartition& partition,
                                                         std::int64_t timestamp,
                                                         IsolationLevel isolation) {
  const client::TopicPartition real = run.naming->real(partition);
  const Call<client::ListedOffset> call = [&run, real, timestamp, isolation](CallOptions options) {
    return client::list_offset(run.actor->client, real, timestamp, isolation, options);
  };
  const Result<client::ListedOffset> listed = co_await attempt<client::ListedOffset>(
      run, call, [](const client::ListedOffset& it) { return error_of(it); });
  run.answer = listed ? answer_of(listed->error_code) : answer_of(listed.error());
  if (run.answer.outcome != "NONE") co_return std::nullopt;
  co_return listed->offset;
}

asio::awaitable<void> list_offsets(StepRun& run) {
  const bool is_earliest = run.arguments().text("at") == "earliest";
  const auto offset =
      co_await list_offset(run, run.arguments().partitions("of").front(),
                           is_earliest ? client::earliest_timestamp : client::latest_timestamp,
                           isolation_of(run, IsolationLevel::read_uncommitted));
  if (offset) run.answer.set("offset", number_node(*offset));
}

asio::awaitable<void> watermarks(StepRun& run) {
  const TopicPartition partition = run.arguments().partitions("of").front();
  const auto high = co_await list_offset(run, partition, client::latest_timestamp,
                                         IsolationLevel::read_uncommitted);
  if (!high) co_return;
  const auto stable = co_await list_offset(run, partition, client::latest_timestamp,
                                           IsolationLevel::read_committed);
  if (!stable) co_return;
  run.answer.set("high_watermark", number_node(*high));
  run.answer.set("last_stable_offset", number_node(*stable));
}

client::Task<protocol::FetchResponse> send_fetch(client::ClusterClient& cluster,
                                                 client::TopicPartition partition,
                                                 std::int64_t offset, IsolationLevel isolation,
                                                 CallOptions options) {
  constexpr int before_topic_ids = 12;
  Result<std::shared_ptr<client::Connection>> leader =
      co_await cluster.leader_of(partition, options);
  if (!leader) co_return leader.error();
  const Uuid id = cluster.topic_id(partition.topic);
  if (id == Uuid{})
    options.version_max =
        std::min(options.version_max.value_or(before_topic_ids), before_topic_ids);
  protocol::FetchRequest request;
  request.isolation_level = static_cast<std::int8_t>(isolation);
  request.session_epoch = -1;
  auto& topic = request.topics.emplace_back();
  topic.topic = partition.topic;
  topic.topic_id = id;
  auto& one = topic.partitions.emplace_back();
  one.partition = partition.partition;
  one.fetch_offset = offset;
  one.partition_max_bytes = 1 << 20;
  co_return co_await (*leader)->call(std::move(request), options);
}

// "k1=s1" of all data records, whatever became of their transaction.
std::vector<std::string> record_list(const SharedBytes& bytes) {
  std::vector<std::string> list;
  const auto batches = protocol::open_batches(bytes);
  if (!batches) return list;
  for (const protocol::RecordBatchView& batch : *batches) {
    const auto records = batch.records();
    if (batch.header().is_control_batch() || !records) continue;
    for (const protocol::Record& record : *records)
      list.push_back((record.key ? printable(*record.key) : "null") + "=" +
                     (record.value ? printable(*record.value) : "null"));
  }
  return list;
}

asio::awaitable<void> fetch(StepRun& run) {
  const client::TopicPartition partition =
      run.naming->real(run.arguments().partitions("from").front());
  const std::int64_t offset = run.arguments().integer("offset").value_or(0);
  const IsolationLevel isolation = isolation_of(run, IsolationLevel::read_uncommitted);
  const Call<protocol::FetchResponse> call = [&run, partition, offset,
                                              isolation](CallOptions options) {
    return send_fetch(run.actor->client, partition, offset, isolation, options);
  };
  const Result<protocol::FetchResponse> response =
      co_await attempt<protocol::FetchResponse>(run, call);
  run.answer = response ? answer_of(error_of(*response)) : answer_of(response.error());
  if (run.answer.outcome != "NONE") co_return;
  for (const auto& topic : response->responses)
    for (const auto& it : topic.partitions) {
      const std::size_t aborted = it.aborted_transactions ? it.aborted_transactions->size() : 0;
      run.answer.set("records",
                     list_node(record_list(it.records.value_or(protocol::Records{}).bytes)));
      run.answer.set("aborted", number_node(static_cast<std::int64_t>(aborted)));
      run.answer.set("high_watermark", number_node(it.high_watermark));
      run.answer.set("last_stable_offset", number_node(it.last_stable_offset));
    }
}

KeyValue key_value(const protocol::Record& record) {
  KeyValue it;
  if (record.key) it.key = printable(*record.key);
  if (record.value) it.value = printable(*record.value);
  return it;
}

// Records and the last value of each key.
void set_records(Answer& answer, const std::vector<KeyValue>& records) {
  std::vector<std::string> list;
  std::map<std::string, std::string> state;
  for (const KeyValue& it : records) {
    const std::string key = it.key.value_or("null");
    list.push_back(key + "=" + it.value.value_or("null"));
    if (it.value)
      state[key] = *it.value;
    else
      state.erase(key);
  }
  answer.set("records", list_node(list));
  answer.set("state", map_node({state.begin(), state.end()}));
}

asio::awaitable<void> read(StepRun& run) {
  const TopicPartition partition = run.arguments().partitions("from").front();
  const client::TopicPartition real = run.naming->real(partition);
  const IsolationLevel isolation = isolation_of(run, IsolationLevel::read_committed);
  const auto start = co_await list_offset(run, partition, client::earliest_timestamp, isolation);
  if (!start) co_return;
  const auto end = co_await list_offset(run, partition, client::latest_timestamp, isolation);
  if (!end) co_return;
  ReadFact fact{partition, isolation == IsolationLevel::read_committed, false, -1, {}};
  std::int64_t position = *start;
  while (position < *end) {
    const Call<client::Fetched> call = [&run, real, position, isolation](CallOptions options) {
      client::FetchOptions fetch_options;
      fetch_options.isolation_level = isolation;
      fetch_options.call = options;
      return client::fetch(run.actor->client, real, position, fetch_options);
    };
    const Result<client::Fetched> fetched = co_await attempt<client::Fetched>(
        run, call, [](const client::Fetched& it) { return error_of(it); });
    run.answer = fetched ? answer_of(fetched->error_code) : answer_of(fetched.error());
    if (run.answer.outcome != "NONE") co_return;
    for (const protocol::Record& record : fetched->records)
      if (record.offset < *end) fact.records.push_back(key_value(record));
    position = fetched->position;
  }
  set_records(run.answer, fact.records);
  run.deeds.reads.push_back(std::move(fact));
}

std::int64_t current_high_watermark(const StepRun& run, const TopicPartition& partition) {
  const minibroker::Cluster* cluster = run.world->cluster();
  if (cluster == nullptr) return -1;
  const auto state = cluster->partition(partition.topic, partition.partition);
  return state ? state->high_watermark : -1;
}

asio::awaitable<void> recover(StepRun& run) {
  const TopicPartition partition = run.arguments().partitions("from").front();
  ReadFact fact{partition, true, true, current_high_watermark(run, partition), {}};
  fencing::RecoveryOptions options;
  if (run.arguments().text("bound") == "last_stable_offset")
    options.bound = fencing::RecoveryBound::last_stable_offset;
  options.stall_timeout = run.arguments().duration("stall_timeout").value_or(options.stall_timeout);
  const Result<fencing::Recovery> recovery =
      co_await fencing::recover_snapshots(run.actor->client, run.naming->real(partition), options);
  if (!recovery) {
    run.answer = answer_of(recovery.error());
    co_return;
  }
  run.answer = answer_of(ErrorCode::none);
  std::vector<std::pair<std::string, std::string>> state;
  for (const auto& [key, value] : recovery->snapshots) {
    state.emplace_back(key, printable(value));
    fact.records.push_back({key, printable(value)});
  }
  run.answer.set("state", map_node(state));
  run.answer.set("records", number_node(recovery->records_read));
  run.answer.set("target", number_node(recovery->target));
  run.deeds.reads.push_back(std::move(fact));
}

}  // namespace

asio::awaitable<bool> perform_read_verb(StepRun& run) {
  const std::string_view verb = run.step->verb->name;
  if (verb == "list_offsets") {
    co_await list_offsets(run);
  } else if (verb == "watermarks") {
    co_await watermarks(run);
  } else if (verb == "fetch") {
    co_await fetch(run);
  } else if (verb == "read") {
    co_await read(run);
  } else if (verb == "recover") {
    co_await recover(run);
  } else {
    co_return false;
  }
  co_return true;
}

}  // namespace fencepost::scenario
