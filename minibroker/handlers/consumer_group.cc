// ConsumerGroupHeartbeat and ConsumerGroupDescribe: the coordinator decides, see
// group/consumer_heartbeat.cc and group/consumer_describe.cc.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

bool may_see_all(const Turn& turn, const RequestContext& context,
                 const std::optional<std::vector<std::string>>& topics) {
  return !topics || std::ranges::all_of(*topics, [&](const std::string& name) {
    return allows_topic(turn, context, Operation::describe, name);
  });
}

}  // namespace

void consumer_group_heartbeat(Broker& broker, Turn& turn, const RequestContext& context,
                              const ConsumerGroupHeartbeatRequest& request) {
  ConsumerGroupHeartbeatResponse refused;
  if (broker.era().group_version < 1)
    refused.error_code = ErrorCode::unsupported_version;
  else if (!allows_group(turn, context, Operation::read, request.group_id))
    refused.error_code = ErrorCode::group_authorization_failed;
  else if (!may_see_all(turn, context, request.subscribed_topic_names))
    refused.error_code = ErrorCode::topic_authorization_failed;
  if (refused.error_code != ErrorCode::none) return broker.reply(context, refused);
  broker.groups().consumer_group_heartbeat(context, request, turn.now);
}

void consumer_group_describe(Broker& broker, Turn& turn, const RequestContext& context,
                             const ConsumerGroupDescribeRequest& request) {
  ConsumerGroupDescribeRequest good = request;
  ConsumerGroupDescribeResponse refused;
  const bool is_served = broker.era().group_version >= 1;
  std::erase_if(good.group_ids, [&](const std::string& group_id) {
    if (is_served && allows_group(turn, context, Operation::describe, group_id)) return false;
    auto& described = refused.groups.emplace_back();
    described.group_id = group_id;
    described.error_code =
        is_served ? ErrorCode::group_authorization_failed : ErrorCode::unsupported_version;
    return true;
  });
  if (!is_served) return broker.reply(context, refused);
  broker.groups().consumer_group_describe(context, good, std::move(refused));
}

}  // namespace fencepost::minibroker::handlers
