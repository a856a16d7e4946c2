// ConsumerGroupHeartbeat and ConsumerGroupDescribe: the coordinator decides, see
// group/consumer_heartbeat.cc and group/consumer_describe.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

void consumer_group_heartbeat(Broker& broker, Turn& turn, const RequestContext& context,
                              const ConsumerGroupHeartbeatRequest& request) {
  if (broker.era().group_version < 1) {
    ConsumerGroupHeartbeatResponse response;
    response.error_code = ErrorCode::unsupported_version;
    return broker.reply(context, response);
  }
  broker.groups().consumer_group_heartbeat(context, request, turn.now);
}

void consumer_group_describe(Broker& broker, Turn&, const RequestContext& context,
                             const ConsumerGroupDescribeRequest& request) {
  ConsumerGroupDescribeResponse response;
  if (broker.era().group_version >= 1)
    return broker.groups().consumer_group_describe(context, request, std::move(response));
  for (const std::string& group_id : request.group_ids) {
    auto& described = response.groups.emplace_back();
    described.group_id = group_id;
    described.error_code = ErrorCode::unsupported_version;
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
