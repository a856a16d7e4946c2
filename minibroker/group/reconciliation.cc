#include "minibroker/group/reconciliation.h"

#include <algorithm>

namespace fencepost::minibroker {

namespace {

bool still_owns(const OwnedPartitions& owned, const EpochAssignment& revoked) {
  if (!owned.has_value()) return true;
  return std::any_of(owned->begin(), owned->end(), [&](const auto& topic) {
    return std::any_of(topic.partitions.begin(), topic.partitions.end(),
                       [&](std::int32_t it) { return contains(revoked, topic.topic_id, it); });
  });
}

ConsumerMember with(const ConsumerMember& member, MemberState state, std::int32_t epoch,
                    EpochAssignment assigned, EpochAssignment pending_revocation) {
  ConsumerMember next = member;
  next.state = state;
  next.move_to_epoch(epoch);
  next.assigned = std::move(assigned);
  next.pending_revocation = std::move(pending_revocation);
  return next;
}

// Partitions of topics that the member no longer subscribes to go at once, whatever the target.
ConsumerMember give_up_unsubscribed(const ConsumerMember& member,
                                    const ReconciliationInput& input) {
  EpochAssignment assigned = member.assigned;
  EpochAssignment revoked = member.pending_revocation;
  for (const auto& [topic_id, partitions] : member.assigned) {
    if (input.subscribed_topic_ids.count(topic_id) > 0) continue;
    revoked[topic_id].insert(partitions.begin(), partitions.end());
    assigned.erase(topic_id);
  }
  if (assigned == member.assigned) return member;
  if (still_owns(input.owned, revoked))
    return with(member, MemberState::unrevoked_partitions, member.member_epoch, std::move(assigned),
                std::move(revoked));
  return with(member, member.state, member.member_epoch, std::move(assigned),
              member.pending_revocation);
}

// What the member holds of one topic, compared with its target.
struct TopicStep {
  std::map<std::int32_t, std::int32_t> kept;
  std::map<std::int32_t, std::int32_t> revoked;
  std::set<std::int32_t> added;
  bool waits = false;  // more is meant for it that others still hold
};

TopicStep step_of(const ConsumerMember& member, const ReconciliationInput& input,
                  const Uuid& topic_id) {
  TopicStep step;
  std::set<std::int32_t> target;
  const auto wanted = input.target.find(topic_id);
  if (wanted != input.target.end() && input.subscribed_topic_ids.count(topic_id) > 0)
    target = wanted->second;
  const auto held = member.assigned.find(topic_id);
  if (held != member.assigned.end())
    for (const auto& it : held->second)
      (target.count(it.first) > 0 ? step.kept : step.revoked).insert(it);
  for (std::int32_t partition : target) {
    if (step.kept.count(partition) > 0) continue;
    const bool is_free = input.group.current_partition_epoch(topic_id, partition) == -1 ||
                         contains(member.pending_revocation, topic_id, partition);
    if (is_free) {
      step.added.insert(partition);
    } else {
      step.waits = true;
    }
  }
  return step;
}

ConsumerMember next_assignment(const ConsumerMember& member, std::int32_t epoch,
                               const ReconciliationInput& input) {
  std::set<Uuid> topic_ids;
  for (const auto& [topic_id, partitions] : input.target) topic_ids.insert(topic_id);
  for (const auto& [topic_id, partitions] : member.assigned) topic_ids.insert(topic_id);
  EpochAssignment kept;
  EpochAssignment revoked;
  Assignment added;
  bool waits = false;
  for (const Uuid& topic_id : topic_ids) {
    TopicStep step = step_of(member, input, topic_id);
    if (!step.kept.empty()) kept[topic_id] = std::move(step.kept);
    if (!step.revoked.empty()) revoked[topic_id] = std::move(step.revoked);
    if (!step.added.empty()) added[topic_id] = std::move(step.added);
    waits = waits || step.waits;
  }
  if (!revoked.empty() && still_owns(input.owned, revoked))
    return with(member, MemberState::unrevoked_partitions, epoch, std::move(kept),
                std::move(revoked));
  for (const auto& [topic_id, partitions] : added)
    for (std::int32_t partition : partitions) kept[topic_id][partition] = input.target_epoch;
  return with(member, waits ? MemberState::unreleased_partitions : MemberState::stable,
              input.target_epoch, std::move(kept), {});
}

}  // namespace

std::optional<ConsumerMember> reconcile(const ConsumerMember& member,
                                        const ReconciliationInput& input) {
  switch (member.state) {
    case MemberState::stable:
      if (member.member_epoch != input.target_epoch)
        return next_assignment(member, member.member_epoch, input);
      return input.has_subscription_changed ? give_up_unsubscribed(member, input) : member;
    case MemberState::unrevoked_partitions:
      if (!still_owns(input.owned, member.pending_revocation))
        return next_assignment(member, member.member_epoch, input);
      return input.has_subscription_changed ? give_up_unsubscribed(member, input) : member;
    case MemberState::unreleased_partitions:
      return next_assignment(member, member.member_epoch, input);
    case MemberState::unknown:
      // Written by a newer broker.
      if (!input.owned.has_value() || !input.owned->empty()) return std::nullopt;
      return next_assignment(member, input.target_epoch, input);
  }
  return member;
}

}  // namespace fencepost::minibroker
