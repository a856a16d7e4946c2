// InitProducerId: the coordinator decides, see transaction/init_producer_id.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void init_producer_id(Broker& broker, Turn& turn, const RequestContext& context,
                      const protocol::InitProducerIdRequest& request) {
  broker.transactions().init_producer_id(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
