#include "minibroker/disk/metadata_log.h"

#include <algorithm>
#include <limits>

#include "minibroker/log/log_recovery.h"
#include "minibroker/log/own_batches.h"

namespace fencepost::minibroker {

namespace {

std::string metadata_folder() {
  return to_string(TopicPartition{cluster_metadata_topic, 0});
}

// Kafka's id of the topic: the smallest one.
Uuid metadata_topic_id() {
  Uuid id;
  id.bytes.back() = 1;
  return id;
}

// One change of the metadata is one batch, however large.
LogSettings metadata_log_settings() {
  LogSettings settings;
  settings.rules.max_message_bytes = std::numeric_limits<std::int32_t>::max();
  settings.verifies_transactions = false;
  return settings;
}

Result<MetadataReplay> replay_all(const PartitionLog& log, const std::string& folder) {
  MetadataReplay replay;
  for (std::size_t i = 0; i < log.batches().size(); ++i) {
    const protocol::RecordBatchView batch = open_own(log.batches().bytes(i));
    if (batch.header().is_control_batch()) continue;
    const Result<std::vector<protocol::Record>> records = batch.records();
    if (!records) return records.error();
    for (const protocol::Record& record : *records) {
      const Result<void> applied = replay.apply(record.value.value_or(SharedBytes()));
      if (applied.ok()) continue;
      Error error = applied.error();
      error.text = folder + " cannot be followed at offset " + std::to_string(record.offset) +
                   ": " + error.text;
      return error;
    }
  }
  return replay;
}

}  // namespace

Result<MetadataLog> MetadataLog::open(Storage& storage, std::int64_t recovery_point,
                                      std::vector<std::string>& notes) {
  const std::string folder = metadata_folder();
  MetadataLog out{PartitionLog(metadata_log_settings())};
  out.written_.image = std::make_shared<const MetadataImage>();
  if (recovery_point == 0 && !has_segments(storage, folder)) return out;
  RecoveryRules rules;
  rules.recovery_point = recovery_point;
  Result<RecoveredLog> recovered = recover_log(storage, folder, metadata_log_settings(), rules);
  if (!recovered) return recovered.error();
  notes.insert(notes.end(), recovered->notes.begin(), recovered->notes.end());
  out.log_ = std::move(recovered->log);
  out.files_ = std::move(recovered->files);
  Result<MetadataReplay> replay = replay_all(out.log_, folder);
  if (!replay) return replay.error();
  out.written_ = replay->take();
  out.deleted_topics_ = replay->take_deleted_topics();
  constexpr std::int32_t epoch_max = std::numeric_limits<std::int32_t>::max();
  out.epoch_ = std::min(out.log_.leader_epochs().latest().value_or(0), epoch_max - 1) + 1;
  return out;
}

void MetadataLog::write(DurableMetadata now_known, const BrokerIdentities& identities, Instant now,
                        Storage& storage) {
  now_known.acl_ids = acl_ids_of(*now_known.image, written_.acl_ids);
  const std::vector<SharedBytes> values = metadata_changes(written_, now_known, identities);
  written_ = std::move(now_known);
  if (values.empty()) return;
  if (!files_) files_ = LogFiles::create(metadata_folder(), metadata_topic_id(), log_, storage);
  std::vector<protocol::NewRecord> records;
  for (const SharedBytes& value : values)
    records.push_back({to_timestamp(now), std::nullopt, value});
  const AppendOutcome appended = log_.append_as_leader(
      protocol::build_batch({}, records), AppendOrigin::coordinator, epoch_, no_guard, now);
  CHECK(appended.ok());
  log_.advance_high_watermark(log_.log_end_offset());
  files_->write(log_, storage);
}

void MetadataLog::close(Storage& storage) {
  if (files_) files_->close(log_, storage);
}

}  // namespace fencepost::minibroker
