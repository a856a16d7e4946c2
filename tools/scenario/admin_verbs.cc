// The verbs that ask or tell the cluster about itself.
#include <algorithm>

#include "protocol/messages/api_versions.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/delete_records.h"
#include "protocol/messages/describe_groups.h"
#include "protocol/messages/describe_producers.h"
#include "protocol/messages/describe_transactions.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/offset_delete.h"
#include "protocol/messages/write_txn_markers.h"
#include "tools/scenario/attempts.h"

namespace fencepost::scenario {

namespace {

using client::CallOptions;
using client::CoordinatorType;
using client::Task;
using namespace protocol;  // the messages

ErrorCode error_of(const FindCoordinatorResponse& it) {
  return it.coordinators.empty() ? it.error_code : it.coordinators.front().error_code;
}
ErrorCode error_of(const DescribeTransactionsResponse& it) {
  return it.transaction_states.empty() ? ErrorCode::none : it.transaction_states.front().error_code;
}
ErrorCode error_of(const DescribeProducersResponse& it) {
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      if (one.error_code != ErrorCode::none) return one.error_code;
  return ErrorCode::none;
}
ErrorCode error_of(const WriteTxnMarkersResponse& it) {
  for (const auto& marker : it.markers)
    for (const auto& topic : marker.topics)
      for (const auto& one : topic.partitions)
        if (one.error_code != ErrorCode::none) return one.error_code;
  return ErrorCode::none;
}
ErrorCode error_of(const CreateTopicsResponse& it) {
  for (const auto& topic : it.topics)
    if (topic.error_code != ErrorCode::none) return topic.error_code;
  return ErrorCode::none;
}
ErrorCode error_of(const DeleteRecordsResponse& it) {
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      if (one.error_code != ErrorCode::none) return one.error_code;
  return ErrorCode::none;
}
ErrorCode error_of(const DescribeGroupsResponse& it) {
  return it.groups.empty() ? ErrorCode::none : it.groups.front().error_code;
}
ErrorCode error_of(const OffsetDeleteResponse& it) {
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      if (one.error_code != ErrorCode::none) return one.error_code;
  return it.error_code;
}
ErrorCode error_of(const MetadataResponse& it) {
  for (const auto& topic : it.topics)
    if (topic.error_code != ErrorCode::none) return topic.error_code;
  return it.error_code;
}
ErrorCode error_of(const ApiVersionsResponse& it) {
  return it.error_code;
}

template <class Response>
Task<Response> attempt_any(StepRun& run, const Call<Response>& call) {
  co_return co_await attempt<Response>(run, call, [](const Response& it) { return error_of(it); });
}

template <class Response>
void set_outcome(StepRun& run, const Result<Response>& response) {
  run.answer = response ? answer_of(error_of(*response)) : answer_of(response.error());
}

Task<FindCoordinatorResponse> send_find_coordinator(client::ClusterClient& cluster, std::string key,
                                                    CoordinatorType type, CallOptions options) {
  constexpr int many_keys_since = 4;
  Result<std::shared_ptr<client::Connection>> any = co_await cluster.any_connection(options);
  if (!any) co_return any.error();
  const Result<int> version = (*any)->choose_version(ApiKey::find_coordinator, options.version_max);
  if (!version) co_return version.error();
  FindCoordinatorRequest request;
  request.key_type = static_cast<std::int8_t>(type);
  if (*version >= many_keys_since)
    request.coordinator_keys.push_back(std::move(key));
  else
    request.key = std::move(key);
  co_return co_await (*any)->call_exactly(std::move(request), *version, options);
}

asio::awaitable<void> find_coordinator(StepRun& run) {
  const std::string key = run.naming->real(run.arguments().text("key").value_or(""));
  const CoordinatorType type = run.arguments().text("type") == "group"
                                   ? CoordinatorType::group
                                   : CoordinatorType::transaction;
  const Call<FindCoordinatorResponse> call = [&run, key, type](CallOptions options) {
    return send_find_coordinator(run.actor->client, key, type, options);
  };
  const auto response = co_await attempt_any<FindCoordinatorResponse>(run, call);
  set_outcome(run, response);
  if (run.answer.outcome != "NONE") co_return;
  const int node =
      response->coordinators.empty() ? response->node_id : response->coordinators.front().node_id;
  run.answer.set("node", number_node(node));
}

asio::awaitable<void> describe_transactions(StepRun& run) {
  const std::string id = run.naming->real(run.arguments().text("transactional_id").value_or(""));
  const Call<DescribeTransactionsResponse> call = [&run, id](CallOptions options) {
    DescribeTransactionsRequest request;
    request.transactional_ids.push_back(id);
    return run.actor->client.call_coordinator(CoordinatorType::transaction, id, request, options);
  };
  const auto response = co_await attempt_any<DescribeTransactionsResponse>(run, call);
  set_outcome(run, response);
  if (run.answer.outcome != "NONE" || response->transaction_states.empty()) co_return;
  const auto& state = response->transaction_states.front();
  std::vector<std::string> partitions;
  for (const auto& topic : state.topics)
    for (const std::int32_t index : topic.partitions)
      partitions.push_back(run.naming->shown(topic.topic) + "-" + std::to_string(index));
  std::sort(partitions.begin(), partitions.end());
  run.answer.set("state", text_node(state.transaction_state));
  run.answer.set("producer_id", number_node(state.producer_id));
  run.answer.set("producer_epoch", number_node(state.producer_epoch));
  run.answer.set("partitions", list_node(partitions));
}

asio::awaitable<void> describe_producers(StepRun& run) {
  const client::TopicPartition partition =
      run.naming->real(run.arguments().partitions("of").front());
  const Call<DescribeProducersResponse> call = [&run, partition](CallOptions options) {
    DescribeProducersRequest request;
    auto& topic = request.topics.emplace_back();
    topic.name = partition.topic;
    topic.partition_indexes.push_back(partition.partition);
    return run.actor->client.call_leader(partition, request, options);
  };
  const auto response = co_await attempt_any<DescribeProducersResponse>(run, call);
  set_outcome(run, response);
  if (run.answer.outcome != "NONE") co_return;
  std::vector<std::int64_t> open;
  std::int64_t producers = 0;
  for (const auto& topic : response->topics)
    for (const auto& it : topic.partitions)
      for (const auto& producer : it.active_producers) {
        ++producers;
        if (producer.current_txn_start_offset >= 0)
          open.push_back(producer.current_txn_start_offset);
      }
  std::sort(open.begin(), open.end());
  std::vector<std::string> shown;
  for (const std::int64_t offset : open) shown.push_back(std::to_string(offset));
  run.answer.set("open", list_node(shown));
  run.answer.set("producers", number_node(producers));
}

WriteTxnMarkersRequest marker_request(const StepRun& run, const client::TopicPartition& partition) {
  const Arguments& arguments = run.arguments();
  client::ProducerIdentity identity;
  if (!run.actor->sessions.empty()) identity = run.actor->sessions.back()->identity();
  WriteTxnMarkersRequest request;
  auto& marker = request.markers.emplace_back();
  marker.producer_id = arguments.integer("producer_id").value_or(identity.id);
  marker.producer_epoch =
      static_cast<std::int16_t>(arguments.integer("producer_epoch").value_or(identity.epoch));
  marker.transaction_result = arguments.text("result") == "commit";
  marker.coordinator_epoch =
      static_cast<std::int32_t>(arguments.integer("coordinator_epoch").value_or(0));
  marker.transaction_version =
      static_cast<std::int8_t>(arguments.integer("transaction_version").value_or(0));
  auto& topic = marker.topics.emplace_back();
  topic.name = partition.topic;
  topic.partition_indexes.push_back(partition.partition);
  return request;
}

asio::awaitable<void> write_txn_markers(StepRun& run) {
  for (const TopicPartition& it : run.arguments().partitions("to")) {
    const client::TopicPartition partition = run.naming->real(it);
    const Call<WriteTxnMarkersResponse> call = [&run, partition](CallOptions options) {
      return run.actor->client.call_leader(partition, marker_request(run, partition), options);
    };
    const auto response = co_await attempt_any<WriteTxnMarkersResponse>(run, call);
    set_outcome(run, response);
    if (run.answer.outcome != "NONE") co_return;
  }
}

asio::awaitable<void> create_topics(StepRun& run) {
  const Arguments& arguments = run.arguments();
  CreateTopicsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = run.naming->real(arguments.text("name").value_or(""));
  topic.num_partitions = static_cast<std::int32_t>(arguments.integer("partitions").value_or(1));
  topic.replication_factor =
      static_cast<std::int16_t>(arguments.integer("replication_factor").value_or(1));
  const Call<CreateTopicsResponse> call = [&run, request](CallOptions options) {
    return run.actor->client.call_any(request, options);
  };
  const auto response = co_await attempt_any<CreateTopicsResponse>(run, call);
  set_outcome(run, response);
}

asio::awaitable<void> delete_records(StepRun& run) {
  const client::TopicPartition partition =
      run.naming->real(run.arguments().partitions("of").front());
  DeleteRecordsRequest request;
  request.timeout_ms = 30000;
  auto& topic = request.topics.emplace_back();
  topic.name = partition.topic;
  auto& one = topic.partitions.emplace_back();
  one.partition_index = partition.partition;
  one.offset = run.arguments().integer("before").value_or(0);
  const Call<DeleteRecordsResponse> call = [&run, partition, request](CallOptions options) {
    return run.actor->client.call_leader(partition, request, options);
  };
  const auto response = co_await attempt_any<DeleteRecordsResponse>(run, call);
  set_outcome(run, response);
  if (run.answer.outcome != "NONE") co_return;
  for (const auto& it : response->topics)
    for (const auto& result : it.partitions)
      run.answer.set("low_watermark", number_node(result.low_watermark));
}

asio::awaitable<void> describe_groups(StepRun& run) {
  const std::string group = run.naming->real(run.arguments().text("group").value_or(""));
  const Call<DescribeGroupsResponse> call = [&run, group](CallOptions options) {
    DescribeGroupsRequest request;
    request.groups.push_back(group);
    return run.actor->client.call_coordinator(CoordinatorType::group, group, request, options);
  };
  const auto response = co_await attempt_any<DescribeGroupsResponse>(run, call);
  set_outcome(run, response);
  if (run.answer.outcome != "NONE" || response->groups.empty()) co_return;
  const auto& described = response->groups.front();
  run.answer.set("state", text_node(described.group_state));
  run.answer.set("members", number_node(static_cast<std::int64_t>(described.members.size())));
}

asio::awaitable<void> offset_delete(StepRun& run) {
  run.actor->group = run.arguments().text("group").value_or(run.actor->group);
  OffsetDeleteRequest request;
  request.group_id = run.naming->real(run.actor->group);
  for (const TopicPartition& it : run.arguments().partitions("partitions")) {
    const client::TopicPartition partition = run.naming->real(it);
    request.topics.push_back({partition.topic, {{partition.partition, {}}}, {}});
  }
  const Call<OffsetDeleteResponse> call = [&run, request](CallOptions options) {
    return run.actor->client.call_coordinator(CoordinatorType::group, request.group_id, request,
                                              options);
  };
  const auto response = co_await attempt_any<OffsetDeleteResponse>(run, call);
  set_outcome(run, response);
}

asio::awaitable<void> metadata(StepRun& run) {
  std::vector<std::string> topics = run.arguments().texts("topics");
  if (topics.empty())
    for (const auto& topic : run.scenario->topics) topics.push_back(topic.name);
  MetadataRequest request;
  request.allow_auto_topic_creation = false;
  request.topics.emplace();
  for (const std::string& topic : topics)
    request.topics->push_back({Uuid{}, run.naming->real(topic), {}});
  const Call<MetadataResponse> call = [&run, request](CallOptions options) {
    return run.actor->client.call_any(request, options);
  };
  const auto response = co_await attempt_any<MetadataResponse>(run, call);
  set_outcome(run, response);
  if (run.answer.outcome != "NONE") co_return;
  std::vector<std::pair<std::string, std::string>> counts;
  for (const auto& topic : response->topics)
    counts.emplace_back(run.naming->shown(topic.name.value_or("?")),
                        std::to_string(topic.partitions.size()));
  run.answer.set("topics", map_node(counts));
  run.answer.set("brokers", number_node(static_cast<std::int64_t>(response->brokers.size())));
}

asio::awaitable<void> api_versions(StepRun& run) {
  ApiVersionsRequest request;
  request.client_software_name = "fencepost";
  request.client_software_version = "1";
  const Call<ApiVersionsResponse> call = [&run, request](CallOptions options) {
    return run.actor->client.call_any(request, options);
  };
  const auto response = co_await attempt_any<ApiVersionsResponse>(run, call);
  set_outcome(run, response);
  if (run.answer.outcome != "NONE") co_return;
  int level = 0;
  for (const auto& feature : response->finalized_features)
    if (feature.name == "transaction.version") level = feature.max_version_level;
  run.answer.set("transaction_version", number_node(level));
}

}  // namespace

asio::awaitable<bool> perform_admin_verb(StepRun& run) {
  const std::string_view verb = run.step->verb->name;
  if (verb == "find_coordinator") {
    co_await find_coordinator(run);
  } else if (verb == "describe_transactions") {
    co_await describe_transactions(run);
  } else if (verb == "describe_producers") {
    co_await describe_producers(run);
  } else if (verb == "write_txn_markers") {
    co_await write_txn_markers(run);
  } else if (verb == "create_topics") {
    co_await create_topics(run);
  } else if (verb == "delete_records") {
    co_await delete_records(run);
  } else if (verb == "describe_groups") {
    co_await describe_groups(run);
  } else if (verb == "offset_delete") {
    co_await offset_delete(run);
  } else if (verb == "metadata") {
    co_await metadata(run);
  } else if (verb == "api_versions") {
    co_await api_versions(run);
  } else {
    co_return false;
  }
  co_return true;
}

}  // namespace fencepost::scenario
