// The uniform assignor for groups whose members all subscribe to the same topics. Others:
// uniform_mixed.cc.
#include "minibroker/group/assignors/assignor.h"
#include "minibroker/group/assignors/java_order.h"
#include "minibroker/group/assignors/uniform_mixed.h"

namespace fencepost::minibroker {

namespace {

using Partition = std::pair<Uuid, std::int32_t>;

class HomogeneousAssignment {
 public:
  explicit HomogeneousAssignment(const AssignorInput& input)
      : input_(input), topics_(input.members.front().topic_ids) {}

  Targets build() {
    if (topics_.empty()) return {};
    collect_unassigned();
    keep_up_to_quota();
    std::size_t next = 0;
    for (auto& [member_id, quota] : unfilled_)
      for (; quota > 0 && next < unassigned_.size(); --quota, ++next)
        targets_[member_id][unassigned_[next].first].insert(unassigned_[next].second);
    return std::move(targets_);
  }

 private:
  void collect_unassigned() {
    std::vector<Uuid> order(topics_.begin(), topics_.end());
    sort_as_copied_java_hash_set(order);
    for (const Uuid& topic_id : order) {
      const std::int32_t count = input_.partition_counts.at(topic_id);
      partition_count_ += static_cast<std::size_t>(count);
      const auto assigned = input_.assigned.find(topic_id);
      for (std::int32_t i = 0; i < count; ++i)
        if (assigned == input_.assigned.end() || assigned->second.count(i) == 0)
          unassigned_.emplace_back(topic_id, i);
    }
  }

  // Every member keeps what it had, as far as its quota goes; the rest is to be given out again.
  void keep_up_to_quota() {
    const std::size_t member_count = input_.members.size();
    std::size_t extras = partition_count_ % member_count;
    for (std::size_t i = 0; i < member_count; ++i) {
      const AssignorMember& member = input_.members[i];
      bool has_extra = extras > 0;
      std::size_t quota = partition_count_ / member_count + (has_extra ? 1 : 0);
      keep(member, quota);
      // Who does not need its extra partition leaves it to one who may hold it already, as long as
      // enough members are left to take them all.
      if (quota > 0 && has_extra && member_count - i > extras) {
        --quota;
        has_extra = false;
      }
      if (quota > 0) unfilled_.emplace_back(member.member_id, quota);
      if (has_extra) --extras;
    }
  }

  void keep(const AssignorMember& member, std::size_t& quota) {
    Assignment& target = targets_[member.member_id];
    std::vector<Uuid> order;
    for (const auto& [topic_id, partitions] : member.previous) order.push_back(topic_id);
    sort_as_java_hash_map(order);
    for (const Uuid& topic_id : order) {
      if (topics_.count(topic_id) == 0) continue;
      for (std::int32_t partition : member.previous.at(topic_id)) {
        if (quota == 0) {
          unassigned_.emplace_back(topic_id, partition);
          continue;
        }
        --quota;
        target[topic_id].insert(partition);
      }
    }
  }

  const AssignorInput& input_;
  const std::set<Uuid>& topics_;
  std::size_t partition_count_ = 0;
  std::vector<Partition> unassigned_;
  std::vector<std::pair<std::string, std::size_t>> unfilled_;
  Targets targets_;
};

}  // namespace

Targets assign_uniform(const AssignorInput& input) {
  if (input.members.empty()) return {};
  if (input.is_homogeneous) return HomogeneousAssignment(input).build();
  return assign_uniform_mixed(input);
}

}  // namespace fencepost::minibroker
