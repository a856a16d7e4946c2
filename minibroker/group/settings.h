// The configuration of the group coordinator, by Kafka's keys and with Kafka's defaults.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/time.h"

namespace fencepost::minibroker {

// Which groups may change their protocol while they have members.
enum class MigrationPolicy { disabled, upgrade, downgrade, bidirectional };

// By Kafka's name, in any case; nothing for another text.
std::optional<MigrationPolicy> migration_policy(std::string_view name);

std::vector<std::string> split_at_commas(std::string_view list);

// group.consumer.*
struct ConsumerGroupSettings {
  Duration session_timeout = std::chrono::seconds(45);
  Duration heartbeat_interval = std::chrono::seconds(5);
  Duration assignment_interval = std::chrono::seconds(1);
  Duration regex_refresh_interval = std::chrono::minutes(10);
  int max_size = 2147483647;
  std::vector<std::string> assignors = {"uniform", "range"};  // the first is the default
  MigrationPolicy migration_policy = MigrationPolicy::bidirectional;
};

// group.* and offsets.*
struct GroupSettings {
  Duration min_session_timeout = std::chrono::seconds(6);
  Duration max_session_timeout = std::chrono::minutes(30);
  Duration initial_rebalance_delay = std::chrono::seconds(3);
  int max_size = 2147483647;
  int offset_metadata_max_bytes = 4096;
  Duration offsets_retention = std::chrono::hours(24 * 7);
  Duration offsets_retention_check_interval = std::chrono::minutes(10);
  Duration offset_commit_timeout = std::chrono::seconds(5);
  int offsets_partition_count = 50;
  ConsumerGroupSettings consumer = {};
};

}  // namespace fencepost::minibroker
