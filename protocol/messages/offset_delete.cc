#include "protocol/messages/offset_delete.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<OffsetDeleteRequest>;
template struct Codec<OffsetDeleteResponse>;

}  // namespace fencepost::protocol
