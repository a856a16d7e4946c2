#include "protocol/messages/create_topics.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<CreateTopicsRequest>;
template struct Codec<CreateTopicsResponse>;

}  // namespace fencepost::protocol
