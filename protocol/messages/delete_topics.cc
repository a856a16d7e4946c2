#include "protocol/messages/delete_topics.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DeleteTopicsRequest>;
template struct Codec<DeleteTopicsResponse>;

}  // namespace fencepost::protocol
