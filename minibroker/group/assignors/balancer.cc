#include "minibroker/group/assignors/balancer.h"

#include <algorithm>
#include <utility>

namespace fencepost::minibroker {

int LoadBalancer::begin(std::vector<std::size_t> members) {
  members_ = std::move(members);
  std::sort(members_.begin(), members_.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(sizes_[a], a) < std::pair(sizes_[b], b);
  });
  const int count = static_cast<int>(members_.size());
  least_end_ = 0;
  least_load_ = size_at(0) - 1;
  next_least_ = 0;
  most_begin_ = count;
  most_end_ = count;
  most_load_ = size_at(count - 1) + 1;
  next_most_ = count - 1;
  return size_at(count - 1) - size_at(0);
}

std::size_t LoadBalancer::next_least_loaded() {
  if (next_least_ >= least_end_) {
    // Everybody in the range has got one more; those who had that many already join them.
    ++least_load_;
    const int count = static_cast<int>(members_.size());
    while (least_end_ < count && size_at(least_end_) == least_load_) ++least_end_;
    next_least_ = 0;
  }
  return members_[static_cast<std::size_t>(next_least_++)];
}

std::size_t LoadBalancer::next_most_loaded() {
  if (next_most_ < most_begin_) {
    const bool is_range_empty = most_end_ <= most_begin_ && most_begin_ > 0;
    most_load_ = is_range_empty ? size_at(most_begin_ - 1) : most_load_ - 1;
    while (most_begin_ > 0 && size_at(most_begin_ - 1) == most_load_) --most_begin_;
    next_most_ = most_end_ - 1;
  }
  if (next_most_ < 0) return nobody;
  return members_[static_cast<std::size_t>(next_most_--)];
}

void LoadBalancer::exclude_most_loaded() {
  std::swap(members_[static_cast<std::size_t>(next_most_ + 1)],
            members_[static_cast<std::size_t>(most_end_ - 1)]);
  --most_end_;
}

}  // namespace fencepost::minibroker
