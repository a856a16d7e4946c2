// ConsumerGroupHeartbeat: the one request of the consumer protocol. A member joins, tells what it
// subscribes to and what it holds, learns what it should hold, and leaves.
#include <algorithm>

#include "minibroker/group/consumer_step.h"
#include "minibroker/group/conversion.h"
#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"

namespace fencepost::minibroker {

using protocol::ConsumerGroupHeartbeatRequest;
using protocol::ConsumerGroupHeartbeatResponse;
using protocol::ErrorCode;

namespace {

constexpr int first_version_with_client_member_id = 1;  // KIP-1082

bool is_blank(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return static_cast<unsigned char>(letter) <= ' '; });
}

bool is_blank(const std::optional<std::string>& text) {
  return text.has_value() && is_blank(*text);
}

Refusal invalid(std::string message) {
  return {ErrorCode::invalid_request, std::move(message)};
}

std::optional<Refusal> check_joining(const ConsumerGroupHeartbeatRequest& request) {
  if (request.rebalance_timeout_ms == -1)
    return invalid("RebalanceTimeoutMs must be provided in first request.");
  if (!request.topic_partitions.has_value() || !request.topic_partitions->empty())
    return invalid("TopicPartitions must be empty when (re-)joining.");
  if (!request.subscribed_topic_names.has_value() && !request.subscribed_topic_regex.has_value())
    return invalid(
        "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.");
  return std::nullopt;
}

// What can be told from the request alone.
std::optional<Refusal> check(const ConsumerGroupHeartbeatRequest& request, int api_version,
                             const std::vector<std::string>& assignors) {
  const bool needs_member_id = api_version >= first_version_with_client_member_id ||
                               request.member_epoch > 0 ||
                               request.member_epoch == leaving_member_epoch;
  if (needs_member_id && is_blank(request.member_id)) return invalid("MemberId can't be empty.");
  if (is_blank(request.group_id)) return invalid("GroupId can't be empty.");
  if (is_blank(request.instance_id)) return invalid("InstanceId can't be empty.");
  if (is_blank(request.rack_id)) return invalid("RackId can't be empty.");
  if (request.member_epoch == joining_member_epoch) {
    if (auto refusal = check_joining(request)) return refusal;
  } else if (request.member_epoch == leaving_static_member_epoch) {
    if (!request.instance_id.has_value()) return invalid("InstanceId can't be null.");
  } else if (request.member_epoch < leaving_static_member_epoch) {
    return invalid("MemberEpoch is invalid.");
  }
  if (!request.server_assignor.has_value() ||
      std::find(assignors.begin(), assignors.end(), *request.server_assignor) != assignors.end())
    return std::nullopt;
  std::string names;
  for (const std::string& it : assignors) names += (names.empty() ? "" : ", ") + it;
  return Refusal{ErrorCode::unsupported_assignor,
                 "ServerAssignor " + *request.server_assignor +
                     " is not supported. Supported assignors: " + names + "."};
}

ConsumerMember updated(const ConsumerMember& member, const ConsumerGroupHeartbeatRequest& request,
                       const RequestContext& context) {
  ConsumerMember next = member;
  if (request.instance_id.has_value()) next.instance_id = request.instance_id;
  if (request.rack_id.has_value()) next.rack_id = request.rack_id;
  if (request.rebalance_timeout_ms != -1) next.rebalance_timeout_ms = request.rebalance_timeout_ms;
  if (request.server_assignor.has_value()) next.server_assignor = request.server_assignor;
  if (request.subscribed_topic_names.has_value())
    next.subscribed_topic_names = {request.subscribed_topic_names->begin(),
                                   request.subscribed_topic_names->end()};
  if (request.subscribed_topic_regex.has_value())
    next.subscribed_topic_regex = *request.subscribed_topic_regex;
  next.client_id = context.client_id;
  next.client_host = context.client_host;
  next.classic.reset();
  return next;
}

ConsumerGroupHeartbeatResponse::Assignment to_wire(const EpochAssignment& assigned) {
  ConsumerGroupHeartbeatResponse::Assignment assignment;
  for (const auto& [topic_id, partitions] : assigned) {
    auto& topic = assignment.topic_partitions.emplace_back();
    topic.topic_id = topic_id;
    for (const auto& [partition, epoch] : partitions) topic.partitions.push_back(partition);
  }
  return assignment;
}

}  // namespace

void GroupCoordinator::consumer_group_heartbeat(const RequestContext& context,
                                                const ConsumerGroupHeartbeatRequest& request,
                                                Instant now) {
  if (const auto refusal = check(request, context.api_version, settings_.consumer.assignors))
    return refuse_heartbeat(context, *refusal);
  const ErrorCode available = availability(request.group_id);
  if (available != ErrorCode::none) return refuse_heartbeat(context, {available, {}});
  if (request.member_epoch < joining_member_epoch)
    return leave_consumer_group(context, request, now);

  const bool may_join = request.member_epoch == joining_member_epoch;
  ConsumerGroup group(request.group_id);
  GroupPreparation preparation;
  if (const auto refusal =
          prepare_consumer_group(request.group_id, may_join, group, preparation, now))
    return refuse_heartbeat(context, *refusal);
  ConsumerStep step = begin_step(group, now);
  step.changes = std::move(preparation.changes);
  ConsumerGroupHeartbeatResponse response = beat_consumer_member(step, context, request);
  if (step.refusal.has_value()) return refuse_heartbeat(context, *step.refusal);
  // Those of the conversion come first: the member may have replaced one of them.
  step.timers.insert(step.timers.begin(), preparation.timers.begin(), preparation.timers.end());
  finish_step(request.group_id, step, std::move(preparation.records), {context, response}, now);
}

