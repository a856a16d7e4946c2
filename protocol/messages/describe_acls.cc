#include "protocol/messages/describe_acls.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeAclsRequest>;
template struct Codec<DescribeAclsResponse>;

}  // namespace fencepost::protocol
