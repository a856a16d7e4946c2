// Time as the client sees it; the system's clock and one moved by hand implement it.
#pragma once

#include <asio/awaitable.hpp>

#include "protocol/base/time.h"

namespace fencepost::client {

class Clock {
 public:
  virtual ~Clock() = default;

  virtual Instant now() const = 0;
  // Resumes when the time has come, or at once when the coroutine is cancelled (Asio's cancellation
  // slot, type terminal); it does not throw.
  virtual asio::awaitable<void> sleep_until(Instant deadline) = 0;
};

}  // namespace fencepost::client
