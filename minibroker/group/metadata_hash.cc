#include "minibroker/group/metadata_hash.h"

#include <xxhash.h>

#include <vector>

namespace fencepost::minibroker {

namespace {

// Little-endian, text as UTF-16 with its length behind it: the byte stream of the library (hash4j)
// that Kafka hashes with. Names of topics are ASCII.
class HashStream {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(value); }
  void int32(std::int32_t value) { little_endian(static_cast<std::uint32_t>(value), 4); }
  void int64(std::uint64_t value) { little_endian(value, 8); }
  void text(const std::string& ascii) {
    for (char letter : ascii) little_endian(static_cast<unsigned char>(letter), 2);
    int32(static_cast<std::int32_t>(ascii.size()));
  }
  std::int64_t hash() const {
    return static_cast<std::int64_t>(XXH3_64bits(bytes_.data(), bytes_.size()));
  }

 private:
  void little_endian(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  std::vector<std::uint8_t> bytes_;
};

std::uint64_t half(const Uuid& uuid, std::size_t first) {
  std::uint64_t value = 0;
  for (std::size_t i = first; i < first + 8; ++i) value = value << 8 | uuid.bytes[i];
  return value;
}

}  // namespace

std::int64_t topic_hash(const std::string& name, const TopicFacts& topic) {
  HashStream stream;
  stream.byte(0);  // the version of this scheme
  stream.int64(half(topic.id, 0));
  stream.int64(half(topic.id, 8));
  stream.text(name);
  stream.int32(topic.partition_count);
  // Each partition, and the racks of its replicas: brokers here have none.
  for (std::int32_t i = 0; i < topic.partition_count; ++i) stream.int32(i);
  return stream.hash();
}

std::int64_t metadata_hash(const SubscriptionCounts& subscribed, const TopicDirectory& topics) {
  HashStream stream;
  bool is_empty = true;
  for (const auto& [name, count] : subscribed) {
    const TopicFacts* topic = topics.find(name);
    if (topic == nullptr) continue;
    is_empty = false;
    stream.int64(static_cast<std::uint64_t>(topic_hash(name, *topic)));
  }
  return is_empty ? 0 : stream.hash();
}

}  // namespace fencepost::minibroker
