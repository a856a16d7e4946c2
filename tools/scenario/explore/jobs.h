// One round of exploring, shared out over processes. Copies of a cluster share bytes without locks,
// so it is processes and not threads; each has its own memory of the states that it has seen.
#pragma once

#include <string>

#include "tools/scenario/explore/search.h"

namespace fencepost::scenario {

// What every search of a round begins with.
struct Ground {
  Program& program;
  const FaultLimits& limits;
  const minibroker::Cluster& cluster;
  Instant start;
};

struct RoundResult {
  std::uint64_t schedules = 0;
  std::uint64_t states = 0;
  std::uint64_t executed_choices = 0;
  std::uint64_t executions = 0;
  std::optional<Found> found;
  bool is_stopped = false;
  std::string failure;
};

// Schedules, states and what is found are the same for every number of jobs.
RoundResult run_in_jobs(const Ground& ground, int jobs, const Search::GoOn& go_on);

}  // namespace fencepost::scenario
