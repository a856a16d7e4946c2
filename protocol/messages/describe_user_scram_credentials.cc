#include "protocol/messages/describe_user_scram_credentials.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DescribeUserScramCredentialsRequest>;
template struct Codec<DescribeUserScramCredentialsResponse>;

}  // namespace fencepost::protocol
