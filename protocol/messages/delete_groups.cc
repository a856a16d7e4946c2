#include "protocol/messages/delete_groups.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DeleteGroupsRequest>;
template struct Codec<DeleteGroupsResponse>;

}  // namespace fencepost::protocol
