#include "minibroker/group/assignors/uniform_mixed.h"

#include <algorithm>

#include "minibroker/group/assignors/balancer.h"

namespace fencepost::minibroker {

namespace {

constexpr int no_owner = -1;
constexpr int rounds_max = 16;

class MixedAssignment {
 public:
  explicit MixedAssignment(const AssignorInput& input)
      : input_(input), sizes_(input.members.size(), 0) {
    for (const auto& [topic_id, count] : input.partition_counts)
      owners_[topic_id].assign(static_cast<std::size_t>(count), no_owner);
    for (std::size_t i = 0; i < input.members.size(); ++i)
      for (const Uuid& topic_id : input.members[i].topic_ids) subscribers_[topic_id].push_back(i);
    for (const auto& [topic_id, members] : subscribers_) topics_.push_back(topic_id);
    std::sort(topics_.begin(), topics_.end(),
              [&](const Uuid& a, const Uuid& b) { return comes_before(a, b); });
  }

  Targets build() {
    keep_previous();
    assign_rest();
    balance();
    Targets targets;
    for (const AssignorMember& it : input_.members) targets[it.member_id];
    for (const Uuid& topic_id : topics_) {
      const std::vector<int>& owners = owners_.at(topic_id);
      for (std::size_t i = 0; i < owners.size(); ++i)
        if (owners[i] != no_owner)
          targets[input_.members[static_cast<std::size_t>(owners[i])].member_id][topic_id].insert(
              static_cast<std::int32_t>(i));
    }
    return targets;
  }

 private:
  // Topics with many partitions for each subscriber come first: they fill the gaps worst.
  bool comes_before(const Uuid& a, const Uuid& b) const {
    const auto load = [&](const Uuid& topic_id) {
      return static_cast<double>(owners_.at(topic_id).size()) /
             static_cast<double>(subscribers_.at(topic_id).size());
    };
    if (load(a) != load(b)) return load(a) > load(b);
    if (subscribers_.at(a).size() != subscribers_.at(b).size())
      return subscribers_.at(a).size() < subscribers_.at(b).size();
    // Java compares the two halves as signed numbers.
    const auto half = [](const Uuid& uuid, std::size_t first) {
      std::uint64_t value = 0;
      for (std::size_t i = first; i < first + 8; ++i) value = value << 8 | uuid.bytes[i];
      return static_cast<std::int64_t>(value);
    };
    return std::pair(half(a, 0), half(a, 8)) < std::pair(half(b, 0), half(b, 8));
  }

  void keep_previous() {
    for (std::size_t i = 0; i < input_.members.size(); ++i) {
      for (const auto& [topic_id, partitions] : input_.members[i].previous) {
        if (input_.members[i].topic_ids.count(topic_id) == 0) continue;
        sizes_[i] += static_cast<int>(partitions.size());
        for (std::int32_t partition : partitions)
          owner_of(topic_id, partition) = static_cast<int>(i);
      }
    }
  }

  void assign_rest() {
    LoadBalancer balancer(sizes_);
    for (const Uuid& topic_id : topics_) {
      std::vector<std::int32_t> unassigned;
      for (std::size_t i = 0; i < owners_.at(topic_id).size(); ++i)
        if (owners_.at(topic_id)[i] == no_owner) unassigned.push_back(static_cast<std::int32_t>(i));
      if (unassigned.empty()) continue;
      balancer.begin(subscribers_.at(topic_id));
      for (std::int32_t partition : unassigned)
        give(topic_id, partition, balancer.next_least_loaded());
    }
  }

  void balance() {
    std::vector<Uuid> movable;
    for (const Uuid& it : topics_)
      if (subscribers_.at(it).size() >= 2) movable.push_back(it);
    std::size_t last_moved = movable.size();  // none yet
    for (int round = 0; round < rounds_max; ++round) {
      for (std::size_t i = 0; i < movable.size(); ++i) {
        if (i == last_moved) return;
        const int moved = balance_topic(movable[i]);
        if (moved > 0 || last_moved == movable.size()) last_moved = i;
      }
    }
  }

  int balance_topic(const Uuid& topic_id) {
    LoadBalancer balancer(sizes_);
    if (balancer.begin(subscribers_.at(topic_id)) <= 1) return 0;
    std::map<int, std::vector<std::int32_t>> left_by_owner;  // ascending
    for (std::size_t i = 0; i < owners_.at(topic_id).size(); ++i)
      left_by_owner[owners_.at(topic_id)[i]].push_back(static_cast<std::int32_t>(i));
    int moved = 0;
    while (!balancer.is_balanced()) {
      std::size_t from = balancer.next_most_loaded();
      while (from != LoadBalancer::nobody && left_by_owner[static_cast<int>(from)].empty()) {
        balancer.exclude_most_loaded();
        from = balancer.next_most_loaded();
      }
      if (from == LoadBalancer::nobody) break;
      std::vector<std::int32_t>& left = left_by_owner[static_cast<int>(from)];
      const std::int32_t partition = left.back();
      left.pop_back();
      const std::size_t to = balancer.next_least_loaded();
      if (balancer.is_balanced()) break;
      give(topic_id, partition, to);
      ++moved;
    }
    return moved;
  }

  int& owner_of(const Uuid& topic_id, std::int32_t partition) {
    return owners_.at(topic_id).at(static_cast<std::size_t>(partition));
  }

  void give(const Uuid& topic_id, std::int32_t partition, std::size_t member) {
    int& owner = owner_of(topic_id, partition);
    if (owner != no_owner) --sizes_[static_cast<std::size_t>(owner)];
    owner = static_cast<int>(member);
    ++sizes_[member];
  }

  const AssignorInput& input_;
  std::vector<int> sizes_;
  std::map<Uuid, std::vector<std::size_t>> subscribers_;
  std::map<Uuid, std::vector<int>> owners_;  // by partition
  std::vector<Uuid> topics_;                 // sorted
};

}  // namespace

Targets assign_uniform_mixed(const AssignorInput& input) {
  return MixedAssignment(input).build();
}

}  // namespace fencepost::minibroker
