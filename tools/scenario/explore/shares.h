// A round of exploring, shared out over processes. Copies of a cluster share bytes without locks,
// so it is processes and not threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include "tools/scenario/explore/search.h"

namespace fencepost::scenario {

// What one process has run of a round.
struct Share {
  std::uint64_t schedules = 0;
  std::unordered_set<std::uint64_t> states;  // their digests
  std::uint64_t executed_choices = 0;
  std::uint64_t executions = 0;
  std::optional<Found> found;  // the best one
  bool is_stopped = false;

  void take(Found other);
};

// What all have run together; of `found`, the violation is left out when another process found it.
struct RoundResult {
  Share all;
  std::string failure;  // a process ended early; nothing may be concluded
};

// Runs `share_of` for each job, in processes of their own, and adds what they ran to `first`.
RoundResult share_out(int jobs, Share first, const std::function<Share(int job)>& share_of);

}  // namespace fencepost::scenario
