// A differing program as a file: a scenario that `fencepost run` replays as far as the verbs reach,
// and, in its comments, the exact program for `fencepost conform --replay`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/conform/play.h"

namespace fencepost::conform {

struct Names {
  std::string one;  // of the sides: "127.0.0.1:9092", "minibroker 4.4"
  std::string other;
  std::string as_version;  // the release that the first one looks like
};

// Each step expects what the first side has answered.
std::string scenario_text(const Program& program, const Played& played, const Names& names);

// The program that such a file holds. Errors: malformed, with the line.
Result<Program> read_program(std::string_view text);

}  // namespace fencepost::conform
