#include "tests/protocol/message_types.h"

#include <algorithm>

#include "protocol/api.h"
#include "protocol/base/check.h"
#include "protocol/messages/headers.h"
#include "protocol/records/consumer_group_log.h"
#include "protocol/records/consumer_protocol.h"
#include "protocol/records/control_records.h"
#include "protocol/records/group_log.h"
#include "protocol/records/transaction_log.h"

namespace fencepost::protocol {

std::vector<MessageType> all_message_types() {
  std::vector<MessageType> types{
      message_type<RequestHeader>(),
      message_type<ResponseHeader>(),
      message_type<ConsumerProtocolSubscription>(),
      message_type<ConsumerProtocolAssignment>(),
      message_type<EndTxnMarker>(),
      message_type<LeaderChangeMessage>(),
      message_type<AbortedTxn>(),
      message_type<ProducerSnapshot>(),
      message_type<TransactionLogKey>(),
      message_type<TransactionLogValue>(),
      message_type<LegacyOffsetCommitKey>(),
      message_type<LegacyOffsetCommitValue>(),
      message_type<OffsetCommitKey>(),
      message_type<OffsetCommitValue>(),
      message_type<GroupMetadataKey>(),
      message_type<GroupMetadataValue>(),
      message_type<ConsumerGroupMetadataKey>(),
      message_type<ConsumerGroupMetadataValue>(),
      message_type<ConsumerGroupPartitionMetadataKey>(),
      message_type<ConsumerGroupPartitionMetadataValue>(),
      message_type<ConsumerGroupMemberMetadataKey>(),
      message_type<ConsumerGroupMemberMetadataValue>(),
      message_type<ConsumerGroupTargetAssignmentMetadataKey>(),
      message_type<ConsumerGroupTargetAssignmentMetadataValue>(),
      message_type<ConsumerGroupTargetAssignmentMemberKey>(),
      message_type<ConsumerGroupTargetAssignmentMemberValue>(),
      message_type<ConsumerGroupCurrentMemberAssignmentKey>(),
      message_type<ConsumerGroupCurrentMemberAssignmentValue>(),
      message_type<ConsumerGroupRegularExpressionKey>(),
      message_type<ConsumerGroupRegularExpressionValue>(),
  };
  for (const Api& api : apis()) {
    types.push_back(api.request);
    types.push_back(api.response);
  }
  return types;
}

MessageType message_type_named(std::string_view name) {
  static const std::vector<MessageType> types = all_message_types();
  const auto found =
      std::ranges::find_if(types, [&](const MessageType& type) { return type.info->name == name; });
  CHECK(found != types.end());
  return *found;
}

}  // namespace fencepost::protocol
