#include "protocol/messages/find_coordinator.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<FindCoordinatorRequest>;
template struct Codec<FindCoordinatorResponse>;

}  // namespace fencepost::protocol
