#include "protocol/messages/end_txn.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<EndTxnRequest>;
template struct Codec<EndTxnResponse>;

}  // namespace fencepost::protocol
