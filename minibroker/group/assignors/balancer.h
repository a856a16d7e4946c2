// Walks the subscribers of one topic from both ends of their load, as partitions are moved from the
// most to the least loaded. It looks at the sizes once, at the start, and counts along by itself.
#pragma once

#include <cstddef>
#include <vector>

namespace fencepost::minibroker {

class LoadBalancer {
 public:
  // `sizes`: partitions by member; it has to outlive the balancer.
  explicit LoadBalancer(const std::vector<int>& sizes) : sizes_(sizes) {}

  // Begins with these members; the difference between the largest and the smallest load.
  int begin(std::vector<std::size_t> members);
  // The next member that a partition should go to.
  std::size_t next_least_loaded();
  // The next member that a partition should come from; `nobody` when none is left.
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  std::size_t next_most_loaded();
  // The member that next_most_loaded gave last has nothing to give.
  void exclude_most_loaded();
  bool is_balanced() const { return most_load_ - least_load_ <= 1; }

 private:
  int size_at(int position) const { return sizes_[members_[static_cast<std::size_t>(position)]]; }

  const std::vector<int>& sizes_;
  std::vector<std::size_t> members_;  // by load
  int least_end_ = 0;                 // [0, least_end_): those with least_load_
  int least_load_ = 0;
  int next_least_ = 0;
  int most_begin_ = 0;  // [most_begin_, most_end_): those with most_load_
  int most_end_ = 0;
  int most_load_ = 0;
  int next_most_ = 0;
};

}  // namespace fencepost::minibroker
