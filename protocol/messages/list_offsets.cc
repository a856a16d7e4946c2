#include "protocol/messages/list_offsets.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ListOffsetsRequest>;
template struct Codec<ListOffsetsResponse>;

}  // namespace fencepost::protocol
