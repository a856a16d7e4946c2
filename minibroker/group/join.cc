// JoinGroup: a member enters the round; the answer comes when the round ends.
#include <algorithm>

#include "minibroker/group/conversion.h"
#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;

namespace {

constexpr int first_version_with_known_member_id = 4;  // KIP-394
constexpr int first_version_with_null_protocol = 7;
constexpr int first_version_with_skip_assignment = 9;  // KIP-814

// A new member cannot send heartbeats yet; how long its join may wait.
constexpr Duration new_join_timeout = std::chrono::minutes(5);

ClassicMember make_member(const RequestContext& context, const JoinGroupRequest& request,
                          std::string member_id) {
  ClassicMember member;
  member.member_id = std::move(member_id);
  member.group_instance_id = request.group_instance_id;
  member.client_id = context.client_id;
  member.client_host = context.client_host;
  member.session_timeout = milliseconds(request.session_timeout_ms);
  member.rebalance_timeout =
      std::max(milliseconds(rebalance_timeout_ms(request, context.api_version)), Duration{});
  for (const JoinGroupRequest::JoinGroupRequestProtocol& it : request.protocols)
    member.protocols.push_back({it.name, it.metadata});
  member.waiting_join = context;
  return member;
}

std::vector<JoinGroupResponse::JoinGroupResponseMember> members_for_leader(
    const ClassicGroup& group) {
  std::vector<JoinGroupResponse::JoinGroupResponseMember> members;
  for (const ClassicMember& it : group.members()) {
    JoinGroupResponse::JoinGroupResponseMember member;
    member.member_id = it.member_id;
    member.group_instance_id = it.group_instance_id;
    member.metadata = it.metadata_of(group.protocol_name().value_or(""));
    members.push_back(std::move(member));
  }
  return members;
}

JoinGroupResponse joined(const ClassicGroup& group, const std::string& member_id) {
  JoinGroupResponse response;
  response.generation_id = group.generation();
  response.protocol_type = group.protocol_type();
  response.protocol_name = group.protocol_name().value_or("");
  response.leader = group.leader().value_or("");
  response.member_id = member_id;
  return response;
}

}  // namespace

void GroupCoordinator::join_group(const RequestContext& context, const JoinGroupRequest& request,
                                  Instant now) {
  const ErrorCode error = check_join(request);
  if (error != ErrorCode::none) return refuse_join(context, request.member_id, error);
  Group* known = find_group(request.group_id);
  if (known != nullptr && known->consumer.has_value()) {
    if (!known->consumer->is_empty()) return join_consumer_group(*known, context, request, now);
    if (!request.member_id.empty())
      return refuse_join(context, request.member_id, ErrorCode::unknown_member_id);
    end_empty_consumer_group(*known, now);
    known = nullptr;
  }
  const bool is_new_group = known == nullptr;
  if (is_new_group && !request.member_id.empty())
    return refuse_join(context, request.member_id, ErrorCode::unknown_member_id);

  Group& group = get_or_create_group(request.group_id, now);
  if (!accepts(group.classic, request.member_id)) {
    group.classic.remove_member(request.member_id);
    refuse_join(context, "", ErrorCode::group_max_size_reached);
  } else if (request.member_id.empty()) {
    join_new_member(group, context, request, now);
  } else {
    join_known_member(group, context, request, now);
  }
  if (is_new_group && era_.has_new_group_coordinator)
    write({partition_of(request.group_id), request.group_id, GroupCreated{}},
          {new_group_record(group.classic, now)});
}

ErrorCode GroupCoordinator::check_join(const JoinGroupRequest& request) const {
  if (request.group_id.empty()) return ErrorCode::invalid_group_id;
  const Duration session_timeout = milliseconds(request.session_timeout_ms);
  const bool is_in_range = session_timeout >= settings_.min_session_timeout &&
                           session_timeout <= settings_.max_session_timeout;
  const ErrorCode range = is_in_range ? ErrorCode::none : ErrorCode::invalid_session_timeout;
  const ErrorCode available = availability(request.group_id);
  if (era_.has_new_group_coordinator) return range != ErrorCode::none ? range : available;
  return available != ErrorCode::none ? available : range;
}

bool GroupCoordinator::accepts(const ClassicGroup& group, const std::string& member_id) const {
  const std::size_t size_max = static_cast<std::size_t>(settings_.max_size);
  const ClassicMember* member = group.find_member(member_id);
  switch (group.state()) {
    case ClassicGroupState::empty:
    case ClassicGroupState::dead:
      return true;
    case ClassicGroupState::preparing_rebalance:
      // Those who wait are counted, not the members: who comes too late is left out.
      return (member != nullptr && member->waiting_join.has_value()) ||
             group.waiting_join_count() < size_max;
    case ClassicGroupState::completing_rebalance:
    case ClassicGroupState::stable:
      return member != nullptr || group.members().size() < size_max;
  }
  return false;
}

