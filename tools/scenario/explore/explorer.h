// Explores one variant of a scenario: first without faults, then with one more in each round, so
// that what is found has as few as possible.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/scenario/explore/search.h"

namespace fencepost::scenario {

struct ExploreOptions {
  int jobs = 1;                           // processes; the result is the same for any number
  std::uint64_t random = 0;               // schedules to sample beyond the bound instead
  std::uint64_t seed = 1;                 // of the samples
  std::optional<std::string> as_version;  // for variants that name none
  // Shown while it goes on; false stops it.
  std::function<bool(const std::string& variant, int round, int rounds, const SearchProgress&)>
      go_on;
};

struct ExploreResult {
  std::string variant;
  int rounds_finished = 0;  // with so many faults less one, everything has been run
  int rounds = 0;
  std::uint64_t schedules = 0;  // of the last finished round, or samples
  std::uint64_t states = 0;     // distinct ones
  std::uint64_t executed_choices = 0;
  std::uint64_t executions = 0;
  bool is_stopped = false;
  std::string failure;  // a process ended; nothing may be concluded

  // Of a counterexample.
  std::optional<Violation> violation;
  std::vector<std::string> lines;  // the schedule for a person
  std::string file_text;           // and as a scenario file
  bool is_replayed = false;        // `run` of that file is green
  bool was_expected = false;       // the file says that this property breaks

  // Whether it is as the file says.
  bool ok() const;
  bool had_to_break = false;  // the file names a property that breaks in this variant
};

// `scenario` has to be one that explore_refusals() lets through.
ExploreResult explore_variant(const Scenario& scenario, const Variant& variant,
                              const ExploreOptions& options);

}  // namespace fencepost::scenario
