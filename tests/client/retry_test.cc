// Which answers are worth another attempt, and how long it waits.
#include "client/retry.h"

#include "protocol/messages/end_txn.h"
#include "tests/catch.h"
#include "tests/client/world.h"

using namespace fencepost;
using namespace fencepost::client;
using protocol::EndTxnResponse;
using protocol::ErrorCode;

namespace {

// Gives the results one after another, and remembers what each attempt was told.
struct Script {
  std::vector<Result<EndTxnResponse>> results;
  std::vector<bool> fresh_lookups;
  std::size_t next = 0;
};

Result<EndTxnResponse> answer(ErrorCode code) {
  EndTxnResponse response;
  response.error_code = code;
  return response;
}

Task<EndTxnResponse> play(Script* script, bool fresh_lookup) {
  script->fresh_lookups.push_back(fresh_lookup);
  co_return script->results.at(script->next++);
}

Result<EndTxnResponse> run(World& world, Script& script, RetryPolicy policy = {}) {
  Attempt<EndTxnResponse> attempt = [&script](bool fresh) { return play(&script, fresh); };
  return world.run(run_with_retries<EndTxnResponse>(world.clock, policy, 1, attempt));
}

constexpr Instant now{};

}  // namespace

TEST_CASE("A retriable error is tried again until it succeeds", "[client]") {
  World world;
  Script script;
  script.results = {answer(ErrorCode::coordinator_load_in_progress),
                    answer(ErrorCode::concurrent_transactions), answer(ErrorCode::none)};
  CHECK(run(world, script).value().error_code == ErrorCode::none);
  CHECK(script.fresh_lookups == std::vector<bool>{false, false, false});
}

TEST_CASE("NOT_COORDINATOR makes the next attempt look up the coordinator", "[client]") {
  World world;
  Script script;
  script.results = {answer(ErrorCode::not_coordinator),
                    answer(ErrorCode::coordinator_load_in_progress), answer(ErrorCode::none)};
  CHECK(run(world, script).ok());
  CHECK(script.fresh_lookups == std::vector<bool>{false, true, false});
}

TEST_CASE("Fencing, abortable errors and bugs are not tried again", "[client]") {
  for (const ErrorCode code : {ErrorCode::producer_fenced, ErrorCode::invalid_producer_epoch,
                               ErrorCode::transaction_abortable, ErrorCode::invalid_txn_state}) {
    World world;
    Script script;
    script.results = {answer(code)};
    CHECK(run(world, script).value().error_code == code);
  }
}

TEST_CASE("An unknown outcome is repeated only when the caller allows it", "[client]") {
  const Error lost{ErrorKind::unknown_outcome, "no answer"};
  World world;
  Script strict;
  strict.results = {lost};
  CHECK(run(world, strict).error() == lost);
  Script lenient;
  lenient.results = {lost, answer(ErrorCode::none)};
  RetryPolicy policy;
  policy.repeat_unknown_outcome = true;
  CHECK(run(world, lenient, policy).ok());
  CHECK(lenient.fresh_lookups.back());
}

TEST_CASE("What was not sent is tried again, what is wrong by itself is not", "[client]") {
  Backoff backoff(RetryPolicy(), now, 1);
  CHECK(backoff.after(Error{ErrorKind::cannot_connect, ""}, now).has_value());
  CHECK(backoff.needs_fresh_lookup());
  CHECK(backoff.after(Error{ErrorKind::closed, ""}, now).has_value());
  CHECK_FALSE(backoff.after(Error{ErrorKind::malformed, ""}, now).has_value());
  CHECK_FALSE(backoff.after(Error{ErrorKind::unsupported_version, ""}, now).has_value());
}

TEST_CASE("Pauses double up to the limit, each shortened by at most a fifth", "[client]") {
  RetryPolicy policy;
  Backoff backoff(policy, now, 7);
  for (const int nominal : {100, 200, 400, 800, 1000, 1000}) {
    const Duration pause = *backoff.after(ErrorCode::not_coordinator, now) - now;
    CHECK(pause <= milliseconds(nominal));
    CHECK(pause > milliseconds(nominal * 4 / 5) - Duration(1));
  }
}

TEST_CASE("CONCURRENT_TRANSACTIONS waits a quarter of the time waited so far, at most 100 ms",
          "[client]") {
  Backoff backoff(RetryPolicy(), now, 7);
  const auto pause = [&backoff](Duration waited) {
    return *backoff.after(ErrorCode::concurrent_transactions, now + waited) - (now + waited);
  };
  CHECK(pause(Duration()) <= std::chrono::microseconds(200));
  CHECK(pause(Duration()) >= std::chrono::microseconds(160));
  CHECK(pause(milliseconds(40)) <= milliseconds(10));
  CHECK(pause(milliseconds(40)) >= milliseconds(8));
  CHECK(pause(std::chrono::seconds(10)) <= milliseconds(100));
}

TEST_CASE("The same seed gives the same pauses", "[client]") {
  Backoff one(RetryPolicy(), now, 7);
  Backoff same(RetryPolicy(), now, 7);
  Backoff other(RetryPolicy(), now, 8);
  const auto first = one.after(ErrorCode::not_coordinator, now);
  CHECK(first == same.after(ErrorCode::not_coordinator, now));
  CHECK(first != other.after(ErrorCode::not_coordinator, now));
}

TEST_CASE("Time and number of attempts are bounded", "[client]") {
  RetryPolicy policy;
  policy.time_max = std::chrono::seconds(3);
  Backoff timed(policy, now, 1);
  CHECK(timed.after(ErrorCode::not_coordinator, now + std::chrono::seconds(2)).has_value());
  CHECK_FALSE(timed.after(ErrorCode::not_coordinator, now + std::chrono::seconds(3)).has_value());
  policy.attempts_max = 2;
  Backoff counted(policy, now, 1);
  CHECK(counted.after(ErrorCode::not_coordinator, now).has_value());
  CHECK_FALSE(counted.after(ErrorCode::not_coordinator, now).has_value());
  CHECK(counted.attempts() == 2);
}
