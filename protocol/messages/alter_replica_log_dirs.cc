#include "protocol/messages/alter_replica_log_dirs.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<AlterReplicaLogDirsRequest>;
template struct Codec<AlterReplicaLogDirsResponse>;

}  // namespace fencepost::protocol
