// How far an exploration is, as a line for a person.
#pragma once

#include <string>

#include "tools/scenario/explore/search.h"

namespace fencepost::scenario {

// In round `round` of `rounds`, `seconds` after it began. What is left is told by what is done, as
// soon as there is something to go by.
std::string progress_text(const std::string& variant, int round, int rounds,
                          const SearchProgress& progress, double seconds);

}  // namespace fencepost::scenario
