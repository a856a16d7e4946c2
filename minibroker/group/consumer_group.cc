#include "minibroker/group/consumer_group.h"

#include <algorithm>

namespace fencepost::minibroker {

std::string_view to_string(ConsumerGroupState state) {
  switch (state) {
    case ConsumerGroupState::empty:
      return "Empty";
    case ConsumerGroupState::assigning:
      return "Assigning";
    case ConsumerGroupState::reconciling:
      return "Reconciling";
    case ConsumerGroupState::stable:
      return "Stable";
  }
  return "";
}

Assignment without_epochs(const EpochAssignment& assignment) {
  Assignment plain;
  for (const auto& [topic_id, partitions] : assignment)
    for (const auto& [partition, epoch] : partitions) plain[topic_id].insert(partition);
  return plain;
}

bool contains(const EpochAssignment& assignment, const Uuid& topic_id, std::int32_t partition) {
  const auto topic = assignment.find(topic_id);
  return topic != assignment.end() && topic->second.count(partition) > 0;
}

ConsumerGroupState ConsumerGroup::state() const {
  if (members_.empty()) return ConsumerGroupState::empty;
  if (group_epoch > assignment_epoch) return ConsumerGroupState::assigning;
  const bool is_stable = std::all_of(members_.begin(), members_.end(), [&](const auto& it) {
    return it.is_reconciled_to(assignment_epoch);
  });
  return is_stable ? ConsumerGroupState::stable : ConsumerGroupState::reconciling;
}

const ConsumerMember* ConsumerGroup::find_member(const std::string& member_id) const {
  for (const ConsumerMember& it : members_)
    if (it.member_id == member_id) return &it;
  return nullptr;
}

const ConsumerMember* ConsumerGroup::find_static_member(
    const std::optional<std::string>& instance_id) const {
  if (!instance_id.has_value()) return nullptr;
  for (const ConsumerMember& it : members_)
    if (it.instance_id == instance_id) return &it;
  return nullptr;
}

void ConsumerGroup::forget_partition_epochs(const ConsumerMember& member) {
  for (const EpochAssignment* held : {&member.assigned, &member.pending_revocation})
    for (const auto& [topic_id, partitions] : *held)
      for (const auto& [partition, epoch] : partitions) {
        const auto found = partition_epochs_.find({topic_id, partition});
        if (found != partition_epochs_.end() && found->second == member.member_epoch)
          partition_epochs_.erase(found);
      }
}

void ConsumerGroup::update_member(ConsumerMember member) {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const auto& it) { return it.member_id == member.member_id; });
  if (found != members_.end()) forget_partition_epochs(*found);
  for (const EpochAssignment* held : {&member.assigned, &member.pending_revocation})
    for (const auto& [topic_id, partitions] : *held)
      for (const auto& [partition, epoch] : partitions)
        partition_epochs_[{topic_id, partition}] = member.member_epoch;
  if (found != members_.end()) {
    *found = std::move(member);
  } else {
    members_.push_back(std::move(member));
  }
}

void ConsumerGroup::remove_member(const std::string& member_id) {
  const ConsumerMember* member = find_member(member_id);
  if (member == nullptr) return;
  forget_partition_epochs(*member);
  std::erase_if(members_, [&](const ConsumerMember& it) { return it.member_id == member_id; });
}

Assignment ConsumerGroup::target_of(const ConsumerMember& member) const {
  std::string member_id = member.member_id;
  if (member.instance_id.has_value()) {
    const ConsumerMember* owner = find_static_member(member.instance_id);
    if (owner == nullptr) return {};
    member_id = owner->member_id;
  }
  const auto found = targets.find(member_id);
  return found == targets.end() ? Assignment{} : found->second;
}

std::int32_t ConsumerGroup::current_partition_epoch(const Uuid& topic_id,
                                                    std::int32_t partition) const {
  const auto found = partition_epochs_.find({topic_id, partition});
  return found == partition_epochs_.end() ? -1 : found->second;
}

bool ConsumerGroup::waits_for_others(const ConsumerMember& member) const {
  const auto target = targets.find(member.member_id);
  if (member.state != MemberState::unreleased_partitions || target == targets.end()) return false;
  for (const auto& [topic_id, partitions] : target->second)
    for (std::int32_t partition : partitions)
      if (!contains(member.assigned, topic_id, partition) &&
          current_partition_epoch(topic_id, partition) != -1)
        return true;
  return false;
}

