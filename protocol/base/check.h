// CHECK: the one macro of the project. A failed CHECK is a mistake of ours, never of the input;
// it is on in every build.
#pragma once

namespace fencepost {

// Prints the condition with its place to stderr and aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace fencepost

#define CHECK(condition) \
  ((condition) ? void(0) : ::fencepost::check_failed(#condition, __FILE__, __LINE__))
