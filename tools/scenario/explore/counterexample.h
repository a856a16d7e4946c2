// A schedule as a plain scenario file, which `fencepost run` replays.
#pragma once

#include <string>

#include "tools/scenario/explore/execution.h"

namespace fencepost::scenario {

// The file's text. `execution` has taken the schedule and has a violation; the file says that this
// property breaks. `as_version` is for variants that name none.
std::string counterexample_text(const Program& program, const Execution& execution,
                                const std::optional<std::string>& as_version);

// The schedule for a person, one choice a line: "O1.produce", "broker 1 crashes at ...".
std::vector<std::string> schedule_lines(const Program& program, const Execution& execution);

}  // namespace fencepost::scenario
