// Time as the whole project passes it around: integer nanoseconds, given as an argument, never
// read from a clock below a driver.
#pragma once

#include <chrono>
#include <cstdint>

namespace fencepost {

using Duration = std::chrono::nanoseconds;

// Tag of the time line; it has no now(): whoever needs the time is given it.
struct TimeLine {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  static constexpr bool is_steady = true;
};

// A moment, counted from the Unix epoch.
using Instant = std::chrono::time_point<TimeLine, Duration>;

constexpr std::int64_t to_milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}
// Milliseconds since the Unix epoch: Kafka's timestamps.
constexpr std::int64_t to_timestamp(Instant instant) {
  return to_milliseconds(instant.time_since_epoch());
}
constexpr Duration milliseconds(std::int64_t count) {
  return std::chrono::milliseconds(count);
}

}  // namespace fencepost
