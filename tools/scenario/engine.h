// Runs a scenario in each of its worlds, step by step, and reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/address.h"
#include "tools/scenario/report.h"
#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

struct RunOptions {
  std::optional<std::uint64_t> seed;       // instead of the file's
  std::optional<std::string> as_version;   // for variants that name none
  std::vector<client::Address> bootstrap;  // a real cluster instead of the simulated one
  std::string bootstrap_text;              // as it was given
  std::string run_name;                    // in front of every name on a real cluster
};

// What a real cluster cannot be made to do; empty when the scenario can run on one.
std::vector<Mistake> refusals(const Scenario& scenario);

// Runs all variants. What did not hold is in the report. False when the real cluster could not be
// reached.
bool run_scenario(const Scenario& scenario, const RunOptions& options, Report& report);

}  // namespace fencepost::scenario
