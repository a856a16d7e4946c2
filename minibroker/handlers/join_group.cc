// JoinGroup: the coordinator decides, see group/join.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void join_group(Broker& broker, Turn& turn, const RequestContext& context,
                const protocol::JoinGroupRequest& request) {
  broker.groups().join_group(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
