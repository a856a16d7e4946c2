#include "protocol/messages/offset_fetch.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<OffsetFetchRequest>;
template struct Codec<OffsetFetchResponse>;

}  // namespace fencepost::protocol
