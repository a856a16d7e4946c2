// Repeating a call until it succeeds or there is no point: what to do about each error code is
// the error table's business (protocol::reaction_of), how long to wait is decided here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "client/cluster_client.h"
#include "client/response_error.h"
#include "protocol/base/random.h"
#include "protocol/error_code.h"

namespace fencepost::client {

struct RetryPolicy {
  Duration time_max = std::chrono::seconds(60);  // no new attempt after this
  int attempts_max = 1000;
  Duration backoff_first = milliseconds(100);
  Duration backoff_max = std::chrono::seconds(1);
  // CONCURRENT_TRANSACTIONS: our last transaction is being completed, mostly a matter of a
  // millisecond. The pause is a quarter of the time waited so far, within these bounds: short while
  // it may end at any moment, and kind to a broker that really is busy.
  Duration backoff_concurrent_first = std::chrono::microseconds(200);
  Duration backoff_concurrent_max = milliseconds(100);
  // Repeat after "no reply in time". Only for what may safely happen twice, with the same bytes: a
  // batch with its sequence, an EndTxn with its epoch.
  bool repeat_unknown_outcome = false;
};

// The state of one run with retries: a plain value, so that the decisions can be tested without a
// network. The pauses grow from backoff_first to backoff_max, each shortened at random by up to a
// fifth, so that clients that failed together do not come back together.
class Backoff {
 public:
  Backoff(RetryPolicy policy, Instant begin, std::uint64_t seed)
      : policy_(policy), begin_(begin), random_(seed, "retry"), next_(policy.backoff_first) {}

  // When to try again after this answer or error; nothing when it is final.
  std::optional<Instant> after(protocol::ErrorCode code, Instant now);
  std::optional<Instant> after(const Error& error, Instant now);
  // Whether the next attempt has to look up its broker again.
  bool needs_fresh_lookup() const { return needs_fresh_lookup_; }
  int attempts() const { return attempts_; }

 private:
  std::optional<Instant> pause(Duration nominal, Instant now);
  std::optional<Instant> grow(Instant now);

  RetryPolicy policy_;
  Instant begin_;
  Random random_;
  Duration next_;
  int attempts_ = 0;
  bool needs_fresh_lookup_ = false;
};

// One attempt. It must be a plain function (or a lambda that is none itself) that calls a named
// coroutine; it passes `fresh_lookup` on in its CallOptions.
template <class Response>
using Attempt = std::function<Task<Response>(bool fresh_lookup)>;

// Calls `attempt` until it gives an answer that asks for no repetition, and returns the last
// answer or error. The pauses are on the clock, which must outlive the call.
template <class Response>
Task<Response> run_with_retries(Clock& clock, RetryPolicy policy, std::uint64_t seed,
                                Attempt<Response> attempt) {
  Backoff backoff(policy, clock.now(), seed);
  while (true) {
    Result<Response> result = co_await attempt(backoff.needs_fresh_lookup());
    const std::optional<Instant> again =
        result.ok() ? backoff.after(first_error(result.value()), clock.now())
                    : backoff.after(result.error(), clock.now());
    if (!again.has_value()) co_return result;
    co_await clock.sleep_until(*again);
  }
}

}  // namespace fencepost::client
