#include "protocol/messages/describe_groups.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeGroupsRequest>;
template struct Codec<DescribeGroupsResponse>;

}  // namespace fencepost::protocol
