// A small vocabulary for tests of one partition's log: producers, batches, markers.
#pragma once

#include <string>
#include <vector>

#include "minibroker/log/partition_log.h"

namespace fencepost::minibroker {

struct TestBatch {
  std::int64_t producer_id = protocol::no_producer_id;
  std::int16_t producer_epoch = protocol::no_producer_epoch;
  std::int32_t base_sequence = protocol::no_sequence;
  bool is_transactional = false;
  std::vector<std::string> values = {"v"};  // the key is "k"
  std::int64_t timestamp = 1000;

  SharedBytes bytes() const {
    protocol::RecordBatchOptions options;
    options.producer_id = producer_id;
    options.producer_epoch = producer_epoch;
    options.base_sequence = base_sequence;
    options.is_transactional = is_transactional;
    std::vector<protocol::NewRecord> records;
    for (const std::string& value : values)
      records.push_back({timestamp, SharedBytes::copy_of(std::string_view("k")),
                         SharedBytes::copy_of(std::string_view(value))});
    return protocol::build_batch(options, records);
  }
};

inline TestBatch plain(std::vector<std::string> values = {"v"}, std::int64_t timestamp = 1000) {
  TestBatch batch;
  batch.values = std::move(values);
  batch.timestamp = timestamp;
  return batch;
}

inline TestBatch idempotent(std::int64_t producer_id, std::int16_t producer_epoch,
                            std::int32_t base_sequence, int count = 1) {
  return {producer_id, producer_epoch, base_sequence, false,
          std::vector<std::string>(static_cast<std::size_t>(count), "v")};
}

inline TestBatch transactional(std::int64_t producer_id, std::int16_t producer_epoch,
                               std::int32_t base_sequence, int count = 1) {
  TestBatch batch = idempotent(producer_id, producer_epoch, base_sequence, count);
  batch.is_transactional = true;
  return batch;
}

constexpr Instant test_start = Instant{} + std::chrono::seconds(10);
constexpr std::int32_t test_leader_epoch = 3;

inline AppendOutcome append(PartitionLog& log, const TestBatch& batch,
                            VerificationGuard guard = no_guard, Instant now = test_start) {
  return log.append_as_leader(batch.bytes(), AppendOrigin::client, test_leader_epoch, guard, now);
}

// As a client's batch goes in whose partition the coordinator has confirmed.
inline AppendOutcome append_verified(PartitionLog& log, const TestBatch& batch,
                                     bool adds_partition = false) {
  const VerificationGuard guard = log.begin_verification(
      batch.producer_id, batch.base_sequence, batch.producer_epoch, adds_partition, test_start);
  return append(log, batch, guard);
}

inline AppendOutcome end_transaction(PartitionLog& log, protocol::ControlType type,
                                     std::int64_t producer_id, std::int16_t producer_epoch,
                                     std::int32_t coordinator_epoch = 0,
                                     int transaction_version = 0) {
  return log.append_marker(
      {type, producer_id, producer_epoch, coordinator_epoch, transaction_version},
      test_leader_epoch, test_start);
}
inline AppendOutcome commit(PartitionLog& log, std::int64_t producer_id,
                            std::int16_t producer_epoch) {
  return end_transaction(log, protocol::ControlType::commit, producer_id, producer_epoch);
}
inline AppendOutcome abort(PartitionLog& log, std::int64_t producer_id,
                           std::int16_t producer_epoch) {
  return end_transaction(log, protocol::ControlType::abort, producer_id, producer_epoch);
}

inline void replicate_all(PartitionLog& log) {
  log.advance_high_watermark(log.log_end_offset());
}

inline SharedBytes everything(const PartitionLog& log) {
  return log.read(log.log_start_offset(), log.log_end_offset(), std::size_t{1} << 30, true);
}

inline std::uint64_t digest_of(const PartitionLog& log) {
  Digest digest;
  log.add_to(digest);
  return digest.value();
}

}  // namespace fencepost::minibroker
