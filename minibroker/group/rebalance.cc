// The join round of a classic group: it begins (PreparingRebalance), waits for the members, and
// ends with a new generation (CompletingRebalance, or Empty when nobody is left).
#include <algorithm>

#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

void GroupCoordinator::prepare_rebalance(Group& group, Instant now) {
  ClassicGroup& classic = group.classic;
  if (classic.is_in(ClassicGroupState::completing_rebalance)) {
    for (ClassicMember& it : classic.members()) it.assignment = {};
    answer_waiting_syncs(classic, ErrorCode::rebalance_in_progress, now);
  }
  classic.sync_deadline.reset();
  const bool is_initial = classic.is_in(ClassicGroupState::empty);
  classic.transition_to(ClassicGroupState::preparing_rebalance, now);
  if (is_initial) {
    // The group is new: more members are likely to come right after the first.
    classic.has_new_member_in_initial_delay = false;
    classic.initial_delay_left =
        std::max(classic.rebalance_timeout() - settings_.initial_rebalance_delay, Duration{});
    classic.join_deadline = now + settings_.initial_rebalance_delay;
    return;
  }
  classic.initial_delay_left.reset();
  if (classic.have_all_joined()) {
    complete_join(group, now);
  } else {
    classic.join_deadline = now + classic.rebalance_timeout();
  }
}

void GroupCoordinator::prepare_rebalance_or_complete_join(Group& group, Instant now) {
  if (group.classic.can_rebalance()) {
    prepare_rebalance(group, now);
  } else {
    maybe_complete_join(group, now);
  }
}

void GroupCoordinator::maybe_complete_join(Group& group, Instant now) {
  // The first round of a group always takes its whole delay.
  if (group.classic.is_in(ClassicGroupState::preparing_rebalance) &&
      !group.classic.initial_delay_left.has_value() && group.classic.have_all_joined())
    complete_join(group, now);
}

void GroupCoordinator::end_initial_delay(Group& group, Instant now) {
  ClassicGroup& classic = group.classic;
  CHECK(classic.initial_delay_left.has_value());
  const Duration left = *classic.initial_delay_left;
  if (!classic.has_new_member_in_initial_delay || left == Duration{}) {
    complete_join(group, now);
    return;
  }
  const Duration delay = std::min(settings_.initial_rebalance_delay, left);
  classic.has_new_member_in_initial_delay = false;
  classic.initial_delay_left = left - delay;
  classic.join_deadline = now + delay;
}

void GroupCoordinator::complete_join(Group& group, Instant now) {
  ClassicGroup& classic = group.classic;
  classic.join_deadline.reset();
  // Static members keep their place: they are expected to come back within the session timeout.
  std::vector<std::string> absent;
  for (const ClassicMember& it : classic.members())
    if (!it.waiting_join.has_value() && !it.is_static()) absent.push_back(it.member_id);
  for (const std::string& member_id : absent) classic.remove_member(member_id);

  if (!classic.elect_leader_among_joined() && !classic.members().empty()) {
    // Only static members, and none is back: the round stays open.
    classic.join_deadline = now + std::max(classic.rebalance_timeout(), milliseconds(1));
    return;
  }
  classic.initial_delay_left.reset();
  classic.begin_next_generation(now);
  if (classic.members().empty()) {
    write({partition_of(classic.group_id()), classic.group_id(), EmptyGenerationWritten{}},
          {group_record(classic, {}, now)});
    return;
  }
  for (ClassicMember& it : classic.members()) {
    if (it.waiting_join.has_value()) answer_join(classic, *it.waiting_join, it.member_id);
    it.waiting_join.reset();
    it.is_new = false;
    reset_session(it, now);
    classic.pending_sync_members.insert(it.member_id);
  }
  classic.sync_deadline = now + classic.rebalance_timeout();
}

void GroupCoordinator::finish(const PendingWrite&, EmptyGenerationWritten&, const Outcome&,
                              Instant) {
  // Nobody waits. If it failed, the log holds the generation before, whose members are gone: they
  // expire after a fail-over.
}

void GroupCoordinator::remove_member(Group& group, const std::string& member_id) {
  ClassicMember* member = group.classic.find_member(member_id);
  CHECK(member != nullptr);
  // A client that still listens joins again.
  if (member->waiting_join.has_value())
    refuse_join(*member->waiting_join, "", ErrorCode::unknown_member_id);
  if (member->waiting_sync.has_value())
    answer_sync(group.classic, *member->waiting_sync, ErrorCode::unknown_member_id, {});
  group.classic.remove_member(member_id);
}

void GroupCoordinator::reset_session(ClassicMember& member, Instant now) {
  member.session_deadline = now + member.session_timeout;
}

}  // namespace fencepost::minibroker
