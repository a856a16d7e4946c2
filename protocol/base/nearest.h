// The nearest valid word, for messages about a word that a person mistyped.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fencepost {

// How many letters have to be inserted, deleted, replaced or swapped with their neighbour to turn
// one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The candidate with the fewest edits from `word`; of equals the first. Empty when even that one
// differs in more than a third of the longer word, so that it would not help.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "; did you mean <nearest>", or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace fencepost
