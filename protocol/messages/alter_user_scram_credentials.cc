#include "protocol/messages/alter_user_scram_credentials.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<AlterUserScramCredentialsRequest>;
template struct Codec<AlterUserScramCredentialsResponse>;

}  // namespace fencepost::protocol
