#include "protocol/messages/update_features.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<UpdateFeaturesRequest>;
template struct Codec<UpdateFeaturesResponse>;

}  // namespace fencepost::protocol
