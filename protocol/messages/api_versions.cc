#include "protocol/messages/api_versions.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ApiVersionsRequest>;
template struct Codec<ApiVersionsResponse>;

}  // namespace fencepost::protocol
