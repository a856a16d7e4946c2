// What the command's exit code says.
#pragma once

namespace fencepost::tools {

constexpr int exit_held = 0;         // what was asked held
constexpr int exit_not_held = 1;     // it did not
constexpr int exit_wrong_input = 2;  // the input or the command line was wrong
constexpr int exit_unreachable = 3;  // the cluster could not be reached, or its port not be had

}  // namespace fencepost::tools
