#include "protocol/catalog.h"

#include <algorithm>
#include <array>

#include "protocol/api.h"
#include "protocol/messages/headers.h"
#include "protocol/records/consumer_group_log.h"
#include "protocol/records/consumer_protocol.h"
#include "protocol/records/control_records.h"
#include "protocol/records/group_log.h"
#include "protocol/records/transaction_log.h"

namespace fencepost::protocol {

namespace {

template <class Key, class Value>
constexpr InternalRecordType internal_record(InternalTopic topic) {
  return {topic, message_type<Key>(), message_type<Value>()};
}

template <class Key, class Value>
constexpr InternalRecordType group_record() {
  return internal_record<Key, Value>(InternalTopic::consumer_offsets);
}

constexpr std::array internal_records{
    internal_record<TransactionLogKey, TransactionLogValue>(InternalTopic::transaction_state),
    group_record<LegacyOffsetCommitKey, LegacyOffsetCommitValue>(),
    group_record<OffsetCommitKey, OffsetCommitValue>(),
    group_record<GroupMetadataKey, GroupMetadataValue>(),
    group_record<ConsumerGroupMetadataKey, ConsumerGroupMetadataValue>(),
    group_record<ConsumerGroupPartitionMetadataKey, ConsumerGroupPartitionMetadataValue>(),
    group_record<ConsumerGroupMemberMetadataKey, ConsumerGroupMemberMetadataValue>(),
    group_record<ConsumerGroupTargetAssignmentMetadataKey,
                 ConsumerGroupTargetAssignmentMetadataValue>(),
    group_record<ConsumerGroupTargetAssignmentMemberKey,
                 ConsumerGroupTargetAssignmentMemberValue>(),
    group_record<ConsumerGroupCurrentMemberAssignmentKey,
                 ConsumerGroupCurrentMemberAssignmentValue>(),
    group_record<ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue>(),
};

std::vector<MessageType> collect() {
  std::vector<MessageType> types{
      message_type<RequestHeader>(),
      message_type<ResponseHeader>(),
      message_type<ConsumerProtocolSubscription>(),
      message_type<ConsumerProtocolAssignment>(),
      message_type<EndTxnMarker>(),
      message_type<LeaderChangeMessage>(),
      message_type<AbortedTxn>(),
      message_type<ProducerSnapshot>(),
  };
  for (const InternalRecordType& record : internal_records) {
    types.push_back(record.key);
    types.push_back(record.value);
  }
  for (const Api& api : apis()) {
    types.push_back(api.request);
    types.push_back(api.response);
  }
  return types;
}

}  // namespace

std::span<const MessageType> message_types() {
  static const std::vector<MessageType> types = collect();
  return types;
}

const MessageType* find_message_type(std::string_view name) {
  const auto found = std::ranges::find_if(
      message_types(), [&](const MessageType& type) { return type.info->name == name; });
  return found == message_types().end() ? nullptr : &*found;
}

std::string_view to_string(InternalTopic topic) {
  switch (topic) {
    case InternalTopic::transaction_state:
      return "__transaction_state";
    case InternalTopic::consumer_offsets:
      return "__consumer_offsets";
  }
  return "";
}

std::optional<InternalTopic> parse_internal_topic(std::string_view name) {
  for (InternalTopic topic : {InternalTopic::transaction_state, InternalTopic::consumer_offsets})
    if (to_string(topic) == name) return topic;
  return std::nullopt;
}

const InternalRecordType* find_internal_record_type(InternalTopic topic, std::int16_t type) {
  const auto found = std::ranges::find_if(internal_records, [&](const InternalRecordType& record) {
    return record.topic == topic && record.key.info->api_key == type;
  });
  return found == internal_records.end() ? nullptr : &*found;
}

}  // namespace fencepost::protocol
