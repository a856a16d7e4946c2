#include "protocol/messages/list_config_resources.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ListConfigResourcesRequest>;
template struct Codec<ListConfigResourcesResponse>;

}  // namespace fencepost::protocol
