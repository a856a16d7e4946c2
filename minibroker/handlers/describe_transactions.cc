// DescribeTransactions and ListTransactions: the coordinator answers, see transaction/describe.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void describe_transactions(Broker& broker, Turn&, const RequestContext& context,
                           const protocol::DescribeTransactionsRequest& request) {
  broker.transactions().describe_transactions(context, request);
}

void list_transactions(Broker& broker, Turn& turn, const RequestContext& context,
                       const protocol::ListTransactionsRequest& request) {
  broker.transactions().list_transactions(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
