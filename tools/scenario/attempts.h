// One request, again and again while its answer says that this helps.
#pragma once

#include <algorithm>
#include <functional>

#include "client/response_error.h"
#include "tools/scenario/actor.h"

namespace fencepost::scenario {

// A plain function that starts a named coroutine with these options.
template <class Response>
using Call = std::function<client::Task<Response>(client::CallOptions)>;

// The call is a named value of the caller: GCC 12 moves the captures of a lambda that is a
// temporary of a co_await expression as if they were plain bytes. Calls until the answer is final
// for this step, or for a minute. The pauses are in the world's time, and every attempt is an
// exchange of its own.
template <class Response>
client::Task<Response> attempt(StepRun& run, const Call<Response>& call,
                               protocol::ErrorCode (*error_of)(const Response&)) {
  constexpr Duration time_max = std::chrono::minutes(1);
  constexpr Duration backoff_max = std::chrono::seconds(1);
  client::Clock& clock = run.world->clock();
  const Instant deadline = clock.now() + time_max;
  client::CallOptions options = run.call_options();
  Duration backoff = milliseconds(100);
  while (true) {
    Result<Response> result = co_await call(options);
    const protocol::ErrorCode code = result ? error_of(*result) : protocol::ErrorCode::none;
    const bool is_final = result ? run.is_final(code) : run.is_final(result.error());
    if (is_final || clock.now() + backoff > deadline) co_return result;
    options.fresh_lookup = protocol::reaction_of(code) == protocol::Reaction::find_coordinator;
    co_await clock.sleep_until(clock.now() + backoff);
    backoff = std::min(backoff * 2, backoff_max);
  }
}

template <class Response>
client::Task<Response> attempt(StepRun& run, const Call<Response>& call) {
  co_return co_await attempt<Response>(run, std::move(call),
                                       [](const Response& it) { return client::first_error(it); });
}

}  // namespace fencepost::scenario
