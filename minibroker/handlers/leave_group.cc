// LeaveGroup: the coordinator decides, see group/leave.cc.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void leave_group(Broker& broker, Turn& turn, const RequestContext& context,
                 const protocol::LeaveGroupRequest& request) {
  if (!allows_group(turn, context, Operation::read, request.group_id)) {
    protocol::LeaveGroupResponse refused;
    refused.error_code = protocol::ErrorCode::group_authorization_failed;
    return broker.reply(context, refused);
  }
  broker.groups().leave_group(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
