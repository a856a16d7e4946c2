// Single schedules drawn at random, each with options of its own (swarm testing): which kinds of
// fault it has, how often, and who is in a hurry.
#pragma once

#include "tools/scenario/explore/jobs.h"

namespace fencepost::scenario {

// Limits above the file's: of each fault that it allows some more, and no more than all at once.
FaultLimits beyond(const FaultLimits& bounds);

// Every sample is run to its end or to the first broken property. The same for the same seed and
// any number of jobs.
RoundResult run_samples(const Ground& ground, std::uint64_t count, std::uint64_t seed, int jobs,
                        const Search::GoOn& go_on);

}  // namespace fencepost::scenario
