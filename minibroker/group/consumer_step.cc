#include "minibroker/group/consumer_step.h"

#include <algorithm>

#include "minibroker/group/metadata_hash.h"
#include "minibroker/group/target_assignment.h"
#include "minibroker/group/topic_patterns.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

namespace {

constexpr std::int64_t regex_refresh_pause_ms = 10000;

bool is_subset(const OwnedPartitions& owned, const EpochAssignment& assigned) {
  return owned.has_value() && std::all_of(owned->begin(), owned->end(), [&](const auto& topic) {
           return assigned.count(topic.topic_id) > 0 &&
                  std::all_of(
                      topic.partitions.begin(), topic.partitions.end(),
                      [&](std::int32_t it) { return contains(assigned, topic.topic_id, it); });
         });
}

std::string not_a_member(const std::string& member_id, const std::string& group_id) {
  return "Member " + member_id + " is not a member of group " + group_id + ".";
}

}  // namespace

void ConsumerStep::refuse(ErrorCode error, std::string message) {
  if (!refusal.has_value()) refusal = Refusal{error, std::move(message)};
}

void ConsumerStep::refuse_if_full(const std::string& member_id,
                                  const std::optional<std::string>& instance_id) {
  if (group_.find_static_member(instance_id) != nullptr) return;
  const bool is_full = group_.members().size() >= static_cast<std::size_t>(settings_.max_size);
  if (is_full && group_.find_member(member_id) == nullptr)
    refuse(ErrorCode::group_max_size_reached,
           "The consumer group has reached its maximum capacity of " +
               std::to_string(settings_.max_size) + " members.");
}

// ---- members

void ConsumerStep::check_epoch(const ConsumerMember& member, std::int32_t member_epoch,
                               const OwnedPartitions& owned) {
  if (member_epoch == joining_member_epoch || member_epoch == member.member_epoch) return;
  const bool is_ahead = member_epoch > member.member_epoch;
  // The answer that brought the newer epoch may have got lost.
  const bool has_missed_answer =
      member_epoch == member.previous_member_epoch && is_subset(owned, member.assigned);
  if (!is_ahead && has_missed_answer) return;
  refuse(ErrorCode::fenced_member_epoch,
         std::string("The consumer group member has a ") + (is_ahead ? "greater" : "smaller") +
             " member epoch (" + std::to_string(member_epoch) +
             ") than the one known by the group coordinator (" +
             std::to_string(member.member_epoch) +
             "). The member must abandon all its partitions and rejoin.");
}

ConsumerMember ConsumerStep::find_or_create(const Identity& identity,
                                            const OwnedPartitions& owned) {
  const ConsumerMember fresh{identity.member_id};
  if (refusal.has_value()) return fresh;
  if (!identity.instance_id.has_value()) {
    const ConsumerMember* member = group_.find_member(identity.member_id);
    if (member == nullptr && !identity.may_join) {
      refuse(ErrorCode::unknown_member_id, not_a_member(identity.member_id, group_.group_id()));
      return fresh;
    }
    const ConsumerMember& found = member != nullptr ? *member : fresh;
    if (!identity.speaks_classic) check_epoch(found, identity.member_epoch, owned);
    return found;
  }
  const ConsumerMember* owner = group_.find_static_member(identity.instance_id);
  if (identity.may_join) {
    if (owner != nullptr) return replace_static(*owner, identity);
    const ConsumerMember* member = group_.find_member(identity.member_id);
    return member != nullptr ? *member : fresh;
  }
  if (owner == nullptr) {
    refuse(ErrorCode::unknown_member_id, "Instance id " + *identity.instance_id + " is unknown.");
    return fresh;
  }
  if (owner->member_id != identity.member_id) {
    refuse(ErrorCode::fenced_instance_id, "Static member " + identity.member_id +
                                              " with instance id " + *identity.instance_id +
                                              " was fenced by member " + owner->member_id + ".");
    return fresh;
  }
  if (!identity.speaks_classic) check_epoch(*owner, identity.member_epoch, owned);
  return *owner;
}

ConsumerMember ConsumerStep::replace_static(const ConsumerMember& owner, const Identity& identity) {
  const bool is_held = !identity.speaks_classic && !owner.classic.has_value() &&
                       owner.member_epoch != leaving_static_member_epoch;
  if (is_held)
    refuse(ErrorCode::unreleased_instance_id,
           "Static member " + identity.member_id + " with instance id " + *identity.instance_id +
               " cannot join the group because the instance id is owned by " + owner.member_id +
               " member.");
  ConsumerMember member = owner;
  member.member_id = identity.member_id;
  member.member_epoch = joining_member_epoch;
  member.previous_member_epoch = 0;
  const std::string& group_id = group_.group_id();
  const auto target = group_.targets.find(owner.member_id);
  add_member_tombstones(changes, group_id, owner.member_id);
  changes.push_back(subscription_change(group_id, member));
  changes.push_back(target_change(group_id, member.member_id,
                                  target == group_.targets.end() ? Assignment{} : target->second));
  changes.push_back(current_assignment_change(group_id, member, era_.knows_assignment_epochs));
  return member;
}

