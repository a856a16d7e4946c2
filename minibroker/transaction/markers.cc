// Markers: one for each partition of a decided transaction. What fails for a passing reason is
// asked again; when the last partition has its marker, Complete* is written. Source: KIP-98.
#include "minibroker/transaction/markers.h"

#include "minibroker/transaction/coordinator.h"

namespace fencepost::minibroker::transaction {

namespace {

using protocol::ErrorCode;

enum class MarkerReaction {
  done,
  retry,    // the leader is looked up afresh
  abandon,  // somebody newer is assumed to own the id
  stall,  // Kafka's sender thread dies; the transaction stays Prepare* until the coordinator moves
};

MarkerReaction reaction_to(ErrorCode error) {
  switch (error) {
    case ErrorCode::none:
    case ErrorCode::unsupported_for_message_format:
    case ErrorCode::unsupported_version:
      return MarkerReaction::done;
    case ErrorCode::unknown_topic_or_partition:
    case ErrorCode::not_leader_or_follower:
    case ErrorCode::not_enough_replicas:
    case ErrorCode::not_enough_replicas_after_append:
    case ErrorCode::request_timed_out:
    case ErrorCode::kafka_storage_error:
    case ErrorCode::network_exception:
      return MarkerReaction::retry;
    case ErrorCode::invalid_producer_epoch:
    case ErrorCode::transaction_coordinator_fenced:
      return MarkerReaction::abandon;
    default:  // a wire value, not a state: every other number is one that no leader should answer
      return MarkerReaction::stall;
  }
}

}  // namespace

void TransactionCoordinator::start_markers(const std::string& transactional_id,
                                           std::int32_t coordinator_epoch,
                                           const TransactionMetadata& metadata,
                                           TransactionValues complete, Instant now) {
  const TransactionValues& values = metadata.values();
  MarkerRound round;
  round.marker.transactional_id = transactional_id;
  round.marker.producer_id = values.producer_id;
  round.marker.producer_epoch = values.producer_epoch;
  round.marker.is_commit = values.status == TransactionStatus::prepare_commit;
  round.marker.coordinator_epoch = coordinator_epoch;
  round.marker.transaction_version = values.client_transaction_version;
  round.complete = std::move(complete);
  round.in_flight = values.partitions;
  TransactionMetadata& decided = *find(transactional_id).metadata;
  if (era_.has(Defect::last_marker_missing) && !round.in_flight.empty()) {
    const TopicPartition last = *round.in_flight.rbegin();
    round.in_flight.erase(last);
    decided.remove_partition(last);
  }
  ask_for_markers(round, round.in_flight);
  if (era_.has(Defect::completed_before_markers))
    for (const TopicPartition& it : std::exchange(round.in_flight, {}))
      decided.remove_partition(it);
  rounds_.insert_or_assign(transactional_id, std::move(round));
  complete_when_marked(transactional_id, now);
}

void TransactionCoordinator::ask_for_markers(const MarkerRound& round,
                                             const std::set<TopicPartition>& partitions) {
  if (partitions.empty()) return;
  MarkerRequest request = round.marker;
  request.partitions.assign(partitions.begin(), partitions.end());
  if (era_.has(Defect::marker_sent_twice)) markers_.push_back(request);
  if (era_.has(Defect::markers_disagree) && request.is_commit && partitions.size() > 1) {
    MarkerRequest other = request;
    other.is_commit = false;
    other.partitions = {request.partitions.back()};
    request.partitions.pop_back();
    markers_.push_back(std::move(other));
  }
  markers_.push_back(std::move(request));
}

void TransactionCoordinator::on_marker_result(const MarkerResult& result, Instant now) {
  auto found_round = rounds_.find(result.transactional_id);
  if (found_round == rounds_.end()) return note_late_marker(result);
  MarkerRound& round = found_round->second;
  // The answer to a marker of another round says nothing about this one.
  if (round.marker.producer_id != result.producer_id ||
      round.marker.producer_epoch != result.producer_epoch ||
      round.marker.coordinator_epoch != result.coordinator_epoch)
    return;
  if (round.in_flight.erase(result.partition) == 0) return;
  MarkerReaction reaction =
      result.is_partition_deleted ? MarkerReaction::done : reaction_to(result.error);
  switch (reaction) {
    case MarkerReaction::done: {
      Found found = find(result.transactional_id);
      CHECK(found.metadata != nullptr);  // rounds end with the leadership of their partition
      found.metadata->remove_partition(result.partition);
      if (era_.has(Defect::last_acknowledgement_unnoticed)) return;
      return complete_when_marked(result.transactional_id, now);
    }
    case MarkerReaction::retry:
      round.retries[result.partition] = now + settings_.marker_retry_backoff;
      return;
    case MarkerReaction::abandon:
      rounds_.erase(found_round);
      return;
    case MarkerReaction::stall:
      return;
  }
}

// The round was abandoned; what else has its marker is struck off all the same.
void TransactionCoordinator::note_late_marker(const MarkerResult& result) {
  const Found found = find(result.transactional_id);
  const bool is_done =
      result.is_partition_deleted || reaction_to(result.error) == MarkerReaction::done;
  if (found.metadata == nullptr || !is_done || found.coordinator_epoch != result.coordinator_epoch)
    return;
  const TransactionValues& values = found.metadata->values();
  const bool is_decided = values.status == TransactionStatus::prepare_commit ||
                          values.status == TransactionStatus::prepare_abort;
  if (is_decided && values.producer_id == result.producer_id &&
      values.producer_epoch == result.producer_epoch)
    found.metadata->remove_partition(result.partition);
}

void TransactionCoordinator::complete_when_marked(const std::string& transactional_id,
                                                  Instant now) {
  Found found = find(transactional_id);
  CHECK(found.metadata != nullptr);
  if (!found.metadata->values().partitions.empty()) return;
  MarkerRound& round = rounds_.at(transactional_id);
  round.completion_retry.reset();
  write_step(transactional_id, found, round.complete, Waiter{}, now);
}

bool TransactionCoordinator::has_all_markers(const std::string& transactional_id) {
  const Found found = find(transactional_id);
  return rounds_.contains(transactional_id) && found.metadata != nullptr &&
         found.metadata->values().partitions.empty();
}

void TransactionCoordinator::retry_markers(Instant now) {
  for (auto& [transactional_id, round] : rounds_) {
    std::set<TopicPartition> due;
    for (const auto& [partition, at] : round.retries)
      if (at <= now) due.insert(partition);
    for (const TopicPartition& partition : due) round.retries.erase(partition);
    round.in_flight.insert(due.begin(), due.end());
    ask_for_markers(round, due);
    if (round.completion_retry && *round.completion_retry <= now)
      complete_when_marked(transactional_id, now);
  }
}

}  // namespace fencepost::minibroker::transaction
