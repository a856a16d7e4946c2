#include "protocol/records/control_records.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<EndTxnMarker>;
template struct Codec<LeaderChangeMessage>;
template struct Codec<AbortedTxn>;
template struct Codec<ProducerSnapshot>;

}  // namespace fencepost::protocol
