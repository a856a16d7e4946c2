#include "minibroker/handlers/verification.h"

#include "protocol/base/check.h"
#include "protocol/codec.h"
#include "protocol/messages/add_partitions_to_txn.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

ErrorCode check_epoch_before_verification(const Era& era, const PartitionLog& log,
                                          std::int64_t producer_id, std::int16_t producer_epoch,
                                          bool adds_partition) {
  const auto entry = log.producers().find(producer_id);
  const bool is_over =
      entry != log.producers().end() && producer_epoch < entry->second.producer_epoch;
  const bool is_looked_at = era.looks_at_epoch_before_verification &&
                            (adds_partition || log.settings().verifies_transactions);
  return is_over && is_looked_at ? ErrorCode::invalid_producer_epoch : ErrorCode::none;
}

ErrorCode check_marker_has_come(Broker& broker, const TopicPartition& partition,
                                std::int64_t producer_id, std::int16_t producer_epoch) {
  const Replica* replica = broker.replicas().find(partition);
  const bool is_awaited = replica != nullptr && replica->log.settings().verifies_transactions &&
                          replica->log.has_older_transaction(producer_id, producer_epoch);
  return is_awaited ? ErrorCode::concurrent_transactions : ErrorCode::none;
}

VerificationAnswer::VerificationAnswer(const Era& era, const SharedBytes* body) {
  if (body == nullptr) return;
  const Result<AddPartitionsToTxnResponse> response = Codec<AddPartitionsToTxnResponse>::decode(
      *body, era.versions_of(ApiKey::add_partitions_to_txn).last);
  CHECK(response.ok());
  for (const auto& transaction : response->results_by_transaction)
    for (const auto& topic : transaction.topic_results)
      for (const auto& partition : topic.results_by_partition)
        errors_[{topic.name, partition.partition_index}] = partition.partition_error_code;
}

ErrorCode VerificationAnswer::of(const TopicPartition& partition) const {
  const auto found = errors_.find(partition);
  return found == errors_.end() ? ErrorCode::network_exception : found->second;
}

ErrorCode produce_error(ErrorCode error, std::int16_t api_version) {
  switch (error) {
    case ErrorCode::producer_fenced:
      return ErrorCode::invalid_producer_epoch;
    case ErrorCode::transaction_abortable:
      return api_version >= 11 ? error : ErrorCode::invalid_txn_state;
    case ErrorCode::concurrent_transactions:
      return api_version >= 12 ? error : ErrorCode::not_enough_replicas;
    // Clients take it for passing and, unlike after others, do not look up the leader again.
    case ErrorCode::coordinator_load_in_progress:
    case ErrorCode::coordinator_not_available:
    case ErrorCode::not_coordinator:
    case ErrorCode::network_exception:
      return ErrorCode::not_enough_replicas;
    case ErrorCode::cluster_authorization_failed:
      return ErrorCode::invalid_txn_state;
    default:
      return error;
  }
}

ErrorCode txn_offset_commit_error(ErrorCode error, std::int16_t api_version) {
  switch (error) {
    case ErrorCode::producer_fenced:
      return ErrorCode::invalid_producer_epoch;
    case ErrorCode::transaction_abortable:
      return api_version >= 4 ? error : ErrorCode::invalid_txn_state;
    case ErrorCode::network_exception:
      return ErrorCode::coordinator_load_in_progress;
    case ErrorCode::not_leader_or_follower:
      return ErrorCode::not_coordinator;
    case ErrorCode::unknown_topic_or_partition:
      return ErrorCode::coordinator_not_available;
    default:
      return error;
  }
}

}  // namespace fencepost::minibroker::handlers
