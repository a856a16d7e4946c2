#include "tools/torture/topics.h"

#include "client/partition_reader.h"
#include "fencing/partition_owner.h"

namespace fencepost::tools {

namespace {

using client::Task;
using protocol::ErrorCode;

// All committed records up to the high watermark.
Task<std::vector<protocol::Record>> read_all(client::ClusterClient& cluster,
                                             client::TopicPartition partition) {
  constexpr Duration patience = std::chrono::minutes(2);
  Result<std::int64_t> end =
      co_await client::list_offset_within(cluster, partition, client::latest_timestamp,
                                          client::IsolationLevel::read_uncommitted, patience);
  if (!end) co_return end.error();
  const Instant deadline = cluster.clock().now() + patience;
  std::vector<protocol::Record> records;
  client::PartitionReader reader(cluster, partition);
  while (reader.position() < *end) {
    Result<client::Fetched> fetched = co_await reader.poll();
    if (!fetched) co_return fetched.error();
    if (fetched->error_code != ErrorCode::none || cluster.clock().now() > deadline)
      co_return Error{ErrorKind::stalled, "reading " + to_string(partition) + " stops at " +
                                              std::to_string(reader.position()) + " of " +
                                              std::to_string(*end) + ": " +
                                              to_string(fetched->error_code)};
    for (protocol::Record& record : fetched->records)
      if (record.offset < *end) records.push_back(std::move(record));
  }
  co_await reader.close();
  co_return records;
}

std::string text_of(const protocol::OptionalBytes& bytes) {
  return bytes.has_value() ? std::string(bytes->text()) : std::string();
}

}  // namespace

Task<std::int64_t> produce_events(client::ClusterClient& cluster, asio::any_io_executor executor,
                                  TortureTopics topics, int keys, int events_per_second,
                                  std::uint64_t seed, const bool* should_stop) {
  constexpr int rounds_per_second = 50;
  client::TransactionalProducer producer(std::move(executor), cluster, {});
  client::ProducerOutcome outcome = co_await producer.init();
  Random random(seed, "events");
  std::int64_t acknowledged = 0;
  while (outcome.ok() && !*should_stop) {
    const int count = std::max(events_per_second / rounds_per_second, 1);
    for (int i = 0; i < count; ++i) {
      const auto partition = random.below(static_cast<std::uint64_t>(topics.partitions));
      const std::string key = "k" + std::to_string(random.below(static_cast<std::uint64_t>(keys)));
      const std::string value = std::to_string(random.below(10));
      protocol::NewRecord record;
      record.timestamp = protocol::no_timestamp;
      record.key = SharedBytes::copy_of(std::string_view(key));
      record.value = SharedBytes::copy_of(std::string_view(value));
      producer.append({topics.input, static_cast<std::int32_t>(partition)}, std::move(record));
    }
    outcome = co_await producer.flush();
    if (outcome.ok()) acknowledged += count;
    co_await cluster.clock().sleep_until(cluster.clock().now() +
                                         milliseconds(1000 / rounds_per_second));
  }
  if (!outcome.ok()) co_return Error{ErrorKind::stalled, "producing events: " + outcome.text};
  co_return acknowledged;
}

Task<SeenPartition> read_partition(client::ClusterClient& cluster, TortureTopics topics,
                                   int partition) {
  SeenPartition seen;
  seen.index = partition;
  fencing::PartitionOwnerOptions owner;
  owner.group_id = topics.group;
  owner.input = {topics.input, partition};
  Result<std::int64_t> committed = co_await fencing::committed_offset(cluster, owner);
  if (!committed) co_return committed.error();
  seen.committed_offset = *committed;
  const client::TopicPartition input{topics.input, partition};
  Result<std::vector<protocol::Record>> events = co_await read_all(cluster, input);
  if (!events) co_return events.error();
  for (const protocol::Record& it : *events)
    seen.events.push_back({it.offset, text_of(it.key), text_of(it.value)});
  const client::TopicPartition state{topics.snapshots, partition};
  Result<std::vector<protocol::Record>> snapshots = co_await read_all(cluster, state);
  if (!snapshots) co_return snapshots.error();
  for (const protocol::Record& it : *snapshots)
    seen.snapshots.push_back({it.offset, text_of(it.key), text_of(it.value)});
  co_return seen;
}

}  // namespace fencepost::tools
