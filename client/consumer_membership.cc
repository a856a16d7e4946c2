// The consumer protocol (KIP-848): one heartbeat that joins, reports, is told an assignment and
// leaves. Every heartbeat carries all fields: after a lost answer nothing has to be remembered.
#include <algorithm>
#include <asio/this_coro.hpp>

#include "client/membership_state.h"
#include "protocol/base/random.h"
#include "protocol/messages/consumer_group_heartbeat.h"

namespace fencepost::client {

namespace {

using protocol::ConsumerGroupHeartbeatRequest;
using protocol::ConsumerGroupHeartbeatResponse;
using protocol::ErrorCode;

constexpr std::int32_t joining_epoch = 0;
constexpr std::int32_t leaving_epoch = -1;
constexpr std::int32_t leaving_static_epoch = -2;

struct ConsumerState {
  std::string member_id;
  std::int32_t epoch = joining_epoch;
  std::optional<std::vector<TopicPartition>> target;  // what the coordinator said last
  ErrorCode refusal = ErrorCode::none;                // of the last heartbeat
  std::optional<Error> failure;                       // the coordinator is refused for good
  bool fresh_lookup = false;
  bool is_beating = false;
};

using ConsumerPointer = std::shared_ptr<ConsumerState>;

Uuid random_uuid(std::uint64_t seed) {
  Random random(seed, "member");
  Uuid uuid;
  for (std::uint8_t& byte : uuid.bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return uuid;
}

ConsumerGroupHeartbeatRequest heartbeat_of(const MembershipState& state,
                                           const ConsumerState& consumer) {
  const GroupMemberOptions& options = state.options.member;
  ConsumerGroupHeartbeatRequest request;
  request.group_id = options.group_id;
  request.member_id = consumer.member_id;
  request.member_epoch = consumer.epoch;
  request.instance_id = options.group_instance_id;
  request.rebalance_timeout_ms =
      static_cast<std::int32_t>(to_milliseconds(options.rebalance_timeout));
  request.subscribed_topic_names = options.topics;
  auto& topics = request.topic_partitions.emplace();
  for (const TopicPartition& it : state.owned) {
    const Uuid id = state.cluster.topic_id(it.topic);
    if (topics.empty() || topics.back().topic_id != id) topics.emplace_back().topic_id = id;
    topics.back().partitions.push_back(it.partition);
  }
  return request;
}

// The assignment by names. Topics that the metadata does not know yet make it nothing: the next
// heartbeat asks again.
std::optional<std::vector<TopicPartition>> named(
    const ClusterClient& cluster, const ConsumerGroupHeartbeatResponse::Assignment& assignment) {
  std::vector<TopicPartition> partitions;
  for (const auto& topic : assignment.topic_partitions) {
    const std::string name = cluster.topic_name(topic.topic_id);
    if (name.empty()) return std::nullopt;
    for (const std::int32_t partition : topic.partitions)
      partitions.push_back(TopicPartition{name, partition});
  }
  std::ranges::sort(partitions);
  return partitions;
}

// One heartbeat, and what it tells.
asio::awaitable<void> beat_once(MembershipPointer state, ConsumerPointer consumer) {
  if (std::exchange(consumer->is_beating, true)) co_return;
  CallOptions call;
  call.fresh_lookup = std::exchange(consumer->fresh_lookup, false);
  ConsumerGroupHeartbeatRequest request = heartbeat_of(*state, *consumer);
  std::string key = request.group_id;
  Result<ConsumerGroupHeartbeatResponse> answer = co_await state->cluster.call_coordinator(
      CoordinatorType::group, std::move(key), std::move(request), call);
  consumer->is_beating = false;
  if (!answer) {
    consumer->fresh_lookup = true;
    consumer->refusal = ErrorCode::network_exception;
    if (answer.error().kind == ErrorKind::unsupported_version)
      consumer->refusal = ErrorCode::unsupported_version;
    if (answer.error().kind == ErrorKind::stalled) consumer->failure = answer.error();
    co_return;
  }
  consumer->refusal = answer->error_code;
  if (answer->error_code != ErrorCode::none) co_return;
  consumer->epoch = answer->member_epoch;
  if (answer->member_id.has_value() && !answer->member_id->empty())
    consumer->member_id = *answer->member_id;
  if (answer->heartbeat_interval_ms > 0)
    state->options.heartbeat_interval = milliseconds(answer->heartbeat_interval_ms);
  if (answer->assignment.has_value()) {
    consumer->target = named(state->cluster, *answer->assignment);
    if (!consumer->target.has_value()) {
      std::vector<std::string> topics = state->options.member.topics;
      Result<protocol::MetadataResponse> metadata =
          co_await state->cluster.refresh_metadata(std::move(topics));
      if (metadata.ok()) consumer->target = named(state->cluster, *answer->assignment);
    }
  }
  state->shown.member_id = consumer->member_id;
  state->shown.generation = consumer->epoch;
}

// Gives up and takes what the coordinator said, and tells it so. True when something changed.
asio::awaitable<bool> reconcile(MembershipPointer state, ConsumerPointer consumer) {
  if (!consumer->target.has_value()) co_return false;
  const std::vector<TopicPartition> target = *std::exchange(consumer->target, std::nullopt);
  std::vector<TopicPartition> revoked = without(state->owned, target);
  std::vector<TopicPartition> added = without(target, state->owned);
  if (revoked.empty() && added.empty()) co_return false;
  KeepAlive keep_alive = [consumer](MembershipPointer it) { return beat_once(it, consumer); };
  co_await call_back(state, state->callbacks.on_revoked, revoked, keep_alive);
  state->owned = without(state->owned, revoked);
  for (const TopicPartition& partition : added) state->owned.push_back(partition);
  std::ranges::sort(state->owned);
  ++state->joins;
  co_await call_back(state, state->callbacks.on_assigned, std::move(added), keep_alive);
  co_return true;
}

bool is_forgotten(ErrorCode code) {
  return code == ErrorCode::unknown_member_id || code == ErrorCode::fenced_member_epoch;
}

bool is_passing(ErrorCode code) {
  const protocol::Reaction reaction = protocol::reaction_of(code);
  return code == ErrorCode::unreleased_instance_id || reaction == protocol::Reaction::retry ||
         reaction == protocol::Reaction::find_coordinator;
}

asio::awaitable<void> leave(MembershipPointer state, ConsumerPointer consumer) {
  KeepAlive keep_alive = [consumer](MembershipPointer it) { return beat_once(it, consumer); };
  std::vector<TopicPartition> revoked = state->owned;
  co_await call_back(state, state->callbacks.on_revoked, std::move(revoked), keep_alive);
  state->owned.clear();
  state->show_nothing();
  const bool is_static = state->options.member.group_instance_id.has_value();
  if (consumer->epoch > joining_epoch) {
    consumer->epoch = is_static ? leaving_static_epoch : leaving_epoch;
    co_await beat_once(state, consumer);
    state->show_nothing();
  }
}

}  // namespace

Task<void> run_consumer(MembershipPointer state) {
  auto consumer = std::make_shared<ConsumerState>();
  consumer->member_id = to_string(random_uuid(state->options.seed));
  std::vector<std::string> topics = state->options.member.topics;
  Result<protocol::MetadataResponse> metadata =
      co_await state->cluster.refresh_metadata(std::move(topics));
  if (!metadata) co_return metadata.error();
  while (!state->is_stopping) {
    co_await beat_once(state, consumer);
    if (consumer->failure.has_value()) {
      co_await lose_all(state);
      co_return *consumer->failure;
    }
    if (is_forgotten(consumer->refusal)) {
      co_await lose_all(state);
      consumer->epoch = joining_epoch;
      consumer->target.reset();
      continue;
    }
    if (is_passing(consumer->refusal)) {
      consumer->fresh_lookup = true;
      co_await pause(state, state->options.retry_backoff);
      continue;
    }
    if (consumer->refusal != ErrorCode::none) {
      co_await lose_all(state);
      co_return refused(*state, "ConsumerGroupHeartbeat", consumer->refusal);
    }
    const bool has_changed = co_await reconcile(state, consumer);
    if (!has_changed) co_await pause(state, state->options.heartbeat_interval);
  }
  co_await leave(state, consumer);
  co_return Result<void>();
}

}  // namespace fencepost::client
