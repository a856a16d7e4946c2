// DescribeGroups, ListGroups, DeleteGroups: the coordinator answers, see group/describe.cc and
// group/delete.cc.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void describe_groups(Broker& broker, Turn& turn, const RequestContext& context,
                     const protocol::DescribeGroupsRequest& request) {
  protocol::DescribeGroupsRequest good = request;
  protocol::DescribeGroupsResponse refused;
  std::erase_if(good.groups, [&](const std::string& group_id) {
    if (allows_group(turn, context, Operation::describe, group_id)) return false;
    auto& group = refused.groups.emplace_back();
    group.group_id = group_id;
    group.error_code = protocol::ErrorCode::group_authorization_failed;
    return true;
  });
  broker.groups().describe_groups(context, good, std::move(refused));
}

void list_groups(Broker& broker, Turn&, const RequestContext& context,
                 const protocol::ListGroupsRequest& request) {
  broker.groups().list_groups(context, request);
}

void delete_groups(Broker& broker, Turn& turn, const RequestContext& context,
                   const protocol::DeleteGroupsRequest& request) {
  protocol::DeleteGroupsRequest good = request;
  protocol::DeleteGroupsResponse refused;
  std::erase_if(good.groups_names, [&](const std::string& group_id) {
    if (allows_group(turn, context, Operation::delete_, group_id)) return false;
    auto& group = refused.results.emplace_back();
    group.group_id = group_id;
    group.error_code = protocol::ErrorCode::group_authorization_failed;
    return true;
  });
  broker.groups().delete_groups(context, good, std::move(refused), turn.now);
}

}  // namespace fencepost::minibroker::handlers
