// Waiting for an event, with and without a deadline.
#include "client/event.h"

#include <asio/experimental/as_tuple.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

namespace fencepost::client {

Event::Event(asio::any_io_executor executor)
    : timer_(std::move(executor), asio::steady_timer::time_point::max()) {}

void Event::set() {
  is_set_ = true;
  wake();
}

void Event::wake() {
  timer_.cancel();
}

asio::awaitable<void> Event::wait() {
  if (is_set_) co_return;
  co_await timer_.async_wait(asio::experimental::as_tuple(asio::use_awaitable));
}

asio::awaitable<bool> wait_until(Event& event, Clock& clock, Instant deadline) {
  while (!event.is_set() && clock.now() < deadline) co_await clock.wait(event, deadline);
  co_return event.is_set();
}

asio::awaitable<void> Clock::sleep_until(Instant deadline) {
  Event never(co_await asio::this_coro::executor);
  co_await wait_until(never, *this, deadline);
}

}  // namespace fencepost::client
