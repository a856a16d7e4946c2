#include "protocol/messages/add_offsets_to_txn.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<AddOffsetsToTxnRequest>;
template struct Codec<AddOffsetsToTxnResponse>;

}  // namespace fencepost::protocol
