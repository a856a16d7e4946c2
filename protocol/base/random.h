// A seeded stream of random numbers (splitmix64): the same on every machine and build. Each
// component draws from a stream of its own, so that one more draw here changes nothing there.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/base/check.h"

namespace fencepost {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // An independent stream for the component of that name.
  Random(std::uint64_t seed, std::string_view name) : state_(seed) {
    for (char letter : name) {
      state_ ^= static_cast<unsigned char>(letter);
      next();
    }
  }

  std::uint64_t next() {
    std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15U);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }
  // A number in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    CHECK(bound > 0);
    return next() % bound;
  }

  bool operator==(const Random&) const = default;

 private:
  std::uint64_t state_;
};

}  // namespace fencepost
