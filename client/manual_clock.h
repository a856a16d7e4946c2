// A clock that is moved by hand: the time of tests and of the simulated world.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "client/clock.h"

namespace fencepost::client {

class ManualClock : public Clock {
 public:
  explicit ManualClock(Instant start = Instant{});
  ~ManualClock() override;

  Instant now() const override;
  asio::awaitable<void> wait(Event& event, Instant deadline) override;

  // When the first sleeper wants to be woken; nothing if no one sleeps.
  std::optional<Instant> next_deadline() const;
  // Moves the time forward and wakes whose deadline has come, earliest first. They run when their
  // io_context does: to keep the order of events, advance from deadline to deadline.
  void advance_to(Instant time);

 private:
  struct Sleepers;
  std::shared_ptr<Sleepers> sleepers_;
};

}  // namespace fencepost::client
