// Time as the client sees it; the system's clock and one moved by hand implement it.
#pragma once

#include <asio/awaitable.hpp>

#include "protocol/base/time.h"

namespace fencepost::client {

class Event;

class Clock {
 public:
  virtual ~Clock() = default;

  virtual Instant now() const = 0;
  // Resumes when the event is set or woken, which it is when the time has come. Clock and event
  // must outlive the wait.
  virtual asio::awaitable<void> wait(Event& event, Instant deadline) = 0;
  asio::awaitable<void> sleep_until(Instant deadline);
};

}  // namespace fencepost::client
