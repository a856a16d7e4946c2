// Single schedules drawn at random, each with options of its own (swarm testing): which kinds of
// fault it has, how often, and who is in a hurry.
#pragma once

#include "tools/scenario/explore/jobs.h"

namespace fencepost::scenario {

// Limits above the file's: of each fault that it allows some more, and no more than all at once.
FaultLimits beyond(const FaultLimits& bounds);

struct SampleResult {
  std::uint64_t schedules = 0;
  std::uint64_t states = 0;
  std::uint64_t executed_choices = 0;
  std::optional<Found> found;  // the best one
  bool is_stopped = false;
};

// The same for the same seed. Every sample is run to its end or to the first broken property.
SampleResult run_samples(const Ground& ground, std::uint64_t count, std::uint64_t seed,
                         const Search::GoOn& go_on);

}  // namespace fencepost::scenario