// ---- subscriptions

bool ConsumerStep::update_subscription(const ConsumerMember& before, const ConsumerMember& after) {
  if (refusal.has_value() || after == before) return false;
  changes.push_back(subscription_change(group_.group_id(), after));
  return after.subscribed_topic_names != before.subscribed_topic_names;
}

ConsumerStep::Subscription ConsumerStep::update_regex(const ConsumerMember& before,
                                                      const ConsumerMember& after,
                                                      bool is_resolving) {
  Subscription status = Subscription::same;
  if (refusal.has_value()) return status;
  const std::string& old_regex = before.subscribed_topic_regex;
  const std::string& new_regex = after.subscribed_topic_regex;
  bool is_new_regex = false;
  if (old_regex != new_regex) {
    status = Subscription::changed;
    if (!old_regex.empty() && group_.subscriber_count(old_regex) == 1)
      changes.push_back(regex_tombstone(group_.group_id(), old_regex));
    if (new_regex.empty()) {
      status = Subscription::resolved;
    } else if (group_.subscriber_count(new_regex) == 0) {
      if (const auto problem = regex_problem(new_regex); problem.has_value()) {
        refuse(ErrorCode::invalid_regular_expression,
               "SubscribedTopicRegex `" + new_regex +
                   "` is not a valid regular expression: " + *problem + ".");
        return status;
      }
      is_new_regex = true;
    } else if (group_.resolved_regexes.count(new_regex) > 0) {
      status = Subscription::resolved;
    }
  }
  if (!is_resolving) resolve_if_due(before, after, is_new_regex);
  return status;
}

void ConsumerStep::resolve_if_due(const ConsumerMember& before, const ConsumerMember& after,
                                  bool is_new_regex) {
  if (!is_new_regex && group_.subscribed_regexes(nullptr, nullptr).empty()) return;
  const std::int64_t now_ms = to_timestamp(now_);
  const bool was_resolved = !group_.resolved_regexes.empty();
  ResolvedRegex last;
  if (was_resolved) last = group_.resolved_regexes.begin()->second;
  if (was_resolved && now_ms <= last.timestamp + regex_refresh_pause_ms) return;
  const std::map<std::string, int> counts = group_.subscribed_regexes(&before, &after);
  const bool is_due = is_new_regex || counts.size() != group_.resolved_regexes.size() ||
                      last.version < topics_.version_with_new_topics() || !was_resolved ||
                      now_ms > last.timestamp + to_milliseconds(settings_.regex_refresh_interval);
  if (!is_due || counts.empty()) return;
  regexes_to_resolve.emplace();
  for (const auto& [regex, count] : counts) regexes_to_resolve->insert(regex);
}

void ConsumerStep::take_resolved(const std::map<std::string, ResolvedRegex>& resolved) {
  SubscriptionCounts counts = group_.subscribed_topics(nullptr, nullptr);
  bool bumps_epoch = false;
  for (const auto& [regex, fresh] : resolved) {
    if (group_.subscriber_count(regex) == 0) continue;
    const auto old = group_.resolved_regexes.find(regex);
    const std::set<std::string> old_topics =
        old == group_.resolved_regexes.end() ? std::set<std::string>{} : old->second.topics;
    if (old_topics != fresh.topics) bumps_epoch = true;
    for (const std::string& it : old_topics) --counts[it].by_regex;
    for (const std::string& it : fresh.topics) ++counts[it].by_regex;
    changes.push_back(regex_change(group_.group_id(), regex, fresh));
  }
  std::erase_if(counts,
                [](const auto& it) { return it.second.by_name <= 0 && it.second.by_regex <= 0; });
  const std::int64_t hash = hash_of(counts);
  if (hash == group_.metadata_hash && !bumps_epoch) return;
  changes.push_back(group_epoch_change(group_, group_.group_epoch + 1, hash));
  has_fresh_metadata = true;
}

bool ConsumerStep::has_preferred_assignor_changed(const ConsumerMember& before,
                                                  const ConsumerMember& after) {
  const std::string& fallback = settings_.assignors.front();
  return group_.preferred_assignor(nullptr, nullptr).value_or(fallback) !=
         group_.preferred_assignor(&before, &after).value_or(fallback);
}

// ---- the group's epoch and target

std::int64_t ConsumerStep::hash_of(const SubscriptionCounts& subscribed) const {
  return metadata_hash(subscribed, topics_);
}

void ConsumerStep::update_metadata(const ConsumerMember& before, const ConsumerMember& after,
                                   bool bumps_epoch) {
  if (refusal.has_value()) return;
  const SubscriptionCounts counts = group_.subscribed_topics(&before, &after);
  const std::int64_t hash = hash_of(counts);
  const bool is_known = group_.find_member(after.member_id) != nullptr ||
                        group_.find_static_member(after.instance_id) != nullptr;
  is_homogeneous_ = is_homogeneous(group_.subscribed_regexes(&before, &after), counts,
                                   group_.members().size() + (is_known ? 0 : 1));
  if (bumps_epoch || hash != group_.metadata_hash) {
    new_group_epoch_ = group_.group_epoch + 1;
    changes.push_back(group_epoch_change(group_, *new_group_epoch_, hash));
  }
  has_fresh_metadata = true;
  if (group_.has_partition_metadata_record)
    changes.push_back(partition_metadata_tombstone(group_.group_id()));
}

