#include "protocol/messages/incremental_alter_configs.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<IncrementalAlterConfigsRequest>;
template struct Codec<IncrementalAlterConfigsResponse>;

}  // namespace fencepost::protocol
