// The range assignor: each topic by itself, its partitions in blocks, so that topics with the same
// subscribers and partitions are held by the same members.
#include <algorithm>

#include "minibroker/group/assignors/assignor.h"

namespace fencepost::minibroker {

namespace {

// Static members come first, by instance id: they come back under another member id and should find
// their partitions again.
bool comes_before(const AssignorMember& a, const AssignorMember& b) {
  if (a.instance_id.has_value() != b.instance_id.has_value()) return a.instance_id.has_value();
  if (a.instance_id.has_value()) return *a.instance_id < *b.instance_id;
  return a.member_id < b.member_id;
}

}  // namespace

Targets assign_range(const AssignorInput& input) {
  std::vector<AssignorMember> members = input.members;
  std::sort(members.begin(), members.end(), comes_before);
  Targets targets;
  for (const AssignorMember& it : members) targets[it.member_id];
  for (const auto& [topic_id, partition_count] : input.partition_counts) {
    std::vector<const AssignorMember*> subscribers;
    for (const AssignorMember& it : members)
      if (it.topic_ids.count(topic_id) > 0) subscribers.push_back(&it);
    if (subscribers.empty()) continue;
    const auto subscriber_count = static_cast<std::int32_t>(subscribers.size());
    std::int32_t next = 0;
    std::int32_t extra = partition_count % subscriber_count;
    for (const AssignorMember* it : subscribers) {
      const std::int32_t quota = partition_count / subscriber_count + (extra > 0 ? 1 : 0);
      --extra;
      for (const std::int32_t end = next + quota; next < end; ++next)
        targets[it->member_id][topic_id].insert(next);
    }
  }
  return targets;
}

}  // namespace fencepost::minibroker
