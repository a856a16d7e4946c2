// The real clock. It follows the steady clock from the moment it was made, so that a change of the
// system's time never makes a deadline jump.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>

#include "client/clock.h"

namespace fencepost::client {

class SystemClock : public Clock {
 public:
  SystemClock();

  Instant now() const override;
  asio::awaitable<void> wait(Event& event, Instant deadline) override;

 private:
  Instant start_;
  std::chrono::steady_clock::time_point steady_start_;
};

}  // namespace fencepost::client
