#include "protocol/messages/sasl_handshake.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<SaslHandshakeRequest>;
template struct Codec<SaslHandshakeResponse>;

}  // namespace fencepost::protocol
