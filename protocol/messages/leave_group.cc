#include "protocol/messages/leave_group.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<LeaveGroupRequest>;
template struct Codec<LeaveGroupResponse>;

}  // namespace fencepost::protocol
