// Pure functions over members, partition counts and bytes.
#include "client/range_assignor.h"

#include <algorithm>
#include <tuple>

#include "protocol/base/check.h"
#include "protocol/codec.h"
#include "protocol/records/consumer_protocol.h"

namespace fencepost::client {

namespace {

using protocol::ConsumerProtocolAssignment;
using protocol::ConsumerProtocolSubscription;

constexpr int consumer_protocol_version = 3;

template <class Message>
SharedBytes encode(const Message& message) {
  protocol::Writer writer;
  writer.int16(consumer_protocol_version);
  const Result<void> written =
      protocol::Codec<Message>::encode(writer, message, consumer_protocol_version);
  CHECK(written.ok());
  return writer.finish().flatten();
}

// Versions above ours are read as ours: later ones only add fields at the end.
template <class Message>
Result<Message> decode(const SharedBytes& bytes) {
  protocol::Reader reader(bytes);
  const int version = std::min<int>(reader.int16(), consumer_protocol_version);
  Message message;
  if (!reader.failed() && version < 0) reader.fail("version " + std::to_string(version));
  if (reader.failed() || !protocol::Codec<Message>::decode(reader, version, message))
    return reader.error();
  return message;
}

template <class Topics>
void append_by_topic(const std::vector<TopicPartition>& partitions, Topics* topics) {
  for (const TopicPartition& it : partitions) {
    if (topics->empty() || topics->back().topic != it.topic)
      topics->emplace_back().topic = it.topic;
    topics->back().partitions.push_back(it.partition);
  }
}

// Members with an instance id come first, by it; the others by their member id.
auto rank(const Subscriber& member) {
  return std::tuple(!member.group_instance_id.has_value(),
                    member.group_instance_id.value_or(std::string()), member.member_id);
}

}  // namespace

std::map<std::string, std::vector<TopicPartition>> assign_ranges(
    std::vector<Subscriber> subscribers, const std::map<std::string, int>& partition_counts) {
  std::sort(subscribers.begin(), subscribers.end(),
            [](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::map<std::string, std::vector<TopicPartition>> assignment;
  for (const Subscriber& member : subscribers) assignment[member.member_id];
  for (const auto& [topic, partition_count] : partition_counts) {
    std::vector<const Subscriber*> members;
    for (const Subscriber& member : subscribers)
      if (std::find(member.topics.begin(), member.topics.end(), topic) != member.topics.end())
        members.push_back(&member);
    if (members.empty()) continue;
    const int member_count = static_cast<int>(members.size());
    int next = 0;
    for (int i = 0; i < member_count; ++i) {
      const int share =
          partition_count / member_count + (i < partition_count % member_count ? 1 : 0);
      std::vector<TopicPartition>& own =
          assignment[members[static_cast<std::size_t>(i)]->member_id];
      for (int end = next + share; next < end; ++next) own.push_back(TopicPartition{topic, next});
    }
  }
  return assignment;
}

SharedBytes encode_subscription(const std::vector<std::string>& topics,
                                const std::vector<TopicPartition>& owned, std::int32_t generation) {
  ConsumerProtocolSubscription subscription;
  subscription.topics = topics;
  append_by_topic(owned, &subscription.owned_partitions);
  subscription.generation_id = generation;
  return encode(subscription);
}

Result<Subscriber> decode_subscription(const SharedBytes& bytes) {
  Result<ConsumerProtocolSubscription> subscription = decode<ConsumerProtocolSubscription>(bytes);
  if (!subscription) return subscription.error();
  Subscriber subscriber;
  subscriber.topics = std::move(subscription->topics);
  for (const auto& topic : subscription->owned_partitions)
    for (const std::int32_t partition : topic.partitions)
      subscriber.owned.push_back(TopicPartition{topic.topic, partition});
  subscriber.generation = subscription->generation_id;
  return subscriber;
}

SharedBytes encode_assignment(const std::vector<TopicPartition>& partitions) {
  ConsumerProtocolAssignment assignment;
  append_by_topic(partitions, &assignment.assigned_partitions);
  return encode(assignment);
}

Result<std::vector<TopicPartition>> decode_assignment(const SharedBytes& bytes) {
  std::vector<TopicPartition> partitions;
  if (bytes.empty()) return partitions;
  Result<ConsumerProtocolAssignment> assignment = decode<ConsumerProtocolAssignment>(bytes);
  if (!assignment) return assignment.error();
  for (const auto& topic : assignment->assigned_partitions)
    for (const std::int32_t partition : topic.partitions)
      partitions.push_back(TopicPartition{topic.topic, partition});
  return partitions;
}

}  // namespace fencepost::client