TargetView ConsumerStep::current_target(const ConsumerMember& member) const {
  return {group_.assignment_epoch, group_.target_of(member)};
}

TargetView ConsumerStep::update_target(const ConsumerMember& before, const ConsumerMember& after) {
  if (refusal.has_value()) return {};
  if (group_.assignment_epoch >= group_epoch()) return current_target(after);
  const std::int64_t now_ms = to_timestamp(now_);
  const std::int64_t interval_ms = to_milliseconds(settings_.assignment_interval);
  const bool is_too_soon = group_.assignment_timestamp != 0 && interval_ms != 0 &&
                           now_ms < group_.assignment_timestamp + interval_ms;
  if (is_too_soon) return current_target(after);

  const std::string assignor =
      group_.preferred_assignor(&before, &after).value_or(settings_.assignors.front());
  if (!is_homogeneous_.has_value())
    is_homogeneous_ =
        is_homogeneous(group_.subscribed_regexes(nullptr, nullptr),
                       group_.subscribed_topics(nullptr, nullptr), group_.members().size());
  const TargetAssignment result =
      compute_targets(group_, after, topics_, assignor, *is_homogeneous_);
  for (const std::string& member_id : result.member_order) {
    const auto old = result.previous.find(member_id);
    const Assignment& fresh = result.targets.at(member_id);
    if (old == result.previous.end() || old->second != fresh)
      changes.push_back(target_change(group_.group_id(), member_id, fresh));
  }
  changes.push_back(target_epoch_change(group_.group_id(), group_epoch(), now_ms));
  return {group_epoch(), result.targets.at(after.member_id)};
}

ConsumerMember ConsumerStep::reconcile_member(const ConsumerMember& member,
                                              const TargetView& target,
                                              bool has_subscription_changed,
                                              const OwnedPartitions& owned) {
  if (refusal.has_value()) return member;
  if (!has_subscription_changed && member.is_reconciled_to(target.epoch)) return member;
  const std::set<Uuid> topic_ids = group_.topic_ids_of(member, topics_);
  const std::optional<ConsumerMember> next = reconcile(
      member,
      {group_, topic_ids, target.epoch, target.assignment, has_subscription_changed, owned});
  if (!next.has_value()) {
    refuse(ErrorCode::fenced_member_epoch,
           "The consumer group member is in a unknown state. The member must abandon all its "
           "partitions and rejoin.");
    return member;
  }
  if (*next == member) return member;
  changes.push_back(
      current_assignment_change(group_.group_id(), *next, era_.knows_assignment_epochs));
  if (next->classic.has_value()) return *next;
  if (next->state == MemberState::unrevoked_partitions) {
    start_timer(next->member_id, MemberTimer::rebalance, milliseconds(next->rebalance_timeout_ms));
    timers.back().member_epoch = next->member_epoch;
  } else {
    cancel_timer(next->member_id, MemberTimer::rebalance);
  }
  return *next;
}

void ConsumerStep::remove_members(const std::vector<ConsumerMember>& members) {
  const std::string& group_id = group_.group_id();
  for (const ConsumerMember& it : members) add_member_tombstones(changes, group_id, it.member_id);
  // What the others subscribe to, and the patterns that nobody does any more.
  ConsumerGroup rest = group_;
  for (const ConsumerMember& it : members) rest.remove_member(it.member_id);
  std::set<std::string> dropped;
  for (const ConsumerMember& it : members) {
    const std::string& regex = it.subscribed_topic_regex;
    if (!regex.empty() && rest.subscriber_count(regex) == 0) dropped.insert(regex);
  }
  for (const std::string& regex : dropped) {
    changes.push_back(regex_tombstone(group_id, regex));
    rest.resolved_regexes.erase(regex);
  }
  new_group_epoch_ = group_.group_epoch + 1;
  changes.push_back(group_epoch_change(group_, *new_group_epoch_,
                                       hash_of(rest.subscribed_topics(nullptr, nullptr))));
  // Nobody is left to have a target computed for: the empty one is in force.
  if (rest.is_empty()) changes.push_back(target_epoch_change(group_id, *new_group_epoch_, 0));
  for (const ConsumerMember& it : members)
    for (MemberTimer timer :
         {MemberTimer::session, MemberTimer::rebalance, MemberTimer::join, MemberTimer::sync})
      cancel_timer(it.member_id, timer);
}

// ---- timers

void ConsumerStep::start_timer(const std::string& member_id, MemberTimer timer, Duration timeout) {
  timers.push_back({member_id, timer, now_ + timeout});
}

void ConsumerStep::cancel_timer(const std::string& member_id, MemberTimer timer) {
  timers.push_back({member_id, timer});
}

}  // namespace fencepost::minibroker
