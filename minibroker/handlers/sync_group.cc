// SyncGroup: the coordinator decides, see group/sync.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void sync_group(Broker& broker, Turn& turn, const RequestContext& context,
                const protocol::SyncGroupRequest& request) {
  broker.groups().sync_group(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
