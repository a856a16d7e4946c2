// The one place of the client that reads the system's clock.
#include "client/system_clock.h"

#include <asio/experimental/as_tuple.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

namespace fencepost::client {

SystemClock::SystemClock()
    : start_(std::chrono::duration_cast<Duration>(
          std::chrono::system_clock::now().time_since_epoch())),
      steady_start_(std::chrono::steady_clock::now()) {}

Instant SystemClock::now() const {
  return start_ +
         std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - steady_start_);
}

asio::awaitable<void> SystemClock::sleep_until(Instant deadline) {
  asio::steady_timer timer(co_await asio::this_coro::executor, deadline - now());
  co_await timer.async_wait(asio::experimental::as_tuple(asio::use_awaitable));
}

}  // namespace fencepost::client
