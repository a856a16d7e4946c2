// The kinds of elections by the words that scenario files and the control API have for them.
#pragma once

#include <string_view>

#include "minibroker/controller.h"

namespace fencepost::minibroker {

inline constexpr std::string_view preferred_election = "preferred", clean_election = "clean",
                                  unclean_election = "unclean";

// Any other word, none included, is a clean one: who reads the word has checked it.
constexpr Election election_of(std::string_view word) {
  if (word == preferred_election) return Election::preferred;
  return word == unclean_election ? Election::unclean : Election::clean;
}

}  // namespace fencepost::minibroker
