#include "protocol/messages/describe_topic_partitions.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeTopicPartitionsRequest>;
template struct Codec<DescribeTopicPartitionsResponse>;

}  // namespace fencepost::protocol
