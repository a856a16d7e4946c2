// The shortest program that still shows a difference.
#pragma once

#include <functional>

#include "tools/conform/play.h"

namespace fencepost::conform {

struct Shrunk {
  Program program;
  Played played;  // that program; it has a difference
  int plays = 0;  // how many it took
};

// Plays a program under names of its own.
using PlayAgain = std::function<Played(const Program&)>;

// Takes away steps, then parts of the steps that are left, as long as the same API is answered
// differently. Gives what it has when it has played so often.
Shrunk shrink(const Program& program, const Played& played, const PlayAgain& play_again,
              int plays_max);

}  // namespace fencepost::conform
