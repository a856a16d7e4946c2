#include "protocol/records/transaction_log.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<TransactionLogKey>;
template struct Codec<TransactionLogValue>;

}  // namespace fencepost::protocol
