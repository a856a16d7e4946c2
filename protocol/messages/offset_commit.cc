#include "protocol/messages/offset_commit.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<OffsetCommitRequest>;
template struct Codec<OffsetCommitResponse>;

}  // namespace fencepost::protocol