void GroupCoordinator::join_new_member(Group& group, const RequestContext& context,
                                       const JoinGroupRequest& request, Instant now) {
  ClassicGroup& classic = group.classic;
  if (classic.is_in(ClassicGroupState::dead))
    return refuse_join(context, "", ErrorCode::coordinator_not_available);
  ClassicMember member = make_member(context, request, "");
  if (!classic.supports_protocols(request.protocol_type, member.protocols))
    return refuse_join(context, "", ErrorCode::inconsistent_group_protocol);
  member.member_id = new_member_id(request.group_instance_id.value_or(context.client_id));

  if (member.is_static()) {
    ClassicMember* current = classic.find_static_member(*request.group_instance_id);
    if (current != nullptr) return replace_static_member(group, *current, std::move(member), now);
    return add_member(group, std::move(member), request.protocol_type, now);
  }
  if (context.api_version < first_version_with_known_member_id)
    return add_member(group, std::move(member), request.protocol_type, now);
  classic.pending_members[member.member_id] = now + member.session_timeout;
  refuse_join(context, member.member_id, ErrorCode::member_id_required);
}

void GroupCoordinator::join_known_member(Group& group, const RequestContext& context,
                                         const JoinGroupRequest& request, Instant now) {
  ClassicGroup& classic = group.classic;
  if (classic.is_in(ClassicGroupState::dead))
    return refuse_join(context, request.member_id, ErrorCode::coordinator_not_available);
  ClassicMember joining = make_member(context, request, request.member_id);
  if (!classic.supports_protocols(request.protocol_type, joining.protocols))
    return refuse_join(context, request.member_id, ErrorCode::inconsistent_group_protocol);
  if (classic.pending_members.count(request.member_id) > 0) {
    // Static members are never given an id without joining: this client mixes two identities.
    if (joining.is_static())
      return refuse_join(context, request.member_id, ErrorCode::unknown_server_error);
    return add_member(group, std::move(joining), request.protocol_type, now);
  }
  const ErrorCode error = classic.check_member(request.member_id, request.group_instance_id);
  if (error != ErrorCode::none) return refuse_join(context, request.member_id, error);

  ClassicMember& member = *classic.find_member(request.member_id);
  const bool has_same_protocols = member.protocols == joining.protocols;
  switch (classic.state()) {
    case ClassicGroupState::preparing_rebalance:
      break;
    case ClassicGroupState::completing_rebalance:
      // Its first answer got lost; the round stands.
      if (has_same_protocols) return answer_join(classic, context, request.member_id);
      break;
    case ClassicGroupState::stable:
      if (!classic.is_leader(request.member_id) && has_same_protocols)
        return answer_join(classic, context, request.member_id);
      break;
    case ClassicGroupState::empty:
    case ClassicGroupState::dead:
      return refuse_join(context, request.member_id, ErrorCode::unknown_member_id);
  }
  rejoin_member(group, member, context, request, now);
}

void GroupCoordinator::rejoin_member(Group& group, ClassicMember& member,
                                     const RequestContext& context, const JoinGroupRequest& request,
                                     Instant now) {
  const ClassicMember update = make_member(context, request, member.member_id);
  member.protocols = update.protocols;
  member.session_timeout = update.session_timeout;
  member.rebalance_timeout = update.rebalance_timeout;
  member.waiting_join = context;
  prepare_rebalance_or_complete_join(group, now);
}

void GroupCoordinator::add_member(Group& group, ClassicMember member,
                                  const std::string& protocol_type, Instant now) {
  member.is_new = true;
  member.session_deadline = now + new_join_timeout;
  group.classic.add_member(std::move(member), protocol_type);
  if (group.classic.initial_delay_left.has_value())
    group.classic.has_new_member_in_initial_delay = true;
  prepare_rebalance_or_complete_join(group, now);
}

