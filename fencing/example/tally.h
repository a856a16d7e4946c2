// The state that the example folds: how many events a key has had, their sum, and the offset of the
// last one. Pure: no I/O, no time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fencepost::fencing::example {

struct Tally {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t last_offset = -1;  // of the last event that is in it
  bool operator==(const Tally&) const = default;
};

// With the event at that offset, whose value is a number in text; what is no number counts as 0.
// An event that is in the tally already changes nothing.
Tally fold(Tally tally, std::int64_t offset, std::string_view value);

// "count=3 sum=12 last_offset=17"
std::string to_string(const Tally& tally);
std::optional<Tally> parse_tally(std::string_view text);

}  // namespace fencepost::fencing::example
