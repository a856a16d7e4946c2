#include "protocol/messages/delete_records.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<DeleteRecordsRequest>;
template struct Codec<DeleteRecordsResponse>;

}  // namespace fencepost::protocol
