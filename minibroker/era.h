// Eras: what brokers of a Kafka release offer and how they behave. Each behaviour is named once, in
// the tables of era.cc; code asks an Era and never compares release numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/defects.h"
#include "protocol/api.h"

namespace fencepost::minibroker {

// A feature of a cluster (KIP-584): which levels its brokers support, and the one it is at.
struct Feature {
  std::string_view name;
  std::int16_t level_min = 0;
  std::int16_t level_max = 0;
  std::int16_t level = 0;  // 0: not finalized
};

struct Era {
  std::string name;                // "4.4"
  std::size_t release_column = 7;  // of the tables in era.cc

  // ---- the finalized levels of features

  std::int16_t group_version = 1;  // 1: the consumer group protocol (KIP-848)
  std::int16_t kraft_version = 0;
  std::int16_t metadata_version = 33;
  std::int16_t transaction_version = 2;  // 1: newer records in the coordinator's log; 2: see below

  // KIP-890 part 2 (transaction.version 2): EndTxn v5 bumps the epoch, Produce v12 and
  // TxnOffsetCommit v5 add the partition themselves.
  bool bumps_epoch_at_end() const { return transaction_version >= 2; }

  // ---- behaviours

  // KIP-890 part 1: the leader asks the coordinator before the first append of a transaction.
  bool verifies_partitions = true;
  // The same for the offsets partition (later than for data partitions).
  bool verifies_offset_commits = true;
  // Brokers know the feature transaction.version, at whatever level.
  bool has_transaction_version = true;
  // KAFKA-18660: a pending state change is looked at before the producer id.
  bool looks_at_pending_before_identity = true;
  // KAFKA-19690: the epoch is looked at before the verification guard.
  bool looks_at_epoch_before_guard = true;
  // The leader looks at the epoch before it asks the coordinator at all.
  bool looks_at_epoch_before_verification = true;
  // KAFKA-18604: an open transaction of an older epoch answers CONCURRENT_TRANSACTIONS at once.
  bool holds_back_before_marker = true;
  // KAFKA-19367: fence and abort together raise the epoch by one.
  bool fences_with_one_bump = true;
  // A transactional.id that starts anew forgets when its last transaction began. What is in the log
  // says so in every release; the coordinators written in Scala kept it until they loaded again.
  bool forgets_start_when_empty = true;
  // KIP-1228: a TV2 marker has to be newer than the stored epoch.
  bool demands_newer_marker_epoch = true;
  // Where records were deleted from within an open transaction, the LSO is at the start of the
  // batch that holds the log start, and so below it.
  bool stable_offset_is_of_batch = true;
  // KIP-1251: an older member epoch is accepted for a partition that the member still holds.
  bool knows_assignment_epochs = true;
  // The coordinator of Kafka 4 (KIP-848); the older one differs in which check comes first.
  bool has_new_group_coordinator = true;

  // KAFKA-15583: below min.insync.replicas the high watermark stands still.
  bool holds_high_watermark_below_min_in_sync = true;

  // No release has it: a mistake to look at.
  Defect defect = Defect::none;
  bool has(Defect it) const { return defect == it; }

  // The versions that brokers of this era answer; empty when they do not know the API.
  protocol::Versions versions_of(protocol::ApiKey key) const;
  // The features that brokers of this era know, by name, with the levels set here.
  std::vector<Feature> features() const;
  // False, and nothing is set, when the era does not have that feature or level.
  bool set_feature_level(std::string_view feature, std::int16_t level);

  bool operator==(const Era&) const = default;
};

Era era_3_5();
Era era_3_9();
Era era_4_4();
// All eras that can be asked for by name, oldest first.
std::vector<Era> eras();
std::optional<Era> find_era(std::string_view name);

}  // namespace fencepost::minibroker
