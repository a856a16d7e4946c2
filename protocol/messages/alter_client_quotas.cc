#include "protocol/messages/alter_client_quotas.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<AlterClientQuotasRequest>;
template struct Codec<AlterClientQuotasResponse>;

}  // namespace fencepost::protocol
