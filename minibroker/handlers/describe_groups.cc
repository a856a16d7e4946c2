// DescribeGroups, ListGroups, DeleteGroups: the coordinator answers, see group/describe.cc and
// group/delete.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

void describe_groups(Broker& broker, Turn&, const RequestContext& context,
                     const protocol::DescribeGroupsRequest& request) {
  broker.groups().describe_groups(context, request, {});
}

void list_groups(Broker& broker, Turn&, const RequestContext& context,
                 const protocol::ListGroupsRequest& request) {
  broker.groups().list_groups(context, request);
}

void delete_groups(Broker& broker, Turn& turn, const RequestContext& context,
                   const protocol::DeleteGroupsRequest& request) {
  broker.groups().delete_groups(context, request, {}, turn.now);
}

}  // namespace fencepost::minibroker::handlers
