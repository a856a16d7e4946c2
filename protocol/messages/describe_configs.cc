#include "protocol/messages/describe_configs.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeConfigsRequest>;
template struct Codec<DescribeConfigsResponse>;

}  // namespace fencepost::protocol
