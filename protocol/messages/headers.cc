#include "protocol/messages/headers.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<RequestHeader>;
template struct Codec<ResponseHeader>;

}  // namespace fencepost::protocol
