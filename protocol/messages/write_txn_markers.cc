#include "protocol/messages/write_txn_markers.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<WriteTxnMarkersRequest>;
template struct Codec<WriteTxnMarkersResponse>;

}  // namespace fencepost::protocol
