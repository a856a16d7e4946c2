// Times in answers: those of today differ between two clusters, those that a program wrote do not.
#pragma once

#include <cstdint>
#include <string>

namespace fencepost::conform {

// Programs write timestamps of 1970; this is July 2017.
constexpr std::int64_t first_time_of_today = 1'500'000'000'000;

inline std::string shown_time(std::int64_t milliseconds) {
  return milliseconds >= first_time_of_today ? "now" : std::to_string(milliseconds);
}

}  // namespace fencepost::conform
