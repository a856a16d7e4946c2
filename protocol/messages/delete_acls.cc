#include "protocol/messages/delete_acls.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DeleteAclsRequest>;
template struct Codec<DeleteAclsResponse>;

}  // namespace fencepost::protocol
