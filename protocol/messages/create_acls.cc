#include "protocol/messages/create_acls.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<CreateAclsRequest>;
template struct Codec<CreateAclsResponse>;

}  // namespace fencepost::protocol
