// The one place of the client that reads the system's clock.
#include "client/system_clock.h"

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <memory>

#include "client/event.h"

namespace fencepost::client {

SystemClock::SystemClock()
    : start_(std::chrono::duration_cast<Duration>(
          std::chrono::system_clock::now().time_since_epoch())),
      steady_start_(std::chrono::steady_clock::now()) {}

Instant SystemClock::now() const {
  return start_ +
         std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - steady_start_);
}

asio::awaitable<void> SystemClock::wait(Event& event, Instant deadline) {
  asio::steady_timer alarm(co_await asio::this_coro::executor, deadline - now());
  // Cleared when the wait is over: the alarm may be on its way by then.
  const auto waiting = std::make_shared<Event*>(&event);
  alarm.async_wait([waiting](const std::error_code& error) {
    if (!error && *waiting != nullptr) (*waiting)->wake();
  });
  co_await event.wait();
  *waiting = nullptr;
}

}  // namespace fencepost::client
