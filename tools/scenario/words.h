// The tail of a message about a wrong word: the nearest valid one, or the few that there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fencepost::scenario {

// "; did you mean X" for the nearest candidate; when none is near and there are few, "; one of A,
// B, C"; otherwise nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace fencepost::scenario
