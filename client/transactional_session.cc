// Each call: find the broker, choose the version that fits the transaction version, send, remember.
#include "client/transactional_session.h"

#include <algorithm>

#include "client/response_error.h"

namespace fencepost::client {

namespace {

using protocol::ApiKey;
using protocol::ErrorCode;

// The last versions of the time before KIP-890 part 2, and of the time before topic ids.
constexpr int produce_before_transaction_version_2 = 11;
constexpr int produce_before_topic_ids = 12;
constexpr int end_txn_before_transaction_version_2 = 4;
constexpr int txn_offset_commit_before_transaction_version_2 = 4;
constexpr int txn_offset_commit_before_topic_ids = 5;
constexpr int add_partitions_last_of_clients = 3;

// A zombie goes on with the sequences of its epoch; older ones than these nobody plays.
constexpr int epochs_remembered = 32;

std::optional<int> lower(std::optional<int> cap, int limit) {
  return cap.has_value() ? std::min(*cap, limit) : limit;
}

// Sequences wrap from 2147483647 to 0.
std::int32_t advance_sequence(std::int32_t sequence, std::int32_t count) {
  return static_cast<std::int32_t>((std::int64_t{sequence} + count) & 0x7fffffff);
}

// Whether the answer leaves no doubt that the batch is not in the log.
bool is_not_appended(const Result<protocol::ProduceResponse>& response) {
  if (!response)
    return response.error().kind != ErrorKind::unknown_outcome &&
           response.error().kind != ErrorKind::malformed;
  const ErrorCode code = first_error(response.value());
  return code != ErrorCode::none && code != ErrorCode::duplicate_sequence_number &&
         code != ErrorCode::request_timed_out &&
         code != ErrorCode::not_enough_replicas_after_append;
}

// The same partitions as AddPartitionsToTxn groups them: by topic.
std::vector<protocol::AddPartitionsToTxnRequest::AddPartitionsToTxnTopic> by_topic(
    const std::vector<TopicPartition>& partitions) {
  std::vector<protocol::AddPartitionsToTxnRequest::AddPartitionsToTxnTopic> topics;
  for (const TopicPartition& it : partitions) {
    auto topic = std::find_if(topics.begin(), topics.end(),
                              [&it](const auto& known) { return known.name == it.topic; });
    if (topic == topics.end()) {
      topic = topics.emplace(topics.end());
      topic->name = it.topic;
    }
    topic->partitions.push_back(it.partition);
  }
  return topics;
}

protocol::TxnOffsetCommitRequest commit_request(const GroupMetadata& group,
                                                const std::vector<CommittedOffset>& offsets,
                                                const ClusterClient& cluster) {
  protocol::TxnOffsetCommitRequest request;
  request.group_id = group.group_id;
  request.generation_id_or_member_epoch = group.generation;
  request.member_id = group.member_id;
  request.group_instance_id = group.group_instance_id;
  for (const CommittedOffset& it : offsets) {
    const std::string& name = it.partition.topic;
    auto topic = std::find_if(request.topics.begin(), request.topics.end(),
                              [&name](const auto& known) { return known.name == name; });
    if (topic == request.topics.end()) {
      topic = request.topics.emplace(request.topics.end());
      topic->name = name;
      topic->topic_id = cluster.topic_id(name);
    }
    protocol::TxnOffsetCommitRequest::TxnOffsetCommitRequestPartition partition;
    partition.partition_index = it.partition.partition;
    partition.committed_offset = it.offset;
    partition.committed_leader_epoch = it.leader_epoch;
    partition.committed_metadata = it.metadata;
    topic->partitions.push_back(std::move(partition));
  }
  return request;
}

// The request around a batch.
protocol::ProduceRequest produce_request(const ProduceCall& call, const Uuid& topic_id,
                                         std::optional<std::string> transactional_id,
                                         SharedBytes batch) {
  protocol::ProduceRequest request;
  request.transactional_id = std::move(transactional_id);
  request.acks = call.acks;
  request.timeout_ms = static_cast<std::int32_t>(to_milliseconds(call.timeout));
  protocol::ProduceRequest::PartitionProduceData data;
  data.index = call.partition.partition;
  data.records = protocol::Records{std::move(batch)};
  auto& topic = request.topic_data.emplace_back();
  topic.name = call.partition.topic;
  topic.topic_id = topic_id;
  topic.partition_data.push_back(std::move(data));
  return request;
}

// Sends a produce request; without acks there is an empty response.
Task<protocol::ProduceResponse> send_produce(std::shared_ptr<Connection> leader,
                                             protocol::ProduceRequest request,
                                             CallOptions options) {
  if (request.acks != 0) co_return co_await leader->call(std::move(request), options);
  Result<int> version = leader->choose_version(ApiKey::produce, options.version_max);
  if (!version) co_return version.error();
  Result<void> sent = co_await leader->post(std::move(request), version.value());
  if (!sent) co_return sent.error();
  co_return protocol::ProduceResponse();
}

}  // namespace

TransactionalSession::TransactionalSession(ClusterClient& cluster,
                                           std::optional<std::string> transactional_id)
    : cluster_(&cluster), transactional_id_(std::move(transactional_id)) {}

TransactionalSession::TransactionalSession(ClusterClient& cluster,
                                           const TransactionalSession& other)
    : TransactionalSession(other) {
  cluster_ = &cluster;
}

ProducerIdentity TransactionalSession::identity_of(const ProducerOverrides& overrides) const {
  return {overrides.producer_id.value_or(identity_.id),
          overrides.producer_epoch.value_or(identity_.epoch)};
}

int TransactionalSession::note_transaction_version(const Connection& connection) {
  int level = connection.feature_level("transaction.version");
  // A broker whose Produce cannot add partitions is used as one of transaction version 0.
  if (connection.versions_of(ApiKey::produce).last <= produce_before_transaction_version_2)
    level = std::min(level, 1);
  transaction_version_ = std::min(level, transaction_version_max_);
  return transaction_version_;
}

Task<std::shared_ptr<Connection>> TransactionalSession::coordinator(CallOptions options) {
  if (!transactional_id_.has_value()) co_return co_await cluster_->any_connection(options);
  std::string key = *transactional_id_;
  Result<std::shared_ptr<Connection>> found =
      co_await cluster_->coordinator_of(CoordinatorType::transaction, std::move(key), options);
  if (found.ok()) note_transaction_version(*found.value());
  co_return found;
}

std::int32_t TransactionalSession::next_sequence(const TopicPartition& partition) const {
  const auto found = sequences_.find(SequenceKey(identity_, partition));
  return found == sequences_.end() ? 0 : found->second;
}

std::int32_t TransactionalSession::reserve_sequence(const TopicPartition& partition,
                                                    std::int32_t count) {
  std::int32_t& next = sequences_[SequenceKey(identity_, partition)];
  return std::exchange(next, advance_sequence(next, count));
}

Task<protocol::InitProducerIdResponse> TransactionalSession::init_producer_id(
    Duration transaction_timeout, ProducerOverrides overrides) {
  const std::uint64_t this_call = ++identity_calls_;
  Result<std::shared_ptr<Connection>> broker = co_await coordinator(overrides.call);
  if (!broker) co_return broker.error();
  protocol::InitProducerIdRequest request;
  request.transactional_id = transactional_id_;
  request.transaction_timeout_ms = static_cast<std::int32_t>(to_milliseconds(transaction_timeout));
  request.producer_id = overrides.producer_id.value_or(protocol::no_producer_id);
  request.producer_epoch = overrides.producer_epoch.value_or(protocol::no_producer_epoch);
  Result<protocol::InitProducerIdResponse> response =
      co_await broker.value()->call(std::move(request), overrides.call);
  if (response.ok() && response->error_code == ErrorCode::none && this_call == identity_calls_)
    identity_ = ProducerIdentity{response->producer_id, response->producer_epoch};
  co_return response;
}

Task<protocol::AddPartitionsToTxnResponse> TransactionalSession::add_partitions_to_txn(
    std::vector<TopicPartition> partitions, ProducerOverrides overrides) {
  Result<std::shared_ptr<Connection>> broker = co_await coordinator(overrides.call);
  if (!broker) co_return broker.error();
  const int cap = overrides.call.version_max.value_or(add_partitions_last_of_clients);
  Result<int> version = broker.value()->choose_version(ApiKey::add_partitions_to_txn, cap);
  if (!version) co_return version.error();
  const ProducerIdentity identity = identity_of(overrides);
  protocol::AddPartitionsToTxnRequest request;
  if (version.value() > add_partitions_last_of_clients) {
    auto& transaction = request.transactions.emplace_back();
    transaction.transactional_id = transactional_id_.value_or("");
    transaction.producer_id = identity.id;
    transaction.producer_epoch = identity.epoch;
    transaction.topics = by_topic(partitions);
  } else {
    request.v3_and_below_transactional_id = transactional_id_.value_or("");
    request.v3_and_below_producer_id = identity.id;
    request.v3_and_below_producer_epoch = identity.epoch;
    request.v3_and_below_topics = by_topic(partitions);
  }
  co_return co_await broker.value()->call_exactly(std::move(request), version.value(),
                                                  overrides.call);
}

Task<protocol::ProduceResponse> TransactionalSession::produce(ProduceCall call) {
  if (call.records.empty())
    co_return Error{ErrorKind::invalid_argument, "a batch needs at least one record"};
  CallOptions options = call.overrides.call;
  Result<std::shared_ptr<Connection>> leader =
      co_await cluster_->leader_of(call.partition, options);
  if (!leader) co_return leader.error();
  const bool is_transactional = call.is_transactional && transactional_id_.has_value();
  const Uuid topic_id = cluster_->topic_id(call.partition.topic);
  if (topic_id.is_zero())
    options.version_max = lower(options.version_max, produce_before_topic_ids);
  if (is_transactional && note_transaction_version(*leader.value()) < 2)
    options.version_max = lower(options.version_max, produce_before_transaction_version_2);

  const ProducerIdentity identity = identity_of(call.overrides);
  const SequenceKey key(identity, call.partition);
  const auto count = static_cast<std::int32_t>(call.records.size());
  const bool is_remembered = !call.base_sequence.has_value() && identity.id >= 0;
  std::int32_t sequence = call.base_sequence.value_or(protocol::no_sequence);
  if (is_remembered) {
    sequence = sequences_[key];
    sequences_[key] = advance_sequence(sequence, count);
  }
  for (protocol::NewRecord& record : call.records)
    if (record.timestamp == protocol::no_timestamp)
      record.timestamp = to_timestamp(cluster_->clock().now());
  protocol::RecordBatchOptions batch;
  batch.compression = call.compression;
  batch.producer_id = identity.id;
  batch.producer_epoch = identity.epoch;
  batch.base_sequence = sequence;
  batch.is_transactional = is_transactional;
  protocol::ProduceRequest request =
      produce_request(call, topic_id, is_transactional ? transactional_id_ : std::nullopt,
                      protocol::build_batch(batch, call.records));
  Result<protocol::ProduceResponse> response =
      co_await send_produce(leader.value(), std::move(request), options);
  if (is_remembered && is_not_appended(response) &&
      sequences_[key] == advance_sequence(sequence, count))
    sequences_[key] = sequence;
  if (response.ok()) name_topics(*response);
  co_return response;
}

// Whoever reads an answer that names topics by id finds their names in it all the same.
void TransactionalSession::name_topics(protocol::ProduceResponse& response) const {
  for (auto& topic : response.responses)
    if (topic.name.empty()) topic.name = cluster_->topic_name(topic.topic_id);
}

Task<protocol::ProduceResponse> TransactionalSession::produce_batches(
    std::shared_ptr<Connection> leader, std::vector<EncodedBatch> batches, CallOptions options) {
  const Duration timeout = options.timeout.value_or(cluster_->options().connection.request_timeout);
  protocol::ProduceRequest request;
  request.transactional_id = transactional_id_;
  request.acks = -1;
  request.timeout_ms = static_cast<std::int32_t>(to_milliseconds(timeout));
  if (transactional_id_.has_value() && note_transaction_version(*leader) < 2)
    options.version_max = lower(options.version_max, produce_before_transaction_version_2);
  for (EncodedBatch& batch : batches) {
    const std::string& name = batch.partition.topic;
    auto topic = std::ranges::find(request.topic_data, name,
                                   &protocol::ProduceRequest::TopicProduceData::name);
    if (topic == request.topic_data.end()) {
      topic = request.topic_data.emplace(request.topic_data.end());
      topic->name = name;
      topic->topic_id = cluster_->topic_id(name);
      if (topic->topic_id.is_zero())
        options.version_max = lower(options.version_max, produce_before_topic_ids);
    }
    auto& data = topic->partition_data.emplace_back();
    data.index = batch.partition.partition;
    data.records = protocol::Records{std::move(batch.bytes)};
  }
  Result<protocol::ProduceResponse> response =
      co_await leader->call(std::move(request), std::move(options));
  if (response.ok()) name_topics(*response);
  co_return response;
}

Task<protocol::AddOffsetsToTxnResponse> TransactionalSession::add_offsets_to_txn(
    std::string group_id, ProducerOverrides overrides) {
  Result<std::shared_ptr<Connection>> broker = co_await coordinator(overrides.call);
  if (!broker) co_return broker.error();
  const ProducerIdentity identity = identity_of(overrides);
  protocol::AddOffsetsToTxnRequest request;
  request.transactional_id = transactional_id_.value_or("");
  request.producer_id = identity.id;
  request.producer_epoch = identity.epoch;
  request.group_id = std::move(group_id);
  co_return co_await broker.value()->call(std::move(request), overrides.call);
}

Task<protocol::TxnOffsetCommitResponse> TransactionalSession::txn_offset_commit(
    GroupMetadata group, std::vector<CommittedOffset> offsets, ProducerOverrides overrides) {
  CallOptions options = overrides.call;
  std::string key = group.group_id;
  Result<std::shared_ptr<Connection>> broker =
      co_await cluster_->coordinator_of(CoordinatorType::group, std::move(key), options);
  if (!broker) co_return broker.error();
  protocol::TxnOffsetCommitRequest request = commit_request(group, offsets, *cluster_);
  for (const auto& topic : request.topics)
    if (topic.topic_id.is_zero())
      options.version_max = lower(options.version_max, txn_offset_commit_before_topic_ids);
  if (note_transaction_version(*broker.value()) < 2)
    options.version_max =
        lower(options.version_max, txn_offset_commit_before_transaction_version_2);
  const ProducerIdentity identity = identity_of(overrides);
  request.transactional_id = transactional_id_.value_or("");
  request.producer_id = identity.id;
  request.producer_epoch = identity.epoch;
  Result<protocol::TxnOffsetCommitResponse> response =
      co_await broker.value()->call(std::move(request), options);
  if (response.ok())
    for (auto& topic : response->topics)
      if (topic.name.empty()) topic.name = cluster_->topic_name(topic.topic_id);
  co_return response;
}

Task<protocol::EndTxnResponse> TransactionalSession::end_txn(bool committed,
                                                             ProducerOverrides overrides) {
  const std::uint64_t this_call = ++identity_calls_;
  CallOptions options = overrides.call;
  Result<std::shared_ptr<Connection>> broker = co_await coordinator(options);
  if (!broker) co_return broker.error();
  if (transaction_version_ < 2)
    options.version_max = lower(options.version_max, end_txn_before_transaction_version_2);
  const ProducerIdentity identity = identity_of(overrides);
  protocol::EndTxnRequest request;
  request.transactional_id = transactional_id_.value_or("");
  request.producer_id = identity.id;
  request.producer_epoch = identity.epoch;
  request.committed = committed;
  Result<protocol::EndTxnResponse> response =
      co_await broker.value()->call(std::move(request), options);
  const bool is_own = !overrides.producer_id.has_value() && !overrides.producer_epoch.has_value();
  if (is_own && response.ok() && response->error_code == ErrorCode::none &&
      response->producer_id >= 0 && this_call == identity_calls_) {
    identity_ = ProducerIdentity{response->producer_id, response->producer_epoch};
    forget_old_epochs();
  }
  co_return response;
}

// Every transaction has an epoch of its own from transaction version 2 on: without this each would
// leave something behind.
void TransactionalSession::forget_old_epochs() {
  const int oldest = identity_.epoch - epochs_remembered;
  if (oldest <= 0) return;
  const ProducerIdentity first{identity_.id, 0};
  const ProducerIdentity kept{identity_.id, static_cast<std::int16_t>(oldest)};
  sequences_.erase(sequences_.lower_bound(SequenceKey(first, TopicPartition())),
                   sequences_.lower_bound(SequenceKey(kept, TopicPartition())));
}

}  // namespace fencepost::client
