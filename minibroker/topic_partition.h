// A partition by its topic's name and its index.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace fencepost::minibroker {

struct TopicPartition {
  std::string topic;
  std::int32_t partition = 0;
  auto operator<=>(const TopicPartition&) const = default;
};

inline std::string to_string(const TopicPartition& it) {
  return it.topic + "-" + std::to_string(it.partition);
}

inline constexpr const char* consumer_offsets_topic = "__consumer_offsets";
inline constexpr const char* transaction_state_topic = "__transaction_state";

// The partition of an internal topic that a group or transactional.id belongs to: Java's hash of
// its UTF-16 form, its absolute value, modulo the partition count.
std::int32_t coordinator_partition(const std::string& key, int partition_count);

}  // namespace fencepost::minibroker
