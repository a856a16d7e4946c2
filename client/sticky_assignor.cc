// Three passes: who owns what now, who keeps what, who gets the rest; then what is still in other
// hands is taken out again.
#include "client/sticky_assignor.h"

#include <algorithm>
#include <set>

namespace fencepost::client {

namespace {

using Assignment = std::map<std::string, std::vector<TopicPartition>>;

bool subscribes_to(const Subscriber& member, const std::string& topic) {
  return std::ranges::find(member.topics, topic) != member.topics.end();
}

// The owner of each partition: of several who claim it, the one of the newest generation.
std::map<TopicPartition, const Subscriber*> owners_of(const std::vector<Subscriber>& members,
                                                      const std::set<TopicPartition>& all) {
  std::map<TopicPartition, const Subscriber*> owners;
  for (const Subscriber& member : members)
    for (const TopicPartition& partition : member.owned) {
      if (!all.contains(partition) || !subscribes_to(member, partition.topic)) continue;
      const Subscriber*& owner = owners[partition];
      if (owner == nullptr || owner->generation < member.generation) owner = &member;
    }
  return owners;
}

// Keeps what is owned, at most an even share each; the first `larger` members may keep one more.
Assignment keep_shares(const std::vector<Subscriber>& members,
                       const std::map<TopicPartition, const Subscriber*>& owners,
                       std::size_t partition_count) {
  const std::size_t share = partition_count / members.size();
  std::size_t larger = partition_count % members.size();
  Assignment kept;
  for (const Subscriber& member : members) {
    std::vector<TopicPartition>& own = kept[member.member_id];
    for (const auto& [partition, owner] : owners) {
      if (owner != &member || own.size() > share) continue;
      if (own.size() == share) {
        if (larger == 0) continue;
        --larger;
      }
      own.push_back(partition);
    }
  }
  return kept;
}

// The member with the fewest partitions that subscribes to the topic.
const Subscriber* least_loaded(const std::vector<Subscriber>& members, const Assignment& assigned,
                               const std::string& topic) {
  const Subscriber* chosen = nullptr;
  for (const Subscriber& member : members) {
    if (!subscribes_to(member, topic)) continue;
    if (chosen == nullptr ||
        assigned.at(member.member_id).size() < assigned.at(chosen->member_id).size())
      chosen = &member;
  }
  return chosen;
}

}  // namespace

Assignment assign_cooperatively(std::vector<Subscriber> subscribers,
                                const std::map<std::string, int>& partition_counts) {
  std::ranges::sort(subscribers, {}, &Subscriber::member_id);
  if (subscribers.empty()) return {};
  std::set<TopicPartition> all;
  for (const auto& [topic, count] : partition_counts)
    for (int i = 0; i < count; ++i) all.insert(TopicPartition{topic, i});
  const auto owners = owners_of(subscribers, all);
  Assignment assigned = keep_shares(subscribers, owners, all.size());
  std::set<TopicPartition> left = all;
  for (const auto& [member, partitions] : assigned)
    for (const TopicPartition& partition : partitions) left.erase(partition);
  for (const TopicPartition& partition : left) {
    const Subscriber* member = least_loaded(subscribers, assigned, partition.topic);
    if (member == nullptr) continue;
    assigned[member->member_id].push_back(partition);
  }
  // Its owner learns from this assignment that it has to give it up; then the group rebalances.
  for (auto& [member_id, partitions] : assigned)
    std::erase_if(partitions, [&owners, &member_id](const TopicPartition& partition) {
      const auto owner = owners.find(partition);
      return owner != owners.end() && owner->second->member_id != member_id;
    });
  for (auto& [member_id, partitions] : assigned) std::ranges::sort(partitions);
  return assigned;
}

}  // namespace fencepost::client
