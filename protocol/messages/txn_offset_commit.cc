#include "protocol/messages/txn_offset_commit.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<TxnOffsetCommitRequest>;
template struct Codec<TxnOffsetCommitResponse>;

}  // namespace fencepost::protocol
