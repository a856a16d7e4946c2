// EndTxn: the coordinator decides, see transaction/end_txn.cc.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void end_txn(Broker& broker, Turn& turn, const RequestContext& context,
             const protocol::EndTxnRequest& request) {
  if (!allows_transactional_id(turn, context, Operation::write, request.transactional_id)) {
    protocol::EndTxnResponse refused;
    refused.error_code = protocol::ErrorCode::transactional_id_authorization_failed;
    return broker.reply(context, refused);
  }
  broker.transactions().end_txn(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
