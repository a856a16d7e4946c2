#include "protocol/messages/list_transactions.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<ListTransactionsRequest>;
template struct Codec<ListTransactionsResponse>;

}  // namespace fencepost::protocol
