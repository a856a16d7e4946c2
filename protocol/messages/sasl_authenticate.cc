#include "protocol/messages/sasl_authenticate.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<SaslAuthenticateRequest>;
template struct Codec<SaslAuthenticateResponse>;

}  // namespace fencepost::protocol
