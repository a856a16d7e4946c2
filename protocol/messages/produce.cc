#include "protocol/messages/produce.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ProduceRequest>;
template struct Codec<ProduceResponse>;

}  // namespace fencepost::protocol
