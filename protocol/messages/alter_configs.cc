#include "protocol/messages/alter_configs.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<AlterConfigsRequest>;
template struct Codec<AlterConfigsResponse>;

}  // namespace fencepost::protocol
