#include "protocol/messages/join_group.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<JoinGroupRequest>;
template struct Codec<JoinGroupResponse>;

}  // namespace fencepost::protocol
