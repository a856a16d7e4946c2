#include "minibroker/topic_partition.h"

#include <limits>

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
  // The absolute value, not the hash without its sign; the one that has none counts as 0.
  const auto signed_hash = static_cast<std::int32_t>(hash);
  if (signed_hash == std::numeric_limits<std::int32_t>::min()) return 0;
  return (signed_hash < 0 ? -signed_hash : signed_hash) % partition_count;
}

}  // namespace fencepost::minibroker
