#include "minibroker/group/assignors/java_order.h"

namespace fencepost::minibroker {

std::uint32_t java_hash(std::string_view utf8) {
  std::uint32_t hash = 0;
  std::size_t at = 0;
  const auto continuation = [&](std::uint32_t bits) {
    const auto byte = at < utf8.size() ? static_cast<unsigned char>(utf8[at++]) : 0U;
    return bits << 6 | (byte & 0x3fU);
  };
  while (at < utf8.size()) {
    const auto first = static_cast<unsigned char>(utf8[at++]);
    std::uint32_t letter = first;
    if (first >= 0xf0) {
      letter = continuation(continuation(continuation(first & 0x07U)));
    } else if (first >= 0xe0) {
      letter = continuation(continuation(first & 0x0fU));
    } else if (first >= 0xc0) {
      letter = continuation(first & 0x1fU);
    }
    if (letter < 0x10000) {
      hash = 31 * hash + letter;
      continue;
    }
    hash = 31 * hash + (0xd800 + ((letter - 0x10000) >> 10));
    hash = 31 * hash + (0xdc00 + ((letter - 0x10000) & 0x3ffU));
  }
  return hash;
}

std::uint32_t java_hash(const Uuid& uuid) {
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i)
    hash ^= static_cast<std::uint32_t>(uuid.bytes[i]) << (24 - 8 * (i % 4));
  return hash;
}

std::size_t grown_java_table(std::size_t key_count, std::size_t first_size) {
  std::size_t size = first_size;
  while (key_count > size * 3 / 4) size *= 2;
  return size;
}

std::size_t copied_java_table(std::size_t key_count) {
  const std::size_t wanted = key_count * 4 / 3 + 1;
  std::size_t size = default_java_table;
  while (size < wanted) size *= 2;
  return size;
}

}  // namespace fencepost::minibroker
