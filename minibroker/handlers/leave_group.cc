// LeaveGroup: the coordinator decides, see group/leave.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void leave_group(Broker& broker, Turn& turn, const RequestContext& context,
                 const protocol::LeaveGroupRequest& request) {
  broker.groups().leave_group(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
