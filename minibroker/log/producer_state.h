// What a partition knows of each producer that wrote to it, and the checks that its batches have to
// pass, in Kafka's order. Entries outlive the batches they come from (KIP-360): they go only by
// expiry or truncation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "minibroker/log/verification.h"
#include "protocol/base/digest.h"
#include "protocol/error_code.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

constexpr std::size_t remembered_batches_max = 5;

// A batch as its producer's entry remembers it, to recognise it when it is sent again.
struct RememberedBatch {
  std::int32_t base_sequence = protocol::no_sequence;
  std::int32_t last_sequence = protocol::no_sequence;
  std::int64_t base_offset = -1;
  std::int64_t last_offset = -1;
  std::int64_t timestamp = protocol::no_timestamp;  // the batch's largest
  bool operator==(const RememberedBatch&) const = default;
};

struct ProducerEntry {
  std::int16_t producer_epoch = protocol::no_producer_epoch;
  std::int32_t coordinator_epoch = -1;  // of the last marker
  std::int64_t last_timestamp = protocol::no_timestamp;
  std::optional<std::int64_t> transaction_first_offset;  // of the open transaction
  std::vector<RememberedBatch> batches;                  // of this epoch, oldest first

  // -1 when only a marker is known.
  std::int32_t last_sequence() const;
  bool operator==(const ProducerEntry&) const = default;
};

using ProducerEntries = std::map<std::int64_t, ProducerEntry>;

// A transaction that a marker has just ended.
struct EndedTransaction {
  std::int64_t first_offset = 0;
  std::int64_t marker_offset = 0;
  bool is_aborted = false;
  bool operator==(const EndedTransaction&) const = default;
};

// ---- checks; a missing entry stands for "no stored state"

// The remembered batch that this one repeats: same epoch, first and last sequence.
std::optional<RememberedBatch> find_duplicate(const ProducerEntry* entry,
                                              const protocol::RecordBatchHeader& batch);

// Whether the sequence follows: 2147483647 is followed by 0.
bool is_in_sequence(std::int32_t last_sequence, std::int32_t base_sequence);

// INVALID_PRODUCER_EPOCH for an epoch below the stored one.
protocol::ErrorCode check_epoch(const ProducerEntry* entry, std::int16_t producer_epoch);
// OUT_OF_ORDER_SEQUENCE_NUMBER unless the batch continues what is stored and, with a verification
// entry, nothing before it is still on its way.
protocol::ErrorCode check_sequence(const ProducerEntry* entry,
                                   const VerificationEntry* verification,
                                   const protocol::RecordBatchHeader& batch);
// INVALID_TXN_STATE for a batch outside the producer's open transaction.
protocol::ErrorCode check_inside_transaction(const ProducerEntry* entry,
                                             const protocol::RecordBatchHeader& batch);
// A marker: INVALID_PRODUCER_EPOCH or TRANSACTION_COORDINATOR_FENCED. `has_to_be_newer`: the epoch
// has to be above the stored one; an equal one is a repeat, good only when nothing is open
// (KIP-1228).
protocol::ErrorCode check_marker(const ProducerEntry* entry, std::int16_t producer_epoch,
                                 std::int32_t coordinator_epoch, bool has_to_be_newer);

// ---- changes

// The entry after this data batch; a transactional one opens a transaction unless one is open.
void apply_batch(ProducerEntry& entry, const protocol::RecordBatchHeader& batch);
// The entry after this marker; the transaction that it ended, if one was open.
std::optional<EndedTransaction> apply_marker(ProducerEntry& entry,
                                             const protocol::RecordBatchHeader& batch,
                                             const protocol::EndTransactionMarker& marker);
// Drops entries without open transaction whose last batch is at least `expiration_ms` old.
void expire(ProducerEntries& entries, std::int64_t now_ms, std::int64_t expiration_ms);

void add_to(Digest& digest, const ProducerEntries& entries);

}  // namespace fencepost::minibroker
