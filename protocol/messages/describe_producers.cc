#include "protocol/messages/describe_producers.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeProducersRequest>;
template struct Codec<DescribeProducersResponse>;

}  // namespace fencepost::protocol
