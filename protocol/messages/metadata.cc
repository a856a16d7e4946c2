#include "protocol/messages/metadata.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<MetadataRequest>;
template struct Codec<MetadataResponse>;

}  // namespace fencepost::protocol
