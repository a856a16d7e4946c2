#include "protocol/messages/offset_for_leader_epoch.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<OffsetForLeaderEpochRequest>;
template struct Codec<OffsetForLeaderEpochResponse>;

}  // namespace fencepost::protocol
