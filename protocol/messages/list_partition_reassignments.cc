#include "protocol/messages/list_partition_reassignments.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ListPartitionReassignmentsRequest>;
template struct Codec<ListPartitionReassignmentsResponse>;

}  // namespace fencepost::protocol
