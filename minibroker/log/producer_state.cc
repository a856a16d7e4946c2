#include "minibroker/log/producer_state.h"

#include <limits>

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::RecordBatchHeader;

namespace {

// Sequences count within an epoch: those of an older one are of no use.
void move_to_epoch(ProducerEntry& entry, std::int16_t producer_epoch) {
  if (entry.producer_epoch == producer_epoch) return;
  entry.producer_epoch = producer_epoch;
  entry.batches.clear();
}

}  // namespace

std::int32_t ProducerEntry::last_sequence() const {
  return batches.empty() ? protocol::no_sequence : batches.back().last_sequence;
}

std::optional<RememberedBatch> find_duplicate(const ProducerEntry* entry,
                                              const RecordBatchHeader& batch) {
  if (entry == nullptr || entry->producer_epoch != batch.producer_epoch) return std::nullopt;
  for (const RememberedBatch& known : entry->batches)
    if (known.base_sequence == batch.base_sequence && known.last_sequence == batch.last_sequence())
      return known;
  return std::nullopt;
}

bool is_in_sequence(std::int32_t last_sequence, std::int32_t base_sequence) {
  if (last_sequence == std::numeric_limits<std::int32_t>::max()) return base_sequence == 0;
  return base_sequence == last_sequence + 1;
}

ErrorCode check_epoch(const ProducerEntry* entry, std::int16_t producer_epoch) {
  const std::int16_t stored =
      entry == nullptr ? protocol::no_producer_epoch : entry->producer_epoch;
  return producer_epoch < stored ? ErrorCode::invalid_producer_epoch : ErrorCode::none;
}

ErrorCode check_sequence(const ProducerEntry* entry, const VerificationEntry* verification,
                         const RecordBatchHeader& batch) {
  constexpr ErrorCode out_of_order = ErrorCode::out_of_order_sequence_number;
  if (verification != nullptr) {
    // With an epoch for each transaction, the first batch of all has to come first.
    const bool knows_no_batch = entry == nullptr || entry->batches.empty();
    if (verification->adds_partition && batch.base_sequence != 0 && knows_no_batch)
      return out_of_order;
    if (batch.base_sequence > verification->lowest_sequence) return out_of_order;
  }
  if (entry == nullptr || entry->producer_epoch == protocol::no_producer_epoch)
    return ErrorCode::none;  // nothing to compare with: new here, or expired (KIP-360)
  if (batch.producer_epoch != entry->producer_epoch)
    return batch.base_sequence == 0 ? ErrorCode::none : out_of_order;
  return is_in_sequence(entry->last_sequence(), batch.base_sequence) ? ErrorCode::none
                                                                     : out_of_order;
}

ErrorCode check_inside_transaction(const ProducerEntry* entry, const RecordBatchHeader& batch) {
  const bool is_open = entry != nullptr && entry->transaction_first_offset.has_value();
  return is_open && !batch.is_transactional() ? ErrorCode::invalid_txn_state : ErrorCode::none;
}

ErrorCode check_marker(const ProducerEntry* entry, std::int16_t producer_epoch,
                       std::int32_t coordinator_epoch, bool has_to_be_newer) {
  if (entry == nullptr) return ErrorCode::none;
  if (producer_epoch < entry->producer_epoch) return ErrorCode::invalid_producer_epoch;
  // The epoch of the transaction that is open is that of the last marker: this is its late copy.
  if (has_to_be_newer && producer_epoch == entry->producer_epoch && entry->transaction_first_offset)
    return ErrorCode::invalid_producer_epoch;
  if (coordinator_epoch < entry->coordinator_epoch)
    return ErrorCode::transaction_coordinator_fenced;
  return ErrorCode::none;
}

void apply_batch(ProducerEntry& entry, const RecordBatchHeader& batch) {
  move_to_epoch(entry, batch.producer_epoch);
  entry.batches.push_back({batch.base_sequence, batch.last_sequence(), batch.base_offset,
                           batch.last_offset(), batch.max_timestamp});
  if (entry.batches.size() > remembered_batches_max) entry.batches.erase(entry.batches.begin());
  entry.last_timestamp = batch.max_timestamp;
  if (batch.is_transactional() && !entry.transaction_first_offset)
    entry.transaction_first_offset = batch.base_offset;
}

std::optional<EndedTransaction> apply_marker(ProducerEntry& entry, const RecordBatchHeader& batch,
                                             const protocol::EndTransactionMarker& marker) {
  move_to_epoch(entry, batch.producer_epoch);
  entry.coordinator_epoch = marker.coordinator_epoch;
  entry.last_timestamp = batch.max_timestamp;
  if (!entry.transaction_first_offset) return std::nullopt;
  const EndedTransaction ended{*entry.transaction_first_offset, batch.base_offset,
                               marker.type == protocol::ControlType::abort};
  entry.transaction_first_offset.reset();
  return ended;
}

void expire(ProducerEntries& entries, std::int64_t now_ms, std::int64_t expiration_ms) {
  std::erase_if(entries, [&](const auto& named) {
    const ProducerEntry& entry = named.second;
    return !entry.transaction_first_offset && now_ms - entry.last_timestamp >= expiration_ms;
  });
}

void add_to(Digest& digest, const ProducerEntries& entries) {
  for (const auto& [producer_id, entry] : entries) {
    digest.add(producer_id);
    digest.add(entry.producer_epoch);
    digest.add(entry.coordinator_epoch);
    digest.add(entry.last_timestamp);
    digest.add(entry.transaction_first_offset.value_or(-1));
    for (const RememberedBatch& batch : entry.batches) {
      digest.add(batch.base_sequence);
      digest.add(batch.last_sequence);
      digest.add(batch.base_offset);
      digest.add(batch.last_offset);
      digest.add(batch.timestamp);
    }
  }
}

}  // namespace fencepost::minibroker
