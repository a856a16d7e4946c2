// The two requests of a reader.
#include "client/reader.h"

#include <algorithm>

#include "protocol/messages/list_offsets.h"

namespace fencepost::client {

namespace {

using protocol::ErrorCode;

constexpr int fetch_before_topic_ids = 12;

protocol::FetchRequest fetch_request(const TopicPartition& partition, const Uuid& topic_id,
                                     std::int64_t offset, const FetchOptions& options) {
  protocol::FetchRequest request;
  request.max_wait_ms = static_cast<std::int32_t>(to_milliseconds(options.max_wait));
  request.min_bytes = options.min_bytes;
  request.max_bytes = options.bytes_max;
  request.isolation_level = static_cast<std::int8_t>(options.isolation_level);
  protocol::FetchRequest::FetchPartition wanted;
  wanted.partition = partition.partition;
  wanted.fetch_offset = offset;
  wanted.partition_max_bytes = options.bytes_max;
  auto& topic = request.topics.emplace_back();
  topic.topic = partition.topic;
  topic.topic_id = topic_id;
  topic.partitions.push_back(std::move(wanted));
  return request;
}

// The one partition that was asked for.
const protocol::FetchResponse::PartitionData* find_partition(
    const protocol::FetchResponse& response, const TopicPartition& partition,
    const Uuid& topic_id) {
  for (const auto& topic : response.responses) {
    const bool is_wanted =
        topic.topic == partition.topic || (topic.topic.empty() && topic.topic_id == topic_id);
    if (!is_wanted) continue;
    for (const auto& it : topic.partitions)
      if (it.partition_index == partition.partition) return &it;
  }
  return nullptr;
}

}  // namespace

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

Task<Fetched> fetch(ClusterClient& cluster, TopicPartition partition, std::int64_t offset,
                    FetchOptions options) {
  CallOptions call = options.call;
  Result<std::shared_ptr<Connection>> leader = co_await cluster.leader_of(partition, call);
  if (!leader) co_return leader.error();
  const Uuid topic_id = cluster.topic_id(partition.topic);
  if (topic_id.is_zero())
    call.version_max =
        std::min(call.version_max.value_or(fetch_before_topic_ids), fetch_before_topic_ids);
  // The broker may keep the request for max_wait before the answer is late.
  const Duration timeout = cluster.options().connection.request_timeout + options.max_wait;
  if (!call.timeout.has_value()) call.timeout = timeout;
  protocol::FetchRequest request = fetch_request(partition, topic_id, offset, options);
  Result<protocol::FetchResponse> response =
      co_await leader.value()->call(std::move(request), call);
  if (!response) co_return response.error();
  Fetched fetched;
  fetched.position = offset;
  fetched.error_code = response->error_code;
  if (fetched.error_code != ErrorCode::none) co_return fetched;
  const auto* answer = find_partition(response.value(), partition, topic_id);
  if (answer == nullptr)
    co_return Error{ErrorKind::malformed,
                    "the answer to Fetch does not hold " + to_string(partition)};
  fetched.error_code = answer->error_code;
  fetched.high_watermark = answer->high_watermark;
  fetched.last_stable_offset = answer->last_stable_offset;
  fetched.log_start_offset = answer->log_start_offset;
  if (fetched.error_code != ErrorCode::none) co_return fetched;
  Result<VisibleRecords> visible = visible_records(*answer, offset, options.isolation_level);
  if (!visible) co_return visible.error();
  fetched.records = std::move(visible->records);
  fetched.position = visible->position;
  co_return fetched;
}

}  // namespace fencepost::client
