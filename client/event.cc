// Waiting for an event, with and without a deadline.
#include "client/event.h"

#include <asio/experimental/as_tuple.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

namespace fencepost::client {

Event::Event(asio::any_io_executor executor)
    : timer_(std::move(executor), asio::steady_timer::time_point::max()) {}

void Event::set() {
  is_set_ = true;
  timer_.cancel();
}

asio::awaitable<void> Event::wait() {
  if (is_set_) co_return;
  co_await timer_.async_wait(asio::experimental::as_tuple(asio::use_awaitable));
}

asio::awaitable<bool> wait_until(Event& event, Clock& clock, Instant deadline) {
  using asio::experimental::awaitable_operators::operator||;
  if (!event.is_set() && clock.now() < deadline)
    co_await (event.wait() || clock.sleep_until(deadline));
  co_return event.is_set();
}

}  // namespace fencepost::client
