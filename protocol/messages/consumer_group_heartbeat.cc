#include "protocol/messages/consumer_group_heartbeat.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ConsumerGroupHeartbeatRequest>;
template struct Codec<ConsumerGroupHeartbeatResponse>;

}  // namespace fencepost::protocol
