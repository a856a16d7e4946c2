// The sleepers are kept by deadline and, within one, in the order in which they lay down.
#include "client/manual_clock.h"

#include <cstdint>
#include <map>
#include <utility>

#include "client/event.h"
#include "protocol/base/check.h"

namespace fencepost::client {

// Shared with each sleeping coroutine, because one may be cleaned up after the clock.
struct ManualClock::Sleepers {
  using Key = std::pair<Instant, std::uint64_t>;

  Instant now;
  std::uint64_t next_number = 0;
  std::map<Key, Event*> waiting;

  // A place in the queue, given up when the sleeper wakes or its coroutine is destroyed.
  struct Place {
    std::shared_ptr<Sleepers> sleepers;
    Key key;

    Place(std::shared_ptr<Sleepers> queue, Instant deadline, Event* event)
        : sleepers(std::move(queue)), key(deadline, sleepers->next_number++) {
      sleepers->waiting.emplace(key, event);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { sleepers->waiting.erase(key); }
  };
};

ManualClock::ManualClock(Instant start) : sleepers_(std::make_shared<Sleepers>()) {
  sleepers_->now = start;
}

ManualClock::~ManualClock() = default;

Instant ManualClock::now() const {
  return sleepers_->now;
}

asio::awaitable<void> ManualClock::wait(Event& event, Instant deadline) {
  Sleepers::Place place(sleepers_, deadline, &event);
  co_await event.wait();
}

std::optional<Instant> ManualClock::next_deadline() const {
  if (sleepers_->waiting.empty()) return std::nullopt;
  return sleepers_->waiting.begin()->first.first;
}

void ManualClock::advance_to(Instant time) {
  CHECK(time >= sleepers_->now);
  sleepers_->now = time;
  auto& waiting = sleepers_->waiting;
  while (!waiting.empty() && waiting.begin()->first.first <= time) {
    waiting.begin()->second->wake();
    waiting.erase(waiting.begin());
  }
}

}  // namespace fencepost::client
