// LeaveGroup: members leave by member id, or are removed by their instance id (KIP-345).
#include "minibroker/group/coordinator.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::LeaveGroupRequest;
using protocol::LeaveGroupResponse;

namespace {

LeaveGroupResponse::MemberResponse answer_for(const LeaveGroupRequest::MemberIdentity& member,
                                              ErrorCode error) {
  LeaveGroupResponse::MemberResponse answer;
  answer.member_id = member.member_id;
  answer.group_instance_id = member.group_instance_id;
  answer.error_code = error;
  return answer;
}

}  // namespace

void GroupCoordinator::leave_group(const RequestContext& context, const LeaveGroupRequest& request,
                                   Instant now) {
  std::vector<LeaveGroupRequest::MemberIdentity> members = request.members;
  if (context.api_version < first_leave_version_with_members) {
    members.resize(1);
    members[0].member_id = request.member_id;
  }
  Group* group = find_group(request.group_id);
  const bool is_led = availability(request.group_id) == ErrorCode::none;
  if (is_led && group != nullptr && group->consumer.has_value())
    return leave_consumer_group_as_classic(*group, context, members, now);
  LeaveGroupResponse response;
  response.error_code =
      request.group_id.empty() ? ErrorCode::invalid_group_id : availability(request.group_id);
  if (group != nullptr && group->classic.is_in(ClassicGroupState::dead))
    response.error_code = ErrorCode::coordinator_not_available;
  if (response.error_code == ErrorCode::none) {
    bool has_left = false;
    for (const LeaveGroupRequest::MemberIdentity& it : members) {
      const ErrorCode error =
          group == nullptr ? ErrorCode::unknown_member_id : leave_member(*group, it);
      has_left = has_left || error == ErrorCode::none;
      response.members.push_back(answer_for(it, error));
    }
    if (has_left && !group->classic.is_in(ClassicGroupState::empty))
      prepare_rebalance_or_complete_join(*group, now);
  }
  if (context.api_version < first_leave_version_with_members) {
    if (!response.members.empty()) response.error_code = response.members[0].error_code;
    response.members.clear();
  }
  reply(context, response);
}

ErrorCode GroupCoordinator::leave_member(Group& group,
                                         const LeaveGroupRequest::MemberIdentity& member) {
  ClassicGroup& classic = group.classic;
  if (member.member_id.empty()) {
    // An administrator knows the instance id only.
    const ClassicMember* owner = member.group_instance_id.has_value()
                                     ? classic.find_static_member(*member.group_instance_id)
                                     : nullptr;
    if (owner == nullptr) return ErrorCode::unknown_member_id;
    remove_member(group, std::string(owner->member_id));
    return ErrorCode::none;
  }
  if (classic.pending_members.count(member.member_id) > 0) {
    classic.remove_member(member.member_id);
    return ErrorCode::none;
  }
  const ErrorCode error = classic.check_member(member.member_id, member.group_instance_id);
  if (error == ErrorCode::none) remove_member(group, member.member_id);
  return error;
}

}  // namespace fencepost::minibroker
