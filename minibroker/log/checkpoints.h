// The small files that Kafka keeps beside its logs: offsets by partition in the data directory, the
// leader epochs and the topic's id in a partition's folder. All are lines of text.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "minibroker/log/leader_epochs.h"
#include "minibroker/topic_partition.h"
#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

inline constexpr const char* log_start_checkpoint = "log-start-offset-checkpoint";
inline constexpr const char* recovery_point_checkpoint = "recovery-point-offset-checkpoint";
inline constexpr const char* high_watermark_checkpoint = "replication-offset-checkpoint";
// How far a log is clean; only of those that compaction has worked on.
inline constexpr const char* cleaner_checkpoint = "cleaner-offset-checkpoint";
inline constexpr const char* leader_epoch_checkpoint = "leader-epoch-checkpoint";
inline constexpr const char* partition_metadata_file = "partition.metadata";

using OffsetsByPartition = std::map<TopicPartition, std::int64_t>;

SharedBytes write_offset_checkpoint(const OffsetsByPartition& offsets);
// Malformed for another version, a wrong count or a line that is not topic, partition and offset.
// An empty file is an empty checkpoint, as Kafka leaves it at first.
Result<OffsetsByPartition> read_offset_checkpoint(std::string_view text);

SharedBytes write_leader_epochs(const std::vector<LeaderEpochs::Entry>& entries);
// Malformed as above, or when the entries do not ascend.
Result<std::vector<LeaderEpochs::Entry>> read_leader_epochs(std::string_view text);

SharedBytes write_partition_metadata(const Uuid& topic_id);
Result<Uuid> read_partition_metadata(std::string_view text);

}  // namespace fencepost::minibroker