void GroupCoordinator::replace_static_member(Group& group, ClassicMember& member,
                                             ClassicMember replacement, Instant now) {
  ClassicGroup& classic = group.classic;
  const ClassicMember before = member;
  const std::optional<std::string> leader_before = classic.leader();
  const protocol::NewRecord record_before = group_record(classic, assignments_of(classic), now);
  // Whoever used the old member id is fenced from here on.
  if (member.waiting_join.has_value())
    refuse_join(*member.waiting_join, member.member_id, ErrorCode::fenced_instance_id);
  if (member.waiting_sync.has_value())
    answer_sync(classic, *member.waiting_sync, ErrorCode::fenced_instance_id, {});
  classic.rename_member(before.member_id, replacement.member_id);
  member.waiting_sync.reset();
  member.protocols = replacement.protocols;
  member.session_timeout = replacement.session_timeout;
  member.rebalance_timeout = replacement.rebalance_timeout;
  member.waiting_join = replacement.waiting_join;
  reset_session(member, now);

  const bool keeps_protocol = classic.protocol_name() == classic.select_protocol();
  if (!classic.is_in(ClassicGroupState::stable) || !keeps_protocol)
    return prepare_rebalance_or_complete_join(group, now);
  // No rebalance: the assignment stays. The new member id has to be in the log before it is given
  // out, or the member would be fenced after the next fail-over (KAFKA-10284).
  member.waiting_join.reset();
  StaticMemberRenamed reason{*replacement.waiting_join, before, member.member_id, leader_before};
  reason.before.waiting_join.reset();
  reason.before.waiting_sync.reset();
  write({partition_of(classic.group_id()), classic.group_id(), std::move(reason)},
        {era_.has(Defect::static_member_not_written)
             ? record_before
             : group_record(classic, assignments_of(classic), now)});
}

void GroupCoordinator::finish(const PendingWrite& pending, StaticMemberRenamed& reason,
                              const Outcome& outcome, Instant now) {
  Group* group = find_group(pending.group_id);
  if (group == nullptr) return refuse_join(reason.request, "", ErrorCode::not_coordinator);
  ClassicGroup& classic = group->classic;
  ClassicMember* member = classic.find_member(reason.new_member_id);
  if (outcome.error != ErrorCode::none) {
    if (member != nullptr) {
      classic.rename_member(reason.new_member_id, reason.before.member_id);
      const std::optional<RequestContext> waiting = member->waiting_join;
      *member = reason.before;
      member->waiting_join = waiting;
      reset_session(*member, now);
    }
    JoinGroupResponse response = joined(classic, "");
    response.leader = reason.leader_before.value_or("");
    response.error_code = group_write_error(outcome.error);
    return reply(reason.request, response);
  }
  JoinGroupResponse response = joined(classic, reason.new_member_id);
  if (reason.request.api_version >= first_version_with_skip_assignment) {
    response.skip_assignment = classic.is_leader(reason.new_member_id);
    if (response.skip_assignment) response.members = members_for_leader(classic);
  } else {
    // Told that it leads, an old client would assign again; as a follower it only fetches.
    response.leader = reason.leader_before.value_or("");
  }
  reply(reason.request, response);
}

void GroupCoordinator::finish(const PendingWrite& pending, GroupCreated&, const Outcome& outcome,
                              Instant) {
  if (outcome.error == ErrorCode::none || is_still_in_log(outcome.error)) return;
  Group* group = find_group(pending.group_id);
  if (group == nullptr) return;
  for (const ClassicMember& it : group->classic.members())
    if (it.waiting_join.has_value())
      refuse_join(*it.waiting_join, "", group_write_error(outcome.error));
  group->classic = ClassicGroup(pending.group_id, Instant{});
  forget_if_unused(pending.group_id);
}

std::string GroupCoordinator::new_member_id(const std::string& prefix) {
  // A random UUID (version 4) in Java's form.
  std::uint64_t high = (random_.next() & ~std::uint64_t{0xf000}) | 0x4000;
  std::uint64_t low = (random_.next() & 0x3fffffffffffffffU) | 0x8000000000000000U;
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
    std::uint64_t& half = i < 16 ? high : low;
    text += digits[half >> 60];
    half <<= 4;
  }
  return prefix + "-" + text;
}

void GroupCoordinator::refuse_join(const RequestContext& context, const std::string& member_id,
                                   ErrorCode error) {
  JoinGroupResponse response;
  response.error_code = error;
  response.member_id = member_id;
  if (context.api_version >= first_version_with_null_protocol)
    response.protocol_name = std::nullopt;
  reply(context, response);
}

void GroupCoordinator::answer_join(const ClassicGroup& group, const RequestContext& context,
                                   const std::string& member_id) {
  JoinGroupResponse response = joined(group, member_id);
  if (group.is_leader(member_id) && !group.is_in(ClassicGroupState::stable))
    response.members = members_for_leader(group);
  reply(context, response);
}

}  // namespace fencepost::minibroker
