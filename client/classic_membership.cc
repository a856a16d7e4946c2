// The classic protocol: rounds of JoinGroup and SyncGroup, heartbeats between them.
#include "client/membership_state.h"
#include "client/response_error.h"

namespace fencepost::client {

namespace {

using protocol::ErrorCode;

enum class RoundEnd {
  stable,     // a member of the new generation
  again,      // join again, at once or after a pause
  forgotten,  // the group does not know us any more
};

// What a refusal of JoinGroup, SyncGroup or Heartbeat means; nothing when it is final.
std::optional<RoundEnd> meaning_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::none:
      return RoundEnd::stable;
    case ErrorCode::unknown_member_id:
    case ErrorCode::illegal_generation:
      return RoundEnd::forgotten;
    case ErrorCode::rebalance_in_progress:
      return RoundEnd::again;
    default:
      break;
  }
  switch (protocol::reaction_of(code)) {
    case protocol::Reaction::retry:
    case protocol::Reaction::find_coordinator:
      return RoundEnd::again;
    case protocol::Reaction::go_on:
    case protocol::Reaction::abort:
    case protocol::Reaction::fenced:
    case protocol::Reaction::bug:
      return std::nullopt;
  }
  return std::nullopt;
}

asio::awaitable<void> beat_once(MembershipPointer state) {
  Result<protocol::HeartbeatResponse> ignored = co_await state->member.heartbeat();
  if (!ignored) co_return;
}

// Gives up what an eager rebalance takes, before the group is told that it may.
asio::awaitable<void> give_up_all(MembershipPointer state) {
  std::vector<TopicPartition> revoked = std::exchange(state->owned, {});
  co_await call_back(state, state->callbacks.on_revoked, std::move(revoked), beat_once);
}

MemberOverrides looked_up(bool fresh) {
  MemberOverrides overrides;
  overrides.call.fresh_lookup = fresh;
  return overrides;
}

// One JoinGroup and SyncGroup. Errors: refused for good.
Task<RoundEnd> join_round(MembershipPointer state, bool fresh_lookup) {
  state->member.set_owned(state->owned);
  Result<protocol::JoinGroupResponse> joined =
      co_await state->member.join_group(looked_up(fresh_lookup));
  if (!joined && joined.error().kind == ErrorKind::stalled) co_return joined.error();
  if (!joined) co_return RoundEnd::again;
  std::optional<RoundEnd> meaning = meaning_of(joined->error_code);
  if (!meaning) co_return refused(*state, "JoinGroup", joined->error_code);
  if (*meaning != RoundEnd::stable) co_return *meaning;
  Result<protocol::SyncGroupResponse> synced = co_await state->member.sync_group();
  if (!synced) co_return RoundEnd::again;
  meaning = meaning_of(synced->error_code);
  if (!meaning) co_return refused(*state, "SyncGroup", synced->error_code);
  co_return *meaning;
}

// The new generation is ours. True when another round has to follow: something was given up that
// somebody waits for.
asio::awaitable<bool> take_assignment(MembershipPointer state) {
  const std::vector<TopicPartition> target = state->member.assignment();
  std::vector<TopicPartition> revoked = without(state->owned, target);
  std::vector<TopicPartition> added = without(target, state->owned);
  const bool gives_up = !revoked.empty();
  co_await call_back(state, state->callbacks.on_revoked, std::move(revoked), beat_once);
  state->owned = target;
  state->shown = state->member.metadata();
  ++state->joins;
  co_await call_back(state, state->callbacks.on_assigned, std::move(added), beat_once);
  co_return gives_up;
}

// Heartbeats until the group wants something else, or stop().
Task<RoundEnd> stay(MembershipPointer state) {
  bool fresh_lookup = false;
  while (!state->is_stopping) {
    co_await pause(state, state->options.heartbeat_interval);
    if (state->is_stopping) break;
    Result<protocol::HeartbeatResponse> answer =
        co_await state->member.heartbeat(looked_up(fresh_lookup));
    fresh_lookup = !answer.ok();
    if (!answer) continue;
    const ErrorCode code = answer->error_code;
    const std::optional<RoundEnd> meaning = meaning_of(code);
    if (!meaning) co_return refused(*state, "Heartbeat", code);
    if (*meaning == RoundEnd::stable) continue;
    fresh_lookup = protocol::reaction_of(code) == protocol::Reaction::find_coordinator;
    const bool is_passing = *meaning == RoundEnd::again && code != ErrorCode::rebalance_in_progress;
    if (!is_passing) co_return *meaning;
  }
  co_return RoundEnd::stable;
}

asio::awaitable<void> leave(MembershipPointer state) {
  co_await give_up_all(state);
  state->show_nothing();
  const bool is_static = state->options.member.group_instance_id.has_value();
  if (is_static || state->member.member_id().empty()) co_return;
  Result<protocol::LeaveGroupResponse> ignored = co_await state->member.leave_group();
  if (!ignored) co_return;
}

asio::awaitable<void> be_forgotten(MembershipPointer state) {
  co_await lose_all(state);
  state->member.forget();
}

}  // namespace

Task<void> run_classic(MembershipPointer state) {
  const bool is_eager = state->options.protocol == GroupProtocol::eager;
  bool fresh_lookup = false;
  while (!state->is_stopping) {
    if (is_eager) co_await give_up_all(state);
    state->is_in_join_round = true;
    Result<RoundEnd> round = co_await join_round(state, fresh_lookup);
    state->is_in_join_round = false;
    if (!round) {
      co_await be_forgotten(state);
      co_return round.error();
    }
    fresh_lookup = round.value() != RoundEnd::stable;
    if (round.value() == RoundEnd::forgotten) co_await be_forgotten(state);
    if (state->is_stopping && round.value() != RoundEnd::stable) break;
    if (round.value() != RoundEnd::stable) {
      co_await pause(state, state->options.retry_backoff);
      continue;
    }
    const bool joins_again = co_await take_assignment(state);
    if (joins_again) continue;
    Result<RoundEnd> stayed = co_await stay(state);
    if (!stayed || stayed.value() == RoundEnd::forgotten) co_await be_forgotten(state);
    if (!stayed) co_return stayed.error();
  }
  co_await leave(state);
  co_return Result<void>();
}

}  // namespace fencepost::client
