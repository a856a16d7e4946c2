#include "protocol/messages/describe_cluster.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeClusterRequest>;
template struct Codec<DescribeClusterResponse>;

}  // namespace fencepost::protocol
