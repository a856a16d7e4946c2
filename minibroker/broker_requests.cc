// What brokers ask of each other: markers for the partitions of a decided transaction, questions
// to the transaction coordinator, and the fetches of followers. All are ordinary Kafka requests.
#include <algorithm>
#include <limits>

#include "minibroker/broker.h"
#include "minibroker/handlers/handlers.h"
#include "protocol/messages/add_partitions_to_txn.h"

namespace fencepost::minibroker {

using protocol::ApiKey;
using protocol::Codec;
using protocol::ErrorCode;

namespace {

// Followers name topics rather than ids, so that people and fault rules can read their fetches.
constexpr std::int16_t replica_fetch_version = 12;
constexpr std::int32_t replica_fetch_partition_bytes_max = 1 << 20;
constexpr std::int32_t replica_fetch_response_bytes_max = 10 << 20;

// The highest version of a brokers' request in this era.
std::int16_t highest(const Era& era, ApiKey key) {
  return static_cast<std::int16_t>(era.versions_of(key).last);
}

transaction::MarkerResult result_of(const transaction::MarkerRequest& marker,
                                    const TopicPartition& partition, ErrorCode error) {
  return {marker.transactional_id,
          marker.producer_id,
          marker.producer_epoch,
          marker.coordinator_epoch,
          partition,
          error,
          false};
}

protocol::WriteTxnMarkersRequest::WritableTxnMarker to_wire(
    const transaction::MarkerRequest& marker) {
  protocol::WriteTxnMarkersRequest::WritableTxnMarker out;
  out.producer_id = marker.producer_id;
  out.producer_epoch = marker.producer_epoch;
  out.transaction_result = marker.is_commit;
  out.coordinator_epoch = marker.coordinator_epoch;
  out.transaction_version = static_cast<std::int8_t>(marker.transaction_version);
  for (const TopicPartition& partition : marker.partitions) {
    if (out.topics.empty() || out.topics.back().name != partition.topic)
      out.topics.push_back({partition.topic, {}, {}});
    out.topics.back().partition_indexes.push_back(partition.partition);
  }
  return out;
}

}  // namespace

std::uint64_t Broker::request_from(int to_broker, Purpose purpose, ApiKey key, std::int16_t version,
                                   Frame body, SentRequest sent) {
  const std::uint64_t token = ++last_token_;
  sent_.emplace(token, std::move(sent));
  requests_.push_back({token, to_broker, purpose, key, version, std::move(body)});
  return token;
}

void Broker::receive_answer(Turn& turn, std::uint64_t token,
                            const std::optional<SharedBytes>& body) {
  const auto found = sent_.find(token);
  if (found == sent_.end()) return;  // it was given up
  const SentRequest sent = std::move(found->second);
  sent_.erase(found);
  const SharedBytes* bytes = body ? &*body : nullptr;
  if (const auto* markers = std::get_if<MarkersSent>(&sent))
    take_marker_answer(turn, *markers, bytes);
  else if (const auto* fetch = std::get_if<ReplicaFetchSent>(&sent))
    take_replica_fetch(fetch->leader_id, bytes);
  else if (const auto* produce = std::get_if<ProduceVerificationSent>(&sent))
    handlers::on_produce_verified(*this, turn, produce->operation, bytes);
  else if (const auto* commit = std::get_if<OffsetVerificationSent>(&sent))
    handlers::on_offset_commit_verified(*this, turn, commit->operation, bytes);
  handle_ready(turn);
}

// ---- markers

void Broker::send_markers(Turn& turn, std::vector<transaction::MarkerRequest> markers) {
  std::map<int, std::vector<transaction::MarkerRequest>> by_leader;
  for (const transaction::MarkerRequest& marker : markers) {
    std::map<int, std::vector<TopicPartition>> partitions;
    for (const TopicPartition& partition : marker.partitions) {
      const PartitionImage* image = turn.controller.find_partition(partition);
      if (image != nullptr && image->leader_id >= 0) {
        partitions[image->leader_id].push_back(partition);
        continue;
      }
      transaction::MarkerResult result =
          result_of(marker, partition, ErrorCode::not_leader_or_follower);
      result.is_partition_deleted = image == nullptr;
      transactions_.on_marker_result(result, turn.now);
    }
    for (auto& [leader, led] : partitions) {
      transaction::MarkerRequest part = marker;
      part.partitions = std::move(led);
      by_leader[leader].push_back(std::move(part));
    }
  }
  for (auto& [leader, led] : by_leader) {
    protocol::WriteTxnMarkersRequest request;
    for (const transaction::MarkerRequest& marker : led) request.markers.push_back(to_wire(marker));
    const std::int16_t version = highest(era(), ApiKey::write_txn_markers);
    Result<Frame> body = Codec<protocol::WriteTxnMarkersRequest>::encode(request, version);
    CHECK(body.ok());
    request_from(leader, Purpose::markers, ApiKey::write_txn_markers, version, std::move(*body),
                 MarkersSent{std::move(led)});
  }
}

void Broker::take_marker_answer(Turn& turn, const MarkersSent& sent, const SharedBytes* body) {
  // By producer id and partition: an answer may come in any order.
  std::map<std::pair<std::int64_t, TopicPartition>, ErrorCode> errors;
  if (body != nullptr) {
    const Result<protocol::WriteTxnMarkersResponse> response =
        Codec<protocol::WriteTxnMarkersResponse>::decode(*body,
                                                         highest(era(), ApiKey::write_txn_markers));
    CHECK(response.ok());
    for (const auto& marker : response->markers)
      for (const auto& topic : marker.topics)
        for (const auto& partition : topic.partitions)
          errors[{marker.producer_id, {topic.name, partition.partition_index}}] =
              partition.error_code;
  }
  for (const transaction::MarkerRequest& marker : sent.markers)
    for (const TopicPartition& partition : marker.partitions) {
      const auto answered = errors.find({marker.producer_id, partition});
      const ErrorCode error =
          answered == errors.end() ? ErrorCode::not_leader_or_follower : answered->second;
      transactions_.on_marker_result(result_of(marker, partition, error), turn.now);
    }
}

// ---- verification

ErrorCode Broker::send_verification(Turn& turn, const Verification& question, SentRequest sent) {
  const TopicPartition coordinator{
      transaction_state_topic,
      coordinator_partition(question.transactional_id,
                            settings_.transaction_state_log_num_partitions)};
  const PartitionImage* image = turn.controller.find_partition(coordinator);
  if (image == nullptr || image->leader_id < 0) return ErrorCode::coordinator_not_available;
  protocol::AddPartitionsToTxnRequest request;
  auto& transaction = request.transactions.emplace_back();
  transaction.transactional_id = question.transactional_id;
  transaction.producer_id = question.producer_id;
  transaction.producer_epoch = question.producer_epoch;
  transaction.verify_only = question.is_verify_only;
  for (const TopicPartition& partition : question.partitions) {
    if (transaction.topics.empty() || transaction.topics.back().name != partition.topic)
      transaction.topics.push_back({partition.topic, {}, {}});
    transaction.topics.back().partitions.push_back(partition.partition);
  }
  const std::int16_t version = highest(era(), ApiKey::add_partitions_to_txn);
  Result<Frame> body = Codec<protocol::AddPartitionsToTxnRequest>::encode(request, version);
  CHECK(body.ok());
  request_from(image->leader_id, Purpose::verification, ApiKey::add_partitions_to_txn, version,
               std::move(*body), std::move(sent));
  return ErrorCode::none;
}

// ---- replication

void Broker::start_replica_fetches() {
  std::set<int> leaders;
  for (const auto& [partition, replica] : replicas_.all())
    if (replica.leader_id >= 0 && replica.leader_id != id_) leaders.insert(replica.leader_id);
  // The partitions have changed: a fetch under way does not ask for all of them.
  for (const auto& [leader, token] : replica_fetches_) sent_.erase(token);
  replica_fetches_.clear();
  for (int leader : leaders) fetch_from(leader);
}

void Broker::fetch_from(int leader_id) {
  protocol::FetchRequest request;
  request.replica_id = id_;
  request.max_wait_ms =
      static_cast<std::int32_t>(to_milliseconds(settings_.replica_fetch_wait_max));
  request.min_bytes = 1;
  request.max_bytes = replica_fetch_response_bytes_max;
  request.session_epoch = -1;
  for (const auto& [partition, replica] : replicas_.all()) {
    if (replica.leader_id != leader_id) continue;
    if (request.topics.empty() || request.topics.back().topic != partition.topic)
      request.topics.emplace_back().topic = partition.topic;
    auto& wanted = request.topics.back().partitions.emplace_back();
    wanted.partition = partition.partition;
    wanted.current_leader_epoch = replica.leader_epoch;
    wanted.fetch_offset = replica.log.log_end_offset();
    wanted.log_start_offset = replica.log.log_start_offset();
    wanted.partition_max_bytes = replica_fetch_partition_bytes_max;
  }
  if (request.topics.empty()) return;
  Result<Frame> body = Codec<protocol::FetchRequest>::encode(request, replica_fetch_version);
  CHECK(body.ok());
  replica_fetches_[leader_id] =
      request_from(leader_id, Purpose::replication, ApiKey::fetch, replica_fetch_version,
                   std::move(*body), ReplicaFetchSent{leader_id});
}

void Broker::take_replica_fetch(int leader_id, const SharedBytes* body) {
  if (body != nullptr) {
    const Result<protocol::FetchResponse> response =
        Codec<protocol::FetchResponse>::decode(*body, replica_fetch_version);
    CHECK(response.ok());
    for (const auto& topic : response->responses)
      for (const auto& answered : topic.partitions) {
        const TopicPartition partition{topic.topic, answered.partition_index};
        Replica* replica = replicas_.find(partition);
        if (replica == nullptr || replica->leader_id != leader_id ||
            answered.error_code != ErrorCode::none)
          continue;
        if (answered.records && !answered.records->bytes.empty())
          // What does not fit is fetched again from where the log ends.
          (void)replica->log.append_as_follower(answered.records->bytes, replica->leader_epoch);
        replica->log.advance_high_watermark(
            std::min(answered.high_watermark, replica->log.log_end_offset()));
        if (answered.log_start_offset > replica->log.log_start_offset())
          (void)replica->log.delete_records_before(answered.log_start_offset);
        replicas_.on_follower_changed(partition);
      }
  }
  fetch_from(leader_id);
}

}  // namespace fencepost::minibroker
