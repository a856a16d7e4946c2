// An event that coroutines of one executor wait for. It is an Asio timer that never expires, so
// that whoever still waits when the io_context goes away is cleaned up with it.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include "client/clock.h"

namespace fencepost::client {

class Event {
 public:
  explicit Event(asio::any_io_executor executor);

  bool is_set() const { return is_set_; }
  // Resumes everyone who waits, in the order in which they began to wait.
  void set();
  // The same, with nothing set: one of them has a deadline, and it has come.
  void wake();
  void reset() { is_set_ = false; }
  // Resumes at the next set() or wake(), or at once when the event is set; it does not throw.
  asio::awaitable<void> wait();

 private:
  asio::steady_timer timer_;
  bool is_set_ = false;
};

// Waits for the event, but no longer than the deadline. True if the event is set. Event and clock
// must outlive the wait.
asio::awaitable<bool> wait_until(Event& event, Clock& clock, Instant deadline);

}  // namespace fencepost::client
