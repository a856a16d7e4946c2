#include "minibroker/group/target_assignment.h"

#include <algorithm>

#include "minibroker/group/assignors/java_order.h"

namespace fencepost::minibroker {

bool is_homogeneous(const std::map<std::string, int>& subscribed_regexes,
                    const SubscriptionCounts& subscribed_topics, std::size_t member_count) {
  const int everybody = static_cast<int>(member_count);
  if (subscribed_regexes.empty())
    return std::all_of(subscribed_topics.begin(), subscribed_topics.end(),
                       [&](const auto& it) { return it.second.by_name == everybody; });
  return subscribed_regexes.begin()->second == everybody &&
         std::all_of(subscribed_topics.begin(), subscribed_topics.end(), [](const auto& it) {
           return it.second.by_regex == 1 && it.second.by_name <= 0;
         });
}

TargetAssignment compute_targets(const ConsumerGroup& group, const ConsumerMember& member,
                                 const TopicDirectory& topics, const std::string& assignor,
                                 bool is_homogeneous) {
  TargetAssignment result;
  result.previous = group.targets;
  std::map<std::string, ConsumerMember> members;
  for (const ConsumerMember& it : group.members()) {
    result.member_order.push_back(it.member_id);
    members.emplace(it.member_id, it);
  }
  if (const ConsumerMember* owner = group.find_static_member(member.instance_id);
      owner != nullptr && owner->member_id != member.member_id) {
    std::erase(result.member_order, owner->member_id);
    members.erase(owner->member_id);
    result.previous[member.member_id] = group.target_of(member);
    result.previous.erase(owner->member_id);
  }
  if (members.insert_or_assign(member.member_id, member).second)
    result.member_order.push_back(member.member_id);
  sort_as_java_hash_map(result.member_order);

  AssignorInput input;
  input.is_homogeneous = is_homogeneous;
  for (const std::string& member_id : result.member_order) {
    const ConsumerMember& it = members.at(member_id);
    AssignorMember& assigned = input.members.emplace_back();
    assigned.member_id = member_id;
    assigned.instance_id = it.instance_id;
    for (const std::string& name : group.topics_of(it)) {
      const TopicFacts* facts = topics.find(name);
      if (facts == nullptr) continue;
      assigned.topic_ids.insert(facts->id);
      input.partition_counts[facts->id] = facts->partition_count;
    }
    const auto previous = result.previous.find(member_id);
    if (previous != result.previous.end()) assigned.previous = previous->second;
  }
  for (const auto& [member_id, target] : group.targets)
    for (const auto& [topic_id, partitions] : target)
      input.assigned[topic_id].insert(partitions.begin(), partitions.end());
  result.targets = assignor == "range" ? assign_range(input) : assign_uniform(input);
  for (const std::string& member_id : result.member_order) result.targets[member_id];
  return result;
}

}  // namespace fencepost::minibroker
