#include "protocol/records/consumer_group_log.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ConsumerGroupMetadataKey>;
template struct Codec<ConsumerGroupMetadataValue>;
template struct Codec<ConsumerGroupPartitionMetadataKey>;
template struct Codec<ConsumerGroupPartitionMetadataValue>;
template struct Codec<ConsumerGroupMemberMetadataKey>;
template struct Codec<ConsumerGroupMemberMetadataValue>;
template struct Codec<ConsumerGroupTargetAssignmentMetadataKey>;
template struct Codec<ConsumerGroupTargetAssignmentMetadataValue>;
template struct Codec<ConsumerGroupTargetAssignmentMemberKey>;
template struct Codec<ConsumerGroupTargetAssignmentMemberValue>;
template struct Codec<ConsumerGroupCurrentMemberAssignmentKey>;
template struct Codec<ConsumerGroupCurrentMemberAssignmentValue>;
template struct Codec<ConsumerGroupRegularExpressionKey>;
template struct Codec<ConsumerGroupRegularExpressionValue>;

}  // namespace fencepost::protocol
