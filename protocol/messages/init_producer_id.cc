#include "protocol/messages/init_producer_id.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<InitProducerIdRequest>;
template struct Codec<InitProducerIdResponse>;

}  // namespace fencepost::protocol