std::optional<Refusal> GroupCoordinator::prepare_consumer_group(const std::string& group_id,
                                                                bool may_join, ConsumerGroup& group,
                                                                GroupPreparation& preparation,
                                                                Instant now) {
  Group* known = find_group(group_id);
  if (known == nullptr) {
    if (may_join) return std::nullopt;
    return Refusal{ErrorCode::group_id_not_found, "Consumer group " + group_id + " not found."};
  }
  if (known->consumer.has_value()) {
    group = *known->consumer;
    return std::nullopt;
  }
  ClassicGroup& classic = known->classic;
  if (may_join && classic.is_in(ClassicGroupState::empty)) {
    preparation.records.push_back(group_tombstone(group_id, now));
    return std::nullopt;
  }
  if (!may_join || classic.is_in(ClassicGroupState::dead))
    return Refusal{ErrorCode::group_id_not_found,
                   "Group " + group_id + " is not a consumer group."};
  if (auto problem = upgrade_problem(classic, settings_.consumer)) return problem;
  // Who waits in the classic round has to come again, whatever becomes of this.
  answer_waiting_members(classic, ErrorCode::rebalance_in_progress);
  std::string problem;
  auto changes = upgrade(classic, topics_, era_.knows_assignment_epochs, problem);
  if (!changes.has_value()) return Refusal{ErrorCode::group_id_not_found, problem};
  for (const ConsumerChange& it : *changes) apply(group, it);
  preparation.changes = std::move(*changes);
  for (const ClassicMember& it : classic.members())
    preparation.timers.push_back({it.member_id, MemberTimer::session, now + it.session_timeout});
  preparation.records.push_back(group_tombstone(group_id, now));
  return std::nullopt;
}

ConsumerGroupHeartbeatResponse GroupCoordinator::beat_consumer_member(
    ConsumerStep& step, const RequestContext& context,
    const ConsumerGroupHeartbeatRequest& request) {
  const bool may_join = request.member_epoch == joining_member_epoch;
  step.refuse_if_full(request.member_id, request.instance_id);
  const std::string member_id = request.member_id.empty() ? new_uuid() : request.member_id;
  const ConsumerMember before =
      step.find_or_create({member_id, request.member_epoch, request.instance_id, may_join, false},
                          request.topic_partitions);
  ConsumerMember after = updated(before, request, context);
  const bool has_names_changed = step.update_subscription(before, after);
  const auto regex = step.update_regex(before, after, is_resolving(request.group_id));
  const bool has_assignor_changed = step.has_preferred_assignor_changed(before, after);
  const bool bumps_epoch =
      has_names_changed || has_assignor_changed || regex == ConsumerStep::Subscription::resolved;
  if (bumps_epoch || !has_fresh_metadata(request.group_id))
    step.update_metadata(before, after, bumps_epoch);
  const TargetView target = step.update_target(before, after);
  after = step.reconcile_member(after, target,
                                has_names_changed || regex != ConsumerStep::Subscription::same,
                                request.topic_partitions);
  step.start_timer(member_id, MemberTimer::session, settings_.consumer.session_timeout);

  ConsumerGroupHeartbeatResponse response;
  response.member_id = after.member_id;
  response.member_epoch = after.member_epoch;
  response.heartbeat_interval_ms =
      static_cast<std::int32_t>(to_milliseconds(settings_.consumer.heartbeat_interval));
  const bool has_subscription =
      request.subscribed_topic_names.has_value() || request.subscribed_topic_regex.has_value();
  const bool is_full = request.rebalance_timeout_ms != -1 && has_subscription &&
                       request.topic_partitions.has_value();
  if (may_join || is_full || after.assigned != before.assigned)
    response.assignment = to_wire(after.assigned);
  return response;
}

void GroupCoordinator::leave_consumer_group(const RequestContext& context,
                                            const ConsumerGroupHeartbeatRequest& request,
                                            Instant now) {
  const Group* known = find_group(request.group_id);
  if (known == nullptr)
    return refuse_heartbeat(
        context, {ErrorCode::group_id_not_found, "Group " + request.group_id + " not found."});
  if (!known->consumer.has_value())
    return refuse_heartbeat(context, {ErrorCode::group_id_not_found,
                                      "Group " + request.group_id + " is not a consumer group."});
  ConsumerStep step = begin_step(*known->consumer, now);
  const ConsumerMember member = step.find_or_create(
      {request.member_id, joining_member_epoch, request.instance_id, false, false},
      request.topic_partitions);
  if (step.refusal.has_value()) return refuse_heartbeat(context, *step.refusal);
  ConsumerGroupHeartbeatResponse response;
  response.member_id = request.member_id;
  response.member_epoch = request.member_epoch;
  const bool comes_back =
      request.instance_id.has_value() && request.member_epoch == leaving_static_member_epoch;
  if (!comes_back) return fence_members(request.group_id, {member}, {context, response}, now);

  // Its partitions stay with it until its session ends, or the instance comes back.
  ConsumerMember absent = member;
  absent.member_epoch = leaving_static_member_epoch;
  absent.pending_revocation.clear();
  for (auto& [topic_id, partitions] : absent.assigned)
    for (auto& [partition, epoch] : partitions) epoch = 0;
  step.changes.push_back(
      current_assignment_change(request.group_id, absent, era_.knows_assignment_epochs));
  finish_step(request.group_id, step, {}, {context, response}, now);
}

void GroupCoordinator::refuse_heartbeat(const RequestContext& context, const Refusal& refusal) {
  ConsumerGroupHeartbeatResponse response;
  response.error_code = refusal.error;
  if (!refusal.message.empty()) response.error_message = refusal.message;
  reply(context, response);
}

}  // namespace fencepost::minibroker
