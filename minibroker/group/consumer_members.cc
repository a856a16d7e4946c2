// What every change of a consumer group has in common: it is applied, written, and answered when it
// is replicated; a write that fails takes it back. And what happens when no heartbeat comes.
#include <algorithm>

#include "minibroker/group/consumer_answer.h"
#include "minibroker/group/consumer_step.h"
#include "minibroker/group/conversion.h"
#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"
#include "minibroker/group/replay.h"
#include "minibroker/group/topic_patterns.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

ConsumerStep GroupCoordinator::begin_step(const ConsumerGroup& group, Instant now) const {
  return {group, topics_, settings_.consumer, era_, now};
}

bool GroupCoordinator::is_resolving(const std::string& group_id) const {
  const Group* group = find_group(group_id);
  return group != nullptr && group->runtime.regexes_to_resolve.has_value();
}

bool GroupCoordinator::has_fresh_metadata(const std::string& group_id) const {
  const Group* group = find_group(group_id);
  return group != nullptr && group->consumer.has_value() && group->runtime.has_fresh_metadata;
}

std::string GroupCoordinator::new_uuid() {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i)
    uuid.bytes[i] = static_cast<std::uint8_t>(random_.next());
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0fU) | 0x40U);
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3fU) | 0x80U);
  // Kafka has no ids that look like a command line option.
  uuid.bytes[0] &= 0x7fU;
  return to_string(uuid);
}

// ---- changes

void GroupCoordinator::finish_step(const std::string& group_id, ConsumerStep& step,
                                   std::vector<protocol::NewRecord> records_before,
                                   ConsumerAnswer answer, Instant now) {
  // The step may look at the very group that its changes are about to alter.
  const std::vector<ConsumerChange> changes = std::move(step.changes);
  const std::vector<TimerChange> timers = std::move(step.timers);
  const bool has_fresh_metadata = step.has_fresh_metadata;
  const auto regexes = std::move(step.regexes_to_resolve);

  GroupSnapshot before = snapshot(group_id);
  Group& group = get_or_create_group(group_id, now);
  if (!records_before.empty()) group.classic = ClassicGroup(group_id, now);
  for (const ConsumerChange& it : changes)
    apply_change(shards_.at(partition_of(group_id)), it, now);
  if (group.consumer.has_value()) {
    if (has_fresh_metadata) group.runtime.has_fresh_metadata = true;
    if (regexes.has_value())
      group.runtime.regexes_to_resolve = {*regexes, now,
                                          answer.request ? answer.request->identity : nullptr};
    for (const TimerChange& it : timers) set_timer(group, it);
  }
  std::vector<protocol::NewRecord> records = std::move(records_before);
  for (const ConsumerChange& it : changes) records.push_back(to_record(it, now));
  write_step(group_id, std::move(before), std::move(records), std::move(answer));
}

GroupSnapshot GroupCoordinator::snapshot(const std::string& group_id) const {
  const Group* group = find_group(group_id);
  if (group == nullptr) return {};
  return {true, group->classic, group->consumer, group->runtime};
}

void GroupCoordinator::write_step(const std::string& group_id, GroupSnapshot before,
                                  std::vector<protocol::NewRecord> records, ConsumerAnswer answer) {
  const std::int32_t partition = partition_of(group_id);
  if (records.empty()) return answer_after_writes(partition, answer);
  write({partition, group_id, ConsumerGroupChanged{std::move(answer), std::move(before)}},
        std::move(records));
}

void GroupCoordinator::answer_after_writes(std::int32_t partition, const ConsumerAnswer& answer) {
  if (!answer.request.has_value()) return;
  // What the answer tells may not be in the log yet.
  for (auto it = pending_writes_.rbegin(); it != pending_writes_.rend(); ++it) {
    if (it->second.partition != partition) continue;
    it->second.held_answers.push_back(answer);
    return;
  }
  send_answer(answer);
}

void GroupCoordinator::send_answer(const ConsumerAnswer& answer) {
  if (!answer.request.has_value()) return;
  std::visit([&](const auto& response) { reply(*answer.request, response); }, answer.response);
}

void GroupCoordinator::finish(const PendingWrite& pending, ConsumerGroupChanged& reason,
                              const Outcome& outcome, Instant now) {
  if (outcome.error == ErrorCode::none) return send_answer(reason.answer);
  // What timed out is in the log and may count one day; anything else never happened.
  const auto shard = shards_.find(pending.partition);
  if (shard != shards_.end() && !is_still_in_log(outcome.error)) {
    Group& group = get_or_create_group(pending.group_id, now);
    group.consumer = reason.before.consumer;
    group.runtime = reason.before.runtime;
    if (reason.before.existed) group.classic = reason.before.classic;
    // Later changes were made on top of this one: theirs go with it.
    for (auto& [id, later] : pending_writes_)
      if (auto* change = std::get_if<ConsumerGroupChanged>(&later.reason);
          change != nullptr && later.group_id == pending.group_id && id > outcome.id)
        change->before = reason.before;
    if (!reason.before.existed) forget_if_unused(pending.group_id);
  }
  send_answer(failed(reason.answer, outcome.error));
}

// ---- members that go

