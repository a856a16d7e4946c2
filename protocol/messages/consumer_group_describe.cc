#include "protocol/messages/consumer_group_describe.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ConsumerGroupDescribeRequest>;
template struct Codec<ConsumerGroupDescribeResponse>;

}  // namespace fencepost::protocol
