// JoinGroup: the coordinator decides, see group/join.cc.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void join_group(Broker& broker, Turn& turn, const RequestContext& context,
                const protocol::JoinGroupRequest& request) {
  if (!allows_group(turn, context, Operation::read, request.group_id)) {
    protocol::JoinGroupResponse refused;
    refused.error_code = protocol::ErrorCode::group_authorization_failed;
    refused.generation_id = -1;
    constexpr std::int16_t null_protocol_version_min = 7;
    if (context.api_version >= null_protocol_version_min) refused.protocol_name = std::nullopt;
    return broker.reply(context, refused);
  }
  broker.groups().join_group(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
