#include "protocol/messages/create_partitions.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<CreatePartitionsRequest>;
template struct Codec<CreatePartitionsResponse>;

}  // namespace fencepost::protocol
