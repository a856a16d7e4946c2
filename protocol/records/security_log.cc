#include "protocol/records/security_log.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<UserScramCredentialRecord>;
template struct Codec<RemoveUserScramCredentialRecord>;
template struct Codec<AccessControlEntryRecord>;
template struct Codec<RemoveAccessControlEntryRecord>;
template struct Codec<ClientQuotaRecord>;

}  // namespace fencepost::protocol
