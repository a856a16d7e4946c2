// The verbs that read: offsets, single fetches, whole partitions, and a recovery.
#include "client/reader.h"
#include "fencing/recover_snapshots.h"
#include "protocol/messages/fetch.h"
#include "tools/scenario/attempts.h"
#include "tools/scenario/reader_mistakes.h"
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

// One Fetch, without a session.
struct FetchCall {
  client::TopicPartition partition;
  std::int64_t offset = 0;
  IsolationLevel isolation = IsolationLevel::read_uncommitted;
  Duration wait_max{};
  std::int32_t bytes_max = 1 << 20;
};

client::Task<protocol::FetchResponse> send_fetch(client::ClusterClient& cluster, FetchCall call,
                                                 CallOptions options) {
  constexpr int before_topic_ids = 12;
  Result<std::shared_ptr<client::Connection>> leader =
      co_await cluster.leader_of(call.partition, options);
  if (!leader) co_return leader.error();
  const Uuid id = cluster.topic_id(call.partition.topic);
  if (id == Uuid{})
    options.version_max =
        std::min(options.version_max.value_or(before_topic_ids), before_topic_ids);
  protocol::FetchRequest request;
  request.isolation_level = static_cast<std::int8_t>(call.isolation);
  request.session_epoch = -1;
  request.max_wait_ms = static_cast<std::int32_t>(to_milliseconds(call.wait_max));
  request.min_bytes = call.wait_max > Duration{} ? 1 : 0;
  request.max_bytes = call.bytes_max;
  auto& topic = request.topics.emplace_back();
  topic.topic = call.partition.topic;
  topic.topic_id = id;
  auto& one = topic.partitions.emplace_back();
  one.partition = call.partition.partition;
  one.fetch_offset = call.offset;
  one.partition_max_bytes = call.bytes_max;
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

FetchCall fetch_call(const StepRun& run, std::int64_t offset, IsolationLevel isolation) {
  FetchCall call;
  call.partition = run.naming->real(run.arguments().partitions("from").front());
  call.offset = offset;
  call.isolation = isolation;
  if (const auto bytes = run.arguments().integer("fetch_bytes"))
    call.bytes_max = static_cast<std::int32_t>(*bytes);
  return call;
}

// The partition's part of the answer, or nothing with the reason in the run's answer.
asio::awaitable<std::optional<protocol::FetchResponse::PartitionData>> fetch_once(
    StepRun& run, FetchCall fetch_call) {
  const Call<protocol::FetchResponse> call = [&run, fetch_call](CallOptions options) {
    return send_fetch(run.actor->client, fetch_call, options);
  };
  const Result<protocol::FetchResponse> response =
      co_await attempt<protocol::FetchResponse>(run, call);
  run.answer = response ? answer_of(error_of(*response)) : answer_of(response.error());
  if (run.answer.outcome != "NONE") co_return std::nullopt;
  for (const auto& topic : response->responses)
    for (const auto& it : topic.partitions) co_return it;
  run.answer = answer_of(Error{ErrorKind::malformed, "the answer holds no partition"});
  co_return std::nullopt;
}

asio::awaitable<void> fetch(StepRun& run) {
  const FetchCall call = fetch_call(run, run.arguments().integer("offset").value_or(0),
                                    isolation_of(run, IsolationLevel::read_uncommitted));
  const auto it = co_await fetch_once(run, call);
  if (!it) co_return;
  const std::size_t aborted = it->aborted_transactions ? it->aborted_transactions->size() : 0;
  run.answer.set("records",
                 list_node(record_list(it->records.value_or(protocol::Records{}).bytes)));
  run.answer.set("aborted", number_node(static_cast<std::int64_t>(aborted)));
  run.answer.set("high_watermark", number_node(it->high_watermark));
  run.answer.set("last_stable_offset", number_node(it->last_stable_offset));
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

// Polls until the reader thinks that it has everything in front of `end`; false with the reason in
// the run's answer.
asio::awaitable<bool> poll_to_end(StepRun& run, std::int64_t position, std::int64_t end,
                                  ReadFact& fact) {
  constexpr int polls_without_news_max = 10;
  const auto mistake = parse_reader_mistake(run.arguments().text("mistake").value_or(""));
  const IsolationLevel isolation = isolation_of(run, IsolationLevel::read_committed);
  int polls_without_news = 0;
  for (bool is_read = position >= end; !is_read;) {
    FetchCall call = fetch_call(run, position, isolation);
    call.wait_max = milliseconds(500);
    const auto fetched = co_await fetch_once(run, call);
    if (!fetched) co_return false;
    const Result<Poll> poll = take_poll(*fetched, position, isolation, mistake);
    if (!poll) {
      run.answer = answer_of(poll.error());
      co_return false;
    }
    for (const protocol::Record& record : poll->records)
      if (record.offset < end) fact.records.push_back(key_value(record));
    is_read = is_finished(*poll, end, mistake);
    const bool is_news = !poll->records.empty() || poll->position != position;
    polls_without_news = is_news ? 0 : polls_without_news + 1;
    position = poll->position;
    run.answer = Answer{};
    if (poll->has_fallen_over) run.answer.outcome = "FALLEN_OVER";
    if (!is_read && polls_without_news == polls_without_news_max) run.answer.outcome = "STALLED";
    if (run.answer.outcome == "STALLED")
      run.answer.detail = "nothing new at offset " + std::to_string(position);
    if (run.answer.outcome != "NONE") co_return false;
  }
  co_return true;
}

asio::awaitable<void> read(StepRun& run) {
  const Arguments& arguments = run.arguments();
  const TopicPartition partition = arguments.partitions("from").front();
  const IsolationLevel isolation = isolation_of(run, IsolationLevel::read_committed);
  const auto start = co_await list_offset(run, partition, client::earliest_timestamp, isolation);
  if (!start) co_return;
  const auto end = co_await list_offset(run, partition, client::latest_timestamp, isolation);
  if (!end) co_return;
  ReadFact fact{.partition = partition,
                .is_committed = isolation == IsolationLevel::read_committed,
                .records = arguments.records("store")};
  const std::int64_t position = std::max(*start, arguments.integer("start").value_or(*start));
  const bool is_read = co_await poll_to_end(run, position, *end, fact);
  if (is_read) set_records(run.answer, fact.records);
  fact.is_whole =
      is_read && position == *start && !arguments.has("store") && !arguments.has("mistake");
  fact.is_in_background = run.is_in_background();
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
  ReadFact fact{.partition = partition,
                .is_committed = true,
                .is_recovery = true,
                .high_watermark = current_high_watermark(run, partition)};
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
