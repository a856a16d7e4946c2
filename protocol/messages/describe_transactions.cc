#include "protocol/messages/describe_transactions.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeTransactionsRequest>;
template struct Codec<DescribeTransactionsResponse>;

}  // namespace fencepost::protocol
