// Heartbeat: the coordinator decides, see group/heartbeat.cc.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void heartbeat(Broker& broker, Turn& turn, const RequestContext& context,
               const protocol::HeartbeatRequest& request) {
  if (!allows_group(turn, context, Operation::read, request.group_id)) {
    protocol::HeartbeatResponse refused;
    refused.error_code = protocol::ErrorCode::group_authorization_failed;
    return broker.reply(context, refused);
  }
  broker.groups().heartbeat(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
