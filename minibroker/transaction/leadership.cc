// Which partitions of __transaction_state this broker leads: loading, unloading, and where a
// transactional.id belongs.
#include "minibroker/transaction/coordinator.h"
#include "minibroker/transaction/transaction_log.h"

namespace fencepost::minibroker::transaction {

namespace {

std::map<std::string, TransactionMetadata> replay(const std::vector<ReplayedBatch>& batches) {
  std::map<std::string, TransactionMetadata> transactions;
  for (const ReplayedBatch& batch : batches) {
    if (batch.header.is_control_batch()) continue;
    for (const protocol::Record& record : batch.records) {
      Result<std::optional<LogEntry>> entry = read_log_record(record);
      // A log that cannot be read further: Kafka logs the error and serves what it has.
      if (!entry) return transactions;
      if (!entry->has_value()) continue;
      LogEntry& change = **entry;
      if (change.values)
        transactions.insert_or_assign(change.transactional_id,
                                      TransactionMetadata(std::move(*change.values)));
      else
        transactions.erase(change.transactional_id);
    }
  }
  return transactions;
}

}  // namespace

TransactionCoordinator::TransactionCoordinator(TransactionSettings settings, Era era, Instant start)
    : settings_(settings),
      era_(std::move(era)),
      next_abort_sweep_(start + settings.abort_sweep_interval),
      next_expiration_sweep_(start + settings.expiration_sweep_interval) {}

void TransactionCoordinator::begin_loading(std::int32_t partition) {
  unload(partition);
  partitions_[partition] = OwnedPartition{};
}

void TransactionCoordinator::load(std::int32_t partition, std::int32_t coordinator_epoch,
                                  const std::vector<ReplayedBatch>& batches, Instant now) {
  unload(partition);
  OwnedPartition& owned = partitions_[partition];
  owned.is_loading = false;
  owned.coordinator_epoch = coordinator_epoch;
  owned.transactions = replay(batches);
  for (auto& [transactional_id, metadata] : owned.transactions) {
    note_status(transactional_id, metadata);
    TransactionStatus status = metadata.values().status;
    if (era_.has(Defect::prepared_forgotten_at_load)) continue;
    if (status == TransactionStatus::prepare_commit || status == TransactionStatus::prepare_abort)
      start_markers(transactional_id, coordinator_epoch, metadata, metadata.prepare_complete(now),
                    now);
  }
}

void TransactionCoordinator::unload(std::int32_t partition) {
  auto owned = partitions_.find(partition);
  if (owned == partitions_.end()) return;
  for (const auto& [transactional_id, metadata] : owned->second.transactions) {
    rounds_.erase(transactional_id);
    ongoing_.erase(transactional_id);
  }
  partitions_.erase(owned);
}

TransactionCoordinator::Found TransactionCoordinator::find(const std::string& transactional_id) {
  Found found;
  found.partition = coordinator_partition(transactional_id, settings_.partition_count);
  auto owned = partitions_.find(found.partition);
  if (owned == partitions_.end()) {
    found.error = ErrorCode::not_coordinator;
    return found;
  }
  if (owned->second.is_loading) {
    found.error = ErrorCode::coordinator_load_in_progress;
    return found;
  }
  found.coordinator_epoch = owned->second.coordinator_epoch;
  auto metadata = owned->second.transactions.find(transactional_id);
  if (metadata != owned->second.transactions.end()) found.metadata = &metadata->second;
  return found;
}

std::int16_t TransactionCoordinator::cluster_transaction_version() const {
  return era_.transaction_version;
}

}  // namespace fencepost::minibroker::transaction
