#include "tools/scenario/explore/progress.h"

#include <fmt/format.h>

namespace fencepost::scenario {

std::string progress_text(const std::string& variant, int round, int rounds,
                          const SearchProgress& progress, double seconds) {
  constexpr double share_to_go_by = 0.02;
  std::string text = variant.empty() ? "" : variant + ": ";
  text += fmt::format("with up to {} of {} faults, {:.1f}%, {} states", round, rounds - 1,
                      progress.done * 100, progress.states);
  if (progress.done > share_to_go_by)
    text += fmt::format(", {:.0f}s left if all branches are alike",
                        seconds * (1 - progress.done) / progress.done);
  return text;
}

}  // namespace fencepost::scenario
