// The two requests of a reader.
#include "client/reader.h"

#include <limits>
#include <utility>

#include "client/explained.h"
#include "client/partition_reader.h"
#include "client/retry.h"
#include "protocol/messages/list_offsets.h"

namespace fencepost::client {

Task<ListedOffset> list_offset(ClusterClient& cluster, TopicPartition partition,
                               std::int64_t timestamp, IsolationLevel isolation_level,
                               CallOptions options) {
  protocol::ListOffsetsRequest request;
  request.replica_id = -1;
  request.isolation_level = static_cast<std::int8_t>(isolation_level);
  request.timeout_ms = static_cast<std::int32_t>(
      to_milliseconds(options.timeout.value_or(cluster.options().connection.request_timeout)));
  protocol::ListOffsetsRequest::ListOffsetsPartition wanted;
  wanted.partition_index = partition.partition;
  wanted.timestamp = timestamp;
  auto& topic = request.topics.emplace_back();
  topic.name = partition.topic;
  topic.partitions.push_back(std::move(wanted));
  Result<protocol::ListOffsetsResponse> response =
      co_await cluster.call_leader(partition, std::move(request), options);
  if (!response) co_return response.error();
  for (const auto& answer : response->topics) {
    if (answer.name != partition.topic) continue;
    for (const auto& it : answer.partitions) {
      if (it.partition_index != partition.partition) continue;
      ListedOffset listed;
      listed.error_code = it.error_code;
      listed.offset = it.offset;
      listed.timestamp = it.timestamp;
      listed.leader_epoch = it.leader_epoch;
      co_return listed;
    }
  }
  co_return Error{ErrorKind::malformed,
                  "the answer to ListOffsets does not hold " + to_string(partition)};
}

namespace {

// Waiting may help against it.
bool passes(const Error& error) {
  return error.kind == ErrorKind::cannot_connect || error.kind == ErrorKind::closed ||
         error.kind == ErrorKind::unknown_outcome;
}

}  // namespace

Task<std::int64_t> list_offset_within(ClusterClient& cluster, TopicPartition partition,
                                      std::int64_t timestamp, IsolationLevel isolation_level,
                                      Duration patience) {
  RetryPolicy policy;
  policy.time_max = patience;
  policy.backoff_max = policy.backoff_first;
  policy.attempts_max = std::numeric_limits<int>::max();
  policy.repeat_unknown_outcome = true;
  Attempt<ListedOffset> attempt = [&, is_repeated = false](bool) mutable {
    CallOptions call;
    call.fresh_lookup = std::exchange(is_repeated, true);
    return list_offset(cluster, partition, timestamp, isolation_level, call);
  };
  Result<ListedOffset> listed = co_await run_with_retries(cluster.clock(), policy, 0, attempt);
  if (listed.ok() && listed->error_code == protocol::ErrorCode::none) co_return listed->offset;
  if (!listed && !passes(listed.error())) co_return listed.error();
  const std::string problem = listed.ok() ? explained(listed->error_code) : listed.error().text;
  co_return Error{ErrorKind::stalled,
                  "the offsets of " + to_string(partition) + " cannot be listed: " + problem};
}

std::string to_string(const Truncation& truncation) {
  return "it was read up to offset " + std::to_string(truncation.position) + " in leader epoch " +
         std::to_string(truncation.leader_epoch) +
         (truncation.end_offset.has_value()
              ? ", the log parts from that at " + std::to_string(*truncation.end_offset)
              : ", which the log does not know");
}

Task<Fetched> fetch(ClusterClient& cluster, TopicPartition partition, std::int64_t offset,
                    FetchOptions options) {
  options.uses_session = false;
  PartitionReader reader(cluster, std::move(partition), std::move(options));
  reader.seek(offset);
  co_return co_await reader.poll();
}

}  // namespace fencepost::client
