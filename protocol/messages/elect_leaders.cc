#include "protocol/messages/elect_leaders.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ElectLeadersRequest>;
template struct Codec<ElectLeadersResponse>;

}  // namespace fencepost::protocol
