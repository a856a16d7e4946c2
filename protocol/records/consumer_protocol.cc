#include "protocol/records/consumer_protocol.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ConsumerProtocolSubscription>;
template struct Codec<ConsumerProtocolAssignment>;

}  // namespace fencepost::protocol