SubscriptionCounts ConsumerGroup::subscribed_topics(const ConsumerMember* before,
                                                    const ConsumerMember* after) const {
  SubscriptionCounts counts;
  for (const ConsumerMember& it : members_)
    for (const std::string& name : it.subscribed_topic_names) ++counts[name].by_name;
  if (before != nullptr)
    for (const std::string& name : before->subscribed_topic_names)
      if (const auto found = counts.find(name); found != counts.end()) --found->second.by_name;
  if (after != nullptr)
    for (const std::string& name : after->subscribed_topic_names) ++counts[name].by_name;

  // A pattern that its last subscriber gives up counts no more.
  const bool drops_regex =
      before != nullptr && !before->subscribed_topic_regex.empty() &&
      (after == nullptr || after->subscribed_topic_regex != before->subscribed_topic_regex) &&
      subscriber_count(before->subscribed_topic_regex) == 1;
  for (const auto& [regex, resolved] : resolved_regexes) {
    if (drops_regex && regex == before->subscribed_topic_regex) continue;
    for (const std::string& name : resolved.topics) ++counts[name].by_regex;
  }
  std::erase_if(counts,
                [](const auto& it) { return it.second.by_name <= 0 && it.second.by_regex <= 0; });
  return counts;
}

std::map<std::string, int> ConsumerGroup::subscribed_regexes(const ConsumerMember* before,
                                                             const ConsumerMember* after) const {
  std::map<std::string, int> counts;
  for (const ConsumerMember& it : members_)
    if (!it.subscribed_topic_regex.empty()) ++counts[it.subscribed_topic_regex];
  if (before != nullptr && !before->subscribed_topic_regex.empty())
    if (const auto found = counts.find(before->subscribed_topic_regex); found != counts.end())
      --found->second;
  if (after != nullptr && !after->subscribed_topic_regex.empty())
    ++counts[after->subscribed_topic_regex];
  std::erase_if(counts, [](const auto& it) { return it.second <= 0; });
  return counts;
}

int ConsumerGroup::subscriber_count(const std::string& regex) const {
  return static_cast<int>(std::count_if(members_.begin(), members_.end(), [&](const auto& it) {
    return it.subscribed_topic_regex == regex;
  }));
}

bool ConsumerGroup::is_subscribed_to(const std::string& topic) const {
  return subscribed_topics(nullptr, nullptr).count(topic) > 0;
}

std::set<std::string> ConsumerGroup::topics_of(const ConsumerMember& member) const {
  std::set<std::string> names = member.subscribed_topic_names;
  const auto resolved = resolved_regexes.find(member.subscribed_topic_regex);
  if (!member.subscribed_topic_regex.empty() && resolved != resolved_regexes.end())
    names.insert(resolved->second.topics.begin(), resolved->second.topics.end());
  return names;
}

std::set<Uuid> ConsumerGroup::topic_ids_of(const ConsumerMember& member,
                                           const TopicDirectory& topics) const {
  std::set<Uuid> ids;
  for (const std::string& name : topics_of(member))
    if (const TopicFacts* facts = topics.find(name)) ids.insert(facts->id);
  return ids;
}

std::optional<std::string> ConsumerGroup::preferred_assignor(const ConsumerMember* before,
                                                             const ConsumerMember* after) const {
  // Among equals the one that was asked for first wins.
  std::vector<std::pair<std::string, int>> votes;
  const auto count = [&](const ConsumerMember& member, int vote) {
    if (!member.server_assignor.has_value()) return;
    const auto found = std::find_if(votes.begin(), votes.end(), [&](const auto& it) {
      return it.first == *member.server_assignor;
    });
    if (found != votes.end()) {
      found->second += vote;
    } else if (vote > 0) {
      votes.emplace_back(*member.server_assignor, vote);
    }
  };
  for (const ConsumerMember& it : members_) count(it, 1);
  if (before != nullptr) count(*before, -1);
  if (after != nullptr) count(*after, 1);
  std::optional<std::string> preferred;
  int most = 0;
  for (const auto& [name, sum] : votes) {
    if (sum <= most) continue;
    preferred = name;
    most = sum;
  }
  return preferred;
}

std::size_t ConsumerGroup::classic_member_count() const {
  return static_cast<std::size_t>(std::count_if(
      members_.begin(), members_.end(), [](const auto& it) { return it.classic.has_value(); }));
}

bool ConsumerGroup::supports_classic_protocols(const std::string& protocol_type,
                                               const std::set<std::string>& names) const {
  if (protocol_type != "consumer") return false;
  if (members_.empty()) return !names.empty();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::all_of(members_.begin(), members_.end(), [&](const ConsumerMember& it) {
      if (!it.classic.has_value()) return true;
      const auto& offered = it.classic->supported_protocols;
      return std::any_of(offered.begin(), offered.end(),
                         [&](const auto& protocol) { return protocol.name == name; });
    });
  });
}

}  // namespace fencepost::minibroker
