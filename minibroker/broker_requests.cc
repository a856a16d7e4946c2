// What brokers ask of each other: markers for the partitions of a decided transaction, and
// questions to the transaction coordinator. All are ordinary Kafka requests.
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

std::uint64_t Broker::request_from(Instant now, int to_broker, Purpose purpose, ApiKey key,
                                   std::int16_t version, Frame body, SentRequest sent) {
  const std::uint64_t token = ++last_token_;
  sent_.emplace(token, Sent{std::move(sent), to_broker, now + settings_.request_timeout});
  requests_.push_back({token, to_broker, purpose, key, version, std::move(body)});
  return token;
}

void Broker::receive_answer(Turn& turn, std::uint64_t token,
                            const std::optional<SharedBytes>& body) {
  const auto found = sent_.find(token);
  if (found == sent_.end()) return;  // it was given up
  const SentRequest sent = std::move(found->second.what);
  sent_.erase(found);
  const SharedBytes* bytes = body ? &*body : nullptr;
  if (const auto* markers = std::get_if<MarkersSent>(&sent))
    take_marker_answer(turn, *markers, bytes);
  else if (const auto* fetch = std::get_if<ReplicaFetchSent>(&sent))
    take_replica_fetch(turn.now, fetch->leader_id, bytes);
  else if (const auto* produce = std::get_if<ProduceVerificationSent>(&sent))
    handlers::on_produce_verified(*this, turn, produce->operation, bytes);
  else if (const auto* commit = std::get_if<OffsetVerificationSent>(&sent))
    handlers::on_offset_commit_verified(*this, turn, commit->operation, bytes);
  handle_ready(turn);
}

void Broker::give_up(Turn& turn, const std::vector<std::uint64_t>& tokens) {
  for (std::uint64_t token : tokens) receive_answer(turn, token, std::nullopt);
}

void Broker::lose_peer(Turn& turn, int broker_id) {
  std::vector<std::uint64_t> lost;
  for (const auto& [token, sent] : sent_)
    if (sent.to_broker == broker_id) lost.push_back(token);
  give_up(turn, lost);
}

// ---- markers

void Broker::send_markers(Turn& turn, std::vector<transaction::MarkerRequest> markers) {
  for (const transaction::MarkerRequest& marker : markers)
    reach(turn, "before", "markers", marker.transactional_id);
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
    request_from(turn.now, leader, Purpose::markers, ApiKey::write_txn_markers, version,
                 std::move(*body), MarkersSent{std::move(led)});
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
      if (error == ErrorCode::none && transactions_.has_all_markers(marker.transactional_id))
        reach(turn, "after", "markers", marker.transactional_id);
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
  request_from(turn.now, image->leader_id, Purpose::verification, ApiKey::add_partitions_to_txn,
               version, std::move(*body), std::move(sent));
  return ErrorCode::none;
}

}  // namespace fencepost::minibroker
