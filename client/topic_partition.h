// A partition by its topic's name and its index.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace fencepost::client {

struct TopicPartition {
  std::string topic;
  std::int32_t partition = 0;
  auto operator<=>(const TopicPartition&) const = default;
};

inline std::string to_string(const TopicPartition& it) {
  return it.topic + "-" + std::to_string(it.partition);
}

}  // namespace fencepost::client
