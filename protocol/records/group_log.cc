#include "protocol/records/group_log.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<LegacyOffsetCommitKey>;
template struct Codec<LegacyOffsetCommitValue>;
template struct Codec<OffsetCommitKey>;
template struct Codec<OffsetCommitValue>;
template struct Codec<GroupMetadataKey>;
template struct Codec<GroupMetadataValue>;

}  // namespace fencepost::protocol
