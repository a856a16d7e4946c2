#include "protocol/messages/heartbeat.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<HeartbeatRequest>;
template struct Codec<HeartbeatResponse>;

}  // namespace fencepost::protocol
