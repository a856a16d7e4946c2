// The order in which a java.util.HashMap hands out its keys. Kafka's assignors walk such maps, so
// that this order decides which member gets which partition: to assign as Kafka does is to walk in
// the same order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

// String.hashCode, over UTF-16 units; Uuid.hashCode.
std::uint32_t java_hash(std::string_view utf8);
std::uint32_t java_hash(const Uuid& uuid);

constexpr std::size_t default_java_table = 16;
// The table of a map of that many keys that began with `first_size` slots and grew.
std::size_t grown_java_table(std::size_t key_count, std::size_t first_size);
// The table of a HashSet that was made from a collection of that many elements.
std::size_t copied_java_table(std::size_t key_count);

// Keys that fall into one slot keep their order, the one in which they were put in.
template <class Key>
void order_in_java_table(std::vector<Key>& keys, std::size_t table_size) {
  const auto slot = [&](const Key& key) {
    const std::uint32_t hash = java_hash(key);
    return (hash ^ (hash >> 16)) & static_cast<std::uint32_t>(table_size - 1);
  };
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const Key& a, const Key& b) { return slot(a) < slot(b); });
}

template <class Key>
void sort_as_java_hash_map(std::vector<Key>& keys, std::size_t first_size = default_java_table) {
  order_in_java_table(keys, grown_java_table(keys.size(), first_size));
}

template <class Key>
void sort_as_copied_java_hash_set(std::vector<Key>& keys) {
  order_in_java_table(keys, copied_java_table(keys.size()));
}

}  // namespace fencepost::minibroker
