#include "protocol/messages/alter_partition_reassignments.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<AlterPartitionReassignmentsRequest>;
template struct Codec<AlterPartitionReassignmentsResponse>;

}  // namespace fencepost::protocol
