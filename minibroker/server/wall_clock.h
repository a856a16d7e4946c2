// The real time as the cluster wants it: it starts at the time of day and never jumps.
#pragma once

#include <chrono>

#include "protocol/base/time.h"

namespace fencepost::minibroker::server {

class WallClock {
 public:
  Instant now() const { return start_ + (std::chrono::steady_clock::now() - steady_start_); }
  // The same moment for a timer.
  std::chrono::steady_clock::time_point to_steady(Instant instant) const {
    return steady_start_ + (instant - start_);
  }

 private:
  Instant start_ = Instant(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
  std::chrono::steady_clock::time_point steady_start_ = std::chrono::steady_clock::now();
};

}  // namespace fencepost::minibroker::server
