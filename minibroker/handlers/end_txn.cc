// EndTxn: the coordinator decides, see transaction/end_txn.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void end_txn(Broker& broker, Turn& turn, const RequestContext& context,
             const protocol::EndTxnRequest& request) {
  broker.transactions().end_txn(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
