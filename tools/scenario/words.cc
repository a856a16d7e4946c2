// Suggestions for scenario files.
#include "tools/scenario/words.h"

#include "protocol/base/nearest.h"

namespace fencepost::scenario {

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t list_max = 8;
  constexpr std::size_t word_letters_max = 64;
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  if (word.size() <= word_letters_max) {
    const std::string near = did_you_mean(word, views);
    if (!near.empty()) return near;
  }
  if (candidates.empty() || candidates.size() > list_max) return {};
  std::string text;
  for (const std::string& candidate : candidates) text += (text.empty() ? "" : ", ") + candidate;
  return (candidates.size() == 1 ? "; it has to be " : "; one of ") + text;
}

}  // namespace fencepost::scenario
