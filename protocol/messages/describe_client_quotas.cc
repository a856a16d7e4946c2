#include "protocol/messages/describe_client_quotas.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeClientQuotasRequest>;
template struct Codec<DescribeClientQuotasResponse>;

}  // namespace fencepost::protocol
