// What both protocols share; each of them has its file.
#include "client/group_membership.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/this_coro.hpp>

#include "client/explained.h"
#include "client/membership_state.h"

namespace fencepost::client {

namespace {

GroupMembershipOptions with_assignor(GroupMembershipOptions options) {
  options.member.assignor = options.protocol == GroupProtocol::cooperative
                                ? Assignor::cooperative_sticky
                                : Assignor::range;
  return options;
}

// Heartbeats until the callback has ended.
asio::awaitable<void> beat(MembershipPointer state, std::shared_ptr<Event> is_over,
                           KeepAlive keep_alive) {
  while (!is_over->is_set()) {
    const Instant next = state->cluster.clock().now() + state->options.heartbeat_interval;
    const bool is_done = co_await wait_until(*is_over, state->cluster.clock(), next);
    if (is_done) co_return;
    co_await keep_alive(state);
  }
}

}  // namespace

asio::awaitable<void> call_back(MembershipPointer state, PartitionsCallback callback,
                                std::vector<TopicPartition> partitions, KeepAlive keep_alive) {
  if (partitions.empty() || !callback) co_return;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto is_over = std::make_shared<Event>(executor);
  if (keep_alive) asio::co_spawn(executor, beat(state, is_over, keep_alive), asio::detached);
  co_await callback(std::move(partitions));
  is_over->set();
}

asio::awaitable<void> pause(MembershipPointer state, Duration duration) {
  const Instant until = state->cluster.clock().now() + duration;
  co_await wait_until(*state->stopping, state->cluster.clock(), until);
}

asio::awaitable<void> lose_all(MembershipPointer state) {
  state->show_nothing();
  std::vector<TopicPartition> lost = std::exchange(state->owned, {});
  co_await call_back(state, state->callbacks.on_lost, std::move(lost), KeepAlive());
}

std::vector<TopicPartition> without(std::vector<TopicPartition> from,
                                    const std::vector<TopicPartition>& taken) {
  std::erase_if(from, [&taken](const TopicPartition& it) {
    return std::ranges::find(taken, it) != taken.end();
  });
  return from;
}

Error refused(const MembershipState& state, std::string_view step, protocol::ErrorCode code) {
  return Error{ErrorKind::stalled, "group " + state.options.member.group_id + ": " +
                                       std::string(step) + " is answered with " + explained(code)};
}

GroupMembership::GroupMembership(ClusterClient& cluster, GroupMembershipOptions options,
                                 RebalanceCallbacks callbacks)
    : state_(std::make_shared<MembershipState>(cluster, with_assignor(std::move(options)),
                                               std::move(callbacks))) {}

Task<void> GroupMembership::run() {
  const MembershipPointer state = state_;
  state->stopping = std::make_unique<Event>(co_await asio::this_coro::executor);
  if (state->is_stopping) state->stopping->set();
  if (state->options.protocol == GroupProtocol::consumer) co_return co_await run_consumer(state);
  co_return co_await run_classic(state);
}

void GroupMembership::stop() {
  state_->is_stopping = true;
  if (state_->stopping != nullptr) state_->stopping->set();
  // The round may wait for a member that is gone; leaving behind it would wait as well.
  if (state_->is_in_join_round) state_->cluster.close();
}

GroupMetadata GroupMembership::metadata() const {
  return state_->shown;
}
const std::vector<TopicPartition>& GroupMembership::owned() const {
  return state_->owned;
}
int GroupMembership::joins() const {
  return state_->joins;
}

}  // namespace fencepost::client
