#include "minibroker/topic_partition.h"

namespace fencepost::minibroker {

namespace {

// One step of Java's String.hashCode.
void add_unit(std::uint32_t& hash, std::uint32_t unit) {
  hash = hash * 31 + unit;
}

}  // namespace

std::int32_t coordinator_partition(const std::string& key, int partition_count) {
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < key.size();) {
    const auto byte = static_cast<unsigned char>(key[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    std::uint32_t code_point = length == 1 ? byte : byte & (0x7fU >> length);
    for (std::size_t j = 1; j < length && i + j < key.size(); ++j)
      code_point = code_point << 6 | (static_cast<unsigned char>(key[i + j]) & 0x3fU);
    i += length;
    if (code_point < 0x10000) {
      add_unit(hash, code_point);
    } else {
      add_unit(hash, 0xd800 + ((code_point - 0x10000) >> 10));
      add_unit(hash, 0xdc00 + ((code_point - 0x10000) & 0x3ff));
    }
  }
  return static_cast<std::int32_t>((hash & 0x7fffffffU) %
                                   static_cast<std::uint32_t>(partition_count));
}

}  // namespace fencepost::minibroker
