#include "protocol/messages/list_groups.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ListGroupsRequest>;
template struct Codec<ListGroupsResponse>;

}  // namespace fencepost::protocol
