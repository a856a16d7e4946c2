// What the two protocols of a membership share: what is owned, what is shown, and callbacks under
// heartbeats.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/event.h"
#include "client/group_membership.h"

namespace fencepost::client {

struct MembershipState {
  MembershipState(ClusterClient& used, GroupMembershipOptions chosen, RebalanceCallbacks called)
      : cluster(used),
        options(std::move(chosen)),
        callbacks(std::move(called)),
        member(used, options.member) {
    shown.group_id = options.member.group_id;
    shown.group_instance_id = options.member.group_instance_id;
  }

  ClusterClient& cluster;
  GroupMembershipOptions options;
  RebalanceCallbacks callbacks;
  GroupMember member;  // of the classic protocols
  GroupMetadata shown;
  std::vector<TopicPartition> owned;
  std::unique_ptr<Event> stopping;  // made when run() begins: only then is there an executor
  bool is_stopping = false;
  bool is_in_join_round = false;  // waiting for others, perhaps for long
  int joins = 0;

  void show_nothing() {
    shown.generation = unknown_generation;
    shown.member_id.clear();
  }
};

using MembershipPointer = std::shared_ptr<MembershipState>;

// Sends one heartbeat; what it answers is looked at by whoever asks next.
using KeepAlive = std::function<asio::awaitable<void>(MembershipPointer)>;

// Runs the callback to its end, with heartbeats meanwhile. Nothing happens without partitions.
asio::awaitable<void> call_back(MembershipPointer state, PartitionsCallback callback,
                                std::vector<TopicPartition> partitions, KeepAlive keep_alive);
// Sleeps, but not past stop().
asio::awaitable<void> pause(MembershipPointer state, Duration duration);
// Everything owned is another's: on_lost, without heartbeats.
asio::awaitable<void> lose_all(MembershipPointer state);

// `from` without `taken`, in its order.
std::vector<TopicPartition> without(std::vector<TopicPartition> from,
                                    const std::vector<TopicPartition>& taken);
Error refused(const MembershipState& state, std::string_view step, protocol::ErrorCode code);

Task<void> run_classic(MembershipPointer state);
Task<void> run_consumer(MembershipPointer state);

}  // namespace fencepost::client