void GroupCoordinator::fence_members(const std::string& group_id,
                                     const std::vector<ConsumerMember>& members,
                                     ConsumerAnswer answer, Instant now) {
  Group& group = *find_group(group_id);
  CHECK(group.consumer.has_value());
  if (members.empty()) return answer_after_writes(partition_of(group_id), answer);
  if (can_downgrade_without(*group.consumer, members, settings_.consumer, settings_.max_size))
    return convert_to_classic(group, {members, nullptr, true}, {}, std::move(answer), now);
  ConsumerStep step = begin_step(*group.consumer, now);
  step.remove_members(members);
  finish_step(group_id, step, {}, std::move(answer), now);
}

void GroupCoordinator::convert_to_classic(Group& group, const Downgrade& how,
                                          std::vector<ConsumerChange> changes,
                                          ConsumerAnswer answer, Instant now) {
  const ConsumerGroup consumer = *group.consumer;
  const std::string group_id = consumer.group_id();
  GroupSnapshot before = snapshot(group_id);
  if (how.joining != nullptr) {
    add_group_tombstones(changes, consumer,
                         consumer.find_static_member(how.joining->instance_id)->member_id,
                         how.joining->member_id);
  } else {
    add_group_tombstones(changes, consumer);
  }
  group.classic = downgrade(consumer, how.leaving, how.joining, topics_, now);
  group.consumer.reset();
  group.runtime = {};
  std::vector<protocol::NewRecord> records;
  for (const ConsumerChange& it : changes) records.push_back(to_record(it, now));
  records.push_back(group_record(group.classic, assignments_of(group.classic), now));
  write_step(group_id, std::move(before), std::move(records), std::move(answer));
  if (how.rebalances) prepare_rebalance(group, now);
}

// ---- time

void GroupCoordinator::set_timer(Group& group, const TimerChange& change) {
  MemberTimers& timers = group.runtime.timers[change.member_id];
  std::optional<Instant>& deadline = timers.deadlines[static_cast<std::size_t>(change.timer)];
  if (change.is_kept_if_set && deadline.has_value()) return;
  deadline = change.deadline;
  if (change.timer == MemberTimer::rebalance) timers.rebalance_epoch = change.member_epoch;
  const bool is_idle = std::none_of(timers.deadlines.begin(), timers.deadlines.end(),
                                    [](const auto& it) { return it.has_value(); });
  if (is_idle) group.runtime.timers.erase(change.member_id);
}

void GroupCoordinator::resume_timers(Group& group, Instant now) {
  for (const ConsumerMember& it : group.consumer->members()) {
    set_timer(group,
              {it.member_id, MemberTimer::session, now + settings_.consumer.session_timeout});
    if (it.state == MemberState::unrevoked_partitions)
      set_timer(group, {it.member_id, MemberTimer::rebalance,
                        now + milliseconds(it.rebalance_timeout_ms), false, it.member_epoch});
  }
}

std::map<std::string, ResolvedRegex> GroupCoordinator::search_topics(const RegexSearch& search,
                                                                     Instant now) const {
  std::map<std::string, ResolvedRegex> found = resolve(search.regexes, topics_, now);
  if (!authorizer_->is_enabled() || search.identity == nullptr) return found;
  for (auto& [regex, resolved] : found)
    std::erase_if(resolved.topics, [&](const std::string& topic) {
      return !authorizer_->allows(*search.identity, security::Operation::describe,
                                  security::ResourceType::topic, topic);
    });
  return found;
}

void GroupCoordinator::expire_consumer_group(Group& group, Instant now) {
  const std::string group_id = group.consumer->group_id();
  if (group.runtime.regexes_to_resolve.has_value() &&
      group.runtime.regexes_to_resolve->due <= now) {
    const RegexSearch search = *std::exchange(group.runtime.regexes_to_resolve, std::nullopt);
    ConsumerStep step = begin_step(*group.consumer, now);
    step.take_resolved(search_topics(search, now));
    finish_step(group_id, step, {}, {}, now);
  }
  std::vector<std::string> member_ids;
  for (const auto& [member_id, timers] : group.runtime.timers) member_ids.push_back(member_id);
  for (const std::string& member_id : member_ids) {
    const auto found = group.runtime.timers.find(member_id);
    if (!group.consumer.has_value() || found == group.runtime.timers.end()) continue;
    MemberTimers& timers = found->second;
    const ConsumerMember* member = group.consumer->find_member(member_id);
    bool is_fenced = false;
    for (std::size_t i = 0; i < timers.deadlines.size(); ++i) {
      if (!timers.deadlines[i].has_value() || *timers.deadlines[i] > now) continue;
      timers.deadlines[i].reset();
      const bool has_moved_on = static_cast<MemberTimer>(i) == MemberTimer::rebalance &&
                                member != nullptr && member->member_epoch != timers.rebalance_epoch;
      is_fenced = is_fenced || !has_moved_on;
    }
    if (is_fenced && member != nullptr) fence_members(group_id, {ConsumerMember(*member)}, {}, now);
    if (member == nullptr) group.runtime.timers.erase(member_id);
  }
}

void GroupCoordinator::update_topics(const std::map<std::string, TopicFacts>& topics,
                                     std::int64_t version) {
  const std::set<std::string> changed = topics_.update(topics, version);
  if (changed.empty()) return;
  for (auto& [partition, shard] : shards_)
    for (auto& [group_id, group] : shard.groups)
      if (group.consumer.has_value()) group.runtime.has_fresh_metadata = false;
}

}  // namespace fencepost::minibroker
