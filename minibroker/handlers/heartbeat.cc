// Heartbeat: the coordinator decides, see group/heartbeat.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void heartbeat(Broker& broker, Turn& turn, const RequestContext& context,
               const protocol::HeartbeatRequest& request) {
  broker.groups().heartbeat(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
