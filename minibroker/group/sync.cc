// SyncGroup: the leader hands in the assignment, everybody else waits for it. It counts when its
// record is replicated.
#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::SyncGroupRequest;
using protocol::SyncGroupResponse;

namespace {

// What the client did not say, and what the group does not have yet, cannot differ.
bool differs(const std::optional<std::string>& given, const std::optional<std::string>& current) {
  return given.has_value() && current.has_value() && given != current;
}

}  // namespace

void GroupCoordinator::sync_group(const RequestContext& context, const SyncGroupRequest& request,
                                  Instant now) {
  Group* group = find_group(request.group_id);
  const bool is_led = availability(request.group_id) == ErrorCode::none;
  if (is_led && group != nullptr && group->consumer.has_value() && !group->consumer->is_empty())
    return sync_consumer_group(*group, context, request, now);
  const ErrorCode error = check_sync(group, request);
  if (error != ErrorCode::none) {
    SyncGroupResponse response;
    response.error_code = error;
    return reply(context, response);
  }
  ClassicGroup& classic = group->classic;
  ClassicMember& member = *classic.find_member(request.member_id);
  if (classic.is_in(ClassicGroupState::completing_rebalance)) {
    member.waiting_sync = context;
    member_has_synced(classic, request.member_id);
    if (classic.is_leader(request.member_id)) write_assignment(*group, request, now);
    return;
  }
  member_has_synced(classic, request.member_id);
  answer_sync(classic, context, ErrorCode::none, member.assignment);
}

ErrorCode GroupCoordinator::check_sync(const Group* group, const SyncGroupRequest& request) const {
  if (request.group_id.empty()) return ErrorCode::invalid_group_id;
  const ErrorCode available = availability(request.group_id);
  // The old coordinator sends its members into a rebalance, which finds it loaded.
  if (available == ErrorCode::coordinator_load_in_progress && !era_.has_new_group_coordinator)
    return ErrorCode::rebalance_in_progress;
  if (available != ErrorCode::none) return available;
  if (group == nullptr || group->consumer.has_value()) return ErrorCode::unknown_member_id;
  const ClassicGroup& classic = group->classic;
  if (classic.is_in(ClassicGroupState::dead)) return ErrorCode::coordinator_not_available;
  const ErrorCode member = classic.check_member(request.member_id, request.group_instance_id);
  if (member != ErrorCode::none) return member;
  if (request.generation_id != classic.generation()) return ErrorCode::illegal_generation;
  if (differs(request.protocol_type, classic.protocol_type()) ||
      differs(request.protocol_name, classic.protocol_name()))
    return ErrorCode::inconsistent_group_protocol;
  switch (classic.state()) {
    case ClassicGroupState::empty:
    case ClassicGroupState::dead:
      return ErrorCode::unknown_member_id;
    case ClassicGroupState::preparing_rebalance:
      return ErrorCode::rebalance_in_progress;
    case ClassicGroupState::completing_rebalance:
    case ClassicGroupState::stable:
      return ErrorCode::none;
  }
  return ErrorCode::none;
}

void GroupCoordinator::write_assignment(Group& group, const SyncGroupRequest& request,
                                        Instant now) {
  AssignmentWritten reason;
  reason.generation = request.generation_id;
  // A member that the leader left out has nothing to do.
  for (const ClassicMember& it : group.classic.members()) reason.assignments[it.member_id] = {};
  for (const SyncGroupRequest::SyncGroupRequestAssignment& it : request.assignments) {
    const auto found = reason.assignments.find(it.member_id);
    if (found != reason.assignments.end()) found->second = it.assignment;
  }
  protocol::NewRecord record = group_record(group.classic, reason.assignments, now);
  write({partition_of(request.group_id), request.group_id, std::move(reason)}, {std::move(record)});
}

void GroupCoordinator::finish(const PendingWrite& pending, AssignmentWritten& reason,
                              const Outcome& outcome, Instant now) {
  Group* group = find_group(pending.group_id);
  if (group == nullptr) return;
  ClassicGroup& classic = group->classic;
  // Another member may have joined meanwhile: then this round is over already.
  if (!classic.is_in(ClassicGroupState::completing_rebalance) ||
      classic.generation() != reason.generation)
    return;
  if (outcome.error != ErrorCode::none) {
    for (ClassicMember& it : classic.members()) it.assignment = {};
    answer_waiting_syncs(classic, group_write_error(outcome.error), now);
    return prepare_rebalance_or_complete_join(*group, now);
  }
  for (ClassicMember& it : classic.members()) it.assignment = reason.assignments[it.member_id];
  answer_waiting_syncs(classic, ErrorCode::none, now);
  classic.transition_to(ClassicGroupState::stable, now);
}

void GroupCoordinator::answer_sync(const ClassicGroup& group, const RequestContext& context,
                                   ErrorCode error, const SharedBytes& assignment) {
  SyncGroupResponse response;
  response.error_code = error;
  response.assignment = assignment;
  if (error == ErrorCode::none) {
    response.protocol_type = group.protocol_type();
    response.protocol_name = group.protocol_name();
  }
  reply(context, response);
}

void GroupCoordinator::answer_waiting_syncs(ClassicGroup& group, ErrorCode error, Instant now) {
  for (ClassicMember& it : group.members()) {
    if (!it.waiting_sync.has_value()) continue;
    answer_sync(group, *it.waiting_sync, error, it.assignment);
    it.waiting_sync.reset();
    reset_session(it, now);
  }
}

void GroupCoordinator::answer_waiting_members(ClassicGroup& group, ErrorCode error) {
  for (ClassicMember& it : group.members()) {
    if (it.waiting_join.has_value()) refuse_join(*it.waiting_join, it.member_id, error);
    if (it.waiting_sync.has_value()) answer_sync(group, *it.waiting_sync, error, {});
    it.waiting_join.reset();
    it.waiting_sync.reset();
  }
}

void GroupCoordinator::member_has_synced(ClassicGroup& group, const std::string& member_id) {
  group.pending_sync_members.erase(member_id);
  if (group.pending_sync_members.empty()) group.sync_deadline.reset();
}

}  // namespace fencepost::minibroker
