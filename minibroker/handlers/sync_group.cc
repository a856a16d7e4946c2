// SyncGroup: the coordinator decides, see group/sync.cc.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void sync_group(Broker& broker, Turn& turn, const RequestContext& context,
                const protocol::SyncGroupRequest& request) {
  if (!allows_group(turn, context, Operation::read, request.group_id)) {
    protocol::SyncGroupResponse refused;
    refused.error_code = protocol::ErrorCode::group_authorization_failed;
    return broker.reply(context, refused);
  }
  broker.groups().sync_group(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
