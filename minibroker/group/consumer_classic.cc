// The classic protocol in a consumer group: members that have not been upgraded yet go on with
// JoinGroup, SyncGroup, Heartbeat and LeaveGroup, and are assigned by the group's assignor.
#include <algorithm>

#include "minibroker/group/consumer_step.h"
#include "minibroker/group/conversion.h"
#include "minibroker/group/coordinator.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;
using protocol::LeaveGroupRequest;
using protocol::LeaveGroupResponse;
using protocol::SyncGroupRequest;

namespace {

constexpr int first_version_with_known_member_id = 4;
constexpr const char* consumer_protocol_type = "consumer";

// Without an instance the member itself, else the owner of the instance.
ErrorCode find_classic_member(const ConsumerGroup& group, const std::string& member_id,
                              const std::optional<std::string>& instance_id,
                              const ConsumerMember*& member) {
  member = instance_id.has_value() ? group.find_static_member(instance_id)
                                   : group.find_member(member_id);
  if (member == nullptr) return ErrorCode::unknown_member_id;
  if (member->member_id != member_id) return ErrorCode::fenced_instance_id;
  return member->classic.has_value() ? ErrorCode::none : ErrorCode::unknown_member_id;
}

ConsumerMember updated(const ConsumerMember& member, const JoinGroupRequest& request,
                       const protocol::ConsumerProtocolSubscription& subscription,
                       const RequestContext& context) {
  ConsumerMember next = member;
  if (request.group_instance_id.has_value()) next.instance_id = request.group_instance_id;
  if (subscription.rack_id.has_value() && !subscription.rack_id->empty())
    next.rack_id = subscription.rack_id;
  const std::int32_t timeout_ms = rebalance_timeout_ms(request, context.api_version);
  if (timeout_ms != -1) next.rebalance_timeout_ms = timeout_ms;
  next.subscribed_topic_names = {subscription.topics.begin(), subscription.topics.end()};
  next.subscribed_topic_regex.clear();
  next.client_id = context.client_id;
  next.client_host = context.client_host;
  ClassicMemberMetadata& classic = next.classic.emplace();
  classic.session_timeout_ms = request.session_timeout_ms;
  for (const auto& it : request.protocols)
    classic.supported_protocols.push_back({it.name, it.metadata, {}});
  return next;
}

}  // namespace

void GroupCoordinator::join_consumer_group(Group& group, const RequestContext& context,
                                           const JoinGroupRequest& request, Instant now) {
  if (settings_.consumer.migration_policy == MigrationPolicy::disabled)
    return refuse_join(context, "", ErrorCode::inconsistent_group_protocol);
  const bool is_unknown = request.member_id.empty();
  const std::string member_id = is_unknown ? new_uuid() : request.member_id;
  ConsumerStep step = begin_step(*group.consumer, now);
  step.refuse_if_full(member_id, request.group_instance_id);
  std::set<std::string> names;
  for (const auto& it : request.protocols) names.insert(it.name);
  if (!group.consumer->supports_classic_protocols(request.protocol_type, names))
    step.refuse(ErrorCode::inconsistent_group_protocol, "");
  if (step.refusal.has_value()) return refuse_join(context, "", step.refusal->error);
  if (is_unknown && !request.group_instance_id.has_value() &&
      context.api_version >= first_version_with_known_member_id)
    return refuse_join(context, member_id, ErrorCode::member_id_required);

  const bool may_join = !request.group_instance_id.has_value() || is_unknown;
  const ConsumerMember before = step.find_or_create(
      {member_id, -1, request.group_instance_id, may_join, true}, OwnedPartitions{});
  if (step.refusal.has_value()) return refuse_join(context, "", step.refusal->error);
  const auto subscription = embedded_subscription(request.protocols.front().metadata);
  if (!subscription.has_value())
    return refuse_join(context, "", ErrorCode::inconsistent_group_protocol);
  ConsumerMember after = updated(before, request, *subscription, context);
  const bool has_names_changed = step.update_subscription(before, after);
  const bool has_changed = step.update_regex(before, after, is_resolving(request.group_id)) !=
                               ConsumerStep::Subscription::same ||
                           has_names_changed;
  if (has_changed || !has_fresh_metadata(request.group_id))
    step.update_metadata(before, after, has_changed);

  const ConsumerMember* replaced = group.consumer->find_static_member(request.group_instance_id);
  const bool downgrades =
      replaced != nullptr && can_downgrade_with_replaced(*group.consumer, *replaced,
                                                         settings_.consumer, settings_.max_size);
  const bool is_target_stale = group.consumer->assignment_epoch < step.group_epoch();
  const OwnedPartitions owned = owned_partitions(*subscription, topics_);
  if (!downgrades) {
    after = step.reconcile_member(after, step.update_target(before, after), has_changed, owned);
  } else if (!is_target_stale) {
    after = step.reconcile_member(after, step.current_target(after), has_changed, owned);
  }
  JoinGroupResponse response;
  response.member_id = after.member_id;
  response.generation_id = after.member_epoch;
  response.protocol_type = consumer_protocol_type;
  response.protocol_name = after.classic->supported_protocols.front().name;
  if (downgrades)
    return convert_to_classic(group, {{}, &after, is_target_stale}, std::move(step.changes),
                              {context, response}, now);
  step.cancel_timer(after.member_id, MemberTimer::join);
  step.start_timer(after.member_id, MemberTimer::session, milliseconds(request.session_timeout_ms));
  step.start_timer(after.member_id, MemberTimer::sync, milliseconds(after.rebalance_timeout_ms));
  finish_step(request.group_id, step, {}, {context, response}, now);
}

