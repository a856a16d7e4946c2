// Heartbeat: a member says that it lives and learns of a rebalance.
#include "minibroker/group/coordinator.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

void GroupCoordinator::heartbeat(const RequestContext& context,
                                 const protocol::HeartbeatRequest& request, Instant now) {
  protocol::HeartbeatResponse response;
  response.error_code = beat(find_group(request.group_id), request, now);
  reply(context, response);
}

ErrorCode GroupCoordinator::beat(Group* group, const protocol::HeartbeatRequest& request,
                                 Instant now) {
  if (request.group_id.empty()) return ErrorCode::invalid_group_id;
  const ErrorCode available = availability(request.group_id);
  // Nobody's session is counted while the coordinator loads: the member may go on.
  if (available == ErrorCode::coordinator_load_in_progress) return ErrorCode::none;
  if (available != ErrorCode::none) return available;
  if (group == nullptr) return ErrorCode::unknown_member_id;
  if (group->consumer.has_value()) return beat_classic_member(*group, request, now);
  ClassicGroup& classic = group->classic;
  if (classic.is_in(ClassicGroupState::dead)) return ErrorCode::coordinator_not_available;
  const ErrorCode member = classic.check_member(request.member_id, request.group_instance_id);
  if (member != ErrorCode::none) return member;
  if (request.generation_id != classic.generation()) return ErrorCode::illegal_generation;
  switch (classic.state()) {
    case ClassicGroupState::empty:
    case ClassicGroupState::dead:
      return ErrorCode::unknown_member_id;
    case ClassicGroupState::preparing_rebalance:
      reset_session(*classic.find_member(request.member_id), now);
      return ErrorCode::rebalance_in_progress;
    case ClassicGroupState::completing_rebalance:
    case ClassicGroupState::stable:
      reset_session(*classic.find_member(request.member_id), now);
      return ErrorCode::none;
  }
  return ErrorCode::none;
}

}  // namespace fencepost::minibroker
