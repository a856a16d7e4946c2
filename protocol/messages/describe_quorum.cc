#include "protocol/messages/describe_quorum.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeQuorumRequest>;
template struct Codec<DescribeQuorumResponse>;

}  // namespace fencepost::protocol
