#include "protocol/messages/describe_log_dirs.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeLogDirsRequest>;
template struct Codec<DescribeLogDirsResponse>;

}  // namespace fencepost::protocol
