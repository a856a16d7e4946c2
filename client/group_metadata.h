// What a member of a group shows with an offset commit, and the offsets it commits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/topic_partition.h"

namespace fencepost::client {

constexpr std::int32_t unknown_generation = -1;

// The generation is the fencing token. With an unknown one the broker checks nothing while the
// group is empty.
struct GroupMetadata {
  std::string group_id;
  std::int32_t generation = unknown_generation;  // or the member epoch (KIP-848)
  std::string member_id;
  std::optional<std::string> group_instance_id = std::nullopt;
  bool operator==(const GroupMetadata&) const = default;
};

struct CommittedOffset {
  TopicPartition partition;
  std::int64_t offset = 0;
  std::int32_t leader_epoch = -1;
  std::string metadata = {};
  bool operator==(const CommittedOffset&) const = default;
};

}  // namespace fencepost::client
