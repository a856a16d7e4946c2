#include "protocol/messages/fetch.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<FetchRequest>;
template struct Codec<FetchResponse>;

}  // namespace fencepost::protocol
