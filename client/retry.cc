// The decisions of a run with retries.
#include "client/retry.h"

#include <algorithm>

namespace fencepost::client {

using protocol::ErrorCode;
using protocol::Reaction;

std::optional<Instant> Backoff::pause(Duration nominal, Instant now) {
  ++attempts_;
  const auto fifth = static_cast<std::uint64_t>(std::max<Duration::rep>(nominal.count() / 5, 1));
  const Duration shorter = nominal - Duration(static_cast<Duration::rep>(random_.below(fifth)));
  const Instant again = now + shorter;
  if (attempts_ >= policy_.attempts_max || again > begin_ + policy_.time_max) return std::nullopt;
  return again;
}

std::optional<Instant> Backoff::grow(Instant now) {
  const Duration nominal = next_;
  next_ = std::min(next_ * 2, policy_.backoff_max);
  return pause(nominal, now);
}

std::optional<Instant> Backoff::after(ErrorCode code, Instant now) {
  needs_fresh_lookup_ = false;
  if (code == ErrorCode::concurrent_transactions)
    return pause(std::clamp((now - begin_) / 4, policy_.backoff_concurrent_first,
                            policy_.backoff_concurrent_max),
                 now);
  switch (protocol::reaction_of(code)) {
    case Reaction::retry:
      return grow(now);
    case Reaction::find_coordinator:
      needs_fresh_lookup_ = true;
      return grow(now);
    case Reaction::go_on:
    case Reaction::abort:
    case Reaction::fenced:
    case Reaction::bug:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Instant> Backoff::after(const Error& error, Instant now) {
  // The broker may be gone: whatever comes next asks where to go.
  needs_fresh_lookup_ = true;
  switch (error.kind) {
    case ErrorKind::cannot_connect:
    case ErrorKind::closed:
      return grow(now);
    case ErrorKind::unknown_outcome:
      return policy_.repeat_unknown_outcome ? grow(now) : std::nullopt;
    case ErrorKind::malformed:
    case ErrorKind::unsupported_version:
    case ErrorKind::not_encodable:
    case ErrorKind::invalid_argument:
    case ErrorKind::stalled:
    case ErrorKind::io:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace fencepost::client
