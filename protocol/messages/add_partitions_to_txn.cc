#include "protocol/messages/add_partitions_to_txn.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<AddPartitionsToTxnRequest>;
template struct Codec<AddPartitionsToTxnResponse>;

}  // namespace fencepost::protocol
