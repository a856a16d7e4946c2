// One round of exploring, alone or in several processes, each with its own memory of the states
// that it has seen.
#pragma once

#include "tools/scenario/explore/shares.h"

namespace fencepost::scenario {

// What every search of a round begins with.
struct Ground {
  Program& program;
  const FaultLimits& limits;
  const minibroker::Cluster& cluster;
  Instant start;
};

// Schedules, states and what is found are the same for every number of jobs.
RoundResult run_in_jobs(const Ground& ground, int jobs, const Search::GoOn& go_on);

}  // namespace fencepost::scenario
