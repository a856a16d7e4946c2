#include "protocol/messages/sync_group.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<SyncGroupRequest>;
template struct Codec<SyncGroupResponse>;

}  // namespace fencepost::protocol