void GroupCoordinator::sync_consumer_group(Group& group, const RequestContext& context,
                                           const SyncGroupRequest& request, Instant now) {
  const ConsumerGroup& consumer = *group.consumer;
  const auto refuse = [&](ErrorCode error) {
    protocol::SyncGroupResponse response;
    response.error_code = error;
    reply(context, response);
  };
  const ConsumerMember* member = nullptr;
  const ErrorCode error =
      find_classic_member(consumer, request.member_id, request.group_instance_id, member);
  if (error != ErrorCode::none) return refuse(error);
  if (request.generation_id != member->member_epoch) return refuse(ErrorCode::illegal_generation);
  const auto& selected = member->classic->supported_protocols.front();
  const bool differs =
      (request.protocol_type.has_value() && request.protocol_type != consumer_protocol_type) ||
      (request.protocol_name.has_value() && request.protocol_name != selected.name);
  if (differs) return refuse(ErrorCode::inconsistent_group_protocol);
  if (consumer.assignment_epoch > member->member_epoch &&
      member->state != MemberState::unrevoked_partitions) {
    start_join_timer(group, *member, now);
    return refuse(ErrorCode::rebalance_in_progress);
  }
  set_timer(group, {member->member_id, MemberTimer::sync});
  set_timer(group, {member->member_id, MemberTimer::session,
                    now + milliseconds(member->classic->session_timeout_ms)});
  protocol::SyncGroupResponse response;
  response.protocol_type = request.protocol_type;
  response.protocol_name = request.protocol_name;
  response.assignment =
      embedded_assignment(without_epochs(member->assigned), selected.metadata, topics_);
  answer_after_writes(partition_of(request.group_id), {context, response});
}

ErrorCode GroupCoordinator::beat_classic_member(Group& group,
                                                const protocol::HeartbeatRequest& request,
                                                Instant now) {
  const ConsumerGroup& consumer = *group.consumer;
  const ConsumerMember* member = nullptr;
  const ErrorCode error =
      find_classic_member(consumer, request.member_id, request.group_instance_id, member);
  if (error != ErrorCode::none) return error;
  if (request.generation_id != member->member_epoch) return ErrorCode::illegal_generation;
  set_timer(group, {member->member_id, MemberTimer::session,
                    now + milliseconds(member->classic->session_timeout_ms)});
  const bool can_go_on =
      member->state == MemberState::unreleased_partitions && !consumer.waits_for_others(*member);
  if (member->member_epoch >= consumer.assignment_epoch && !can_go_on &&
      member->state != MemberState::unrevoked_partitions)
    return ErrorCode::none;
  start_join_timer(group, *member, now);
  return ErrorCode::rebalance_in_progress;
}

void GroupCoordinator::end_empty_consumer_group(Group& group, Instant now) {
  const std::string group_id = group.consumer->group_id();
  GroupSnapshot before = snapshot(group_id);
  std::vector<ConsumerChange> changes;
  add_group_tombstones(changes, *group.consumer);
  group.consumer.reset();
  group.runtime = {};
  group.classic = ClassicGroup(group_id, now);
  std::vector<protocol::NewRecord> records;
  for (const ConsumerChange& it : changes) records.push_back(to_record(it, now));
  write_step(group_id, std::move(before), std::move(records), {});
}

void GroupCoordinator::start_join_timer(Group& group, const ConsumerMember& member, Instant now) {
  set_timer(group, {member.member_id, MemberTimer::join,
                    now + milliseconds(member.rebalance_timeout_ms), true});
}

void GroupCoordinator::leave_consumer_group_as_classic(
    Group& group, const RequestContext& context,
    const std::vector<LeaveGroupRequest::MemberIdentity>& members, Instant now) {
  std::vector<ConsumerMember> leaving;
  LeaveGroupResponse response;
  for (const LeaveGroupRequest::MemberIdentity& it : members) {
    auto& answer = response.members.emplace_back();
    answer.member_id = it.member_id;
    answer.group_instance_id = it.group_instance_id;
    const ConsumerMember* member = it.group_instance_id.has_value()
                                       ? group.consumer->find_static_member(it.group_instance_id)
                                       : group.consumer->find_member(it.member_id);
    if (member == nullptr) {
      answer.error_code = ErrorCode::unknown_member_id;
    } else if (it.group_instance_id.has_value() && !it.member_id.empty() &&
               member->member_id != it.member_id) {
      answer.error_code = ErrorCode::fenced_instance_id;
    } else if (std::find(leaving.begin(), leaving.end(), *member) == leaving.end()) {
      leaving.push_back(*member);
    }
  }
  if (context.api_version < first_leave_version_with_members) {
    response.error_code = response.members.front().error_code;
    response.members.clear();
  }
  fence_members(group.consumer->group_id(), leaving, {context, response}, now);
}

}  // namespace fencepost::minibroker
