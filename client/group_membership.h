// A member of a group that keeps itself alive: it joins, heartbeats, rebalances and leaves, and
// calls back before a partition is given up and after one is given. Everything that a group is as a
// lock hangs on the order in which it does that.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/group_member.h"

namespace fencepost::client {

enum class GroupProtocol {
  eager,        // every rebalance gives up everything first
  cooperative,  // what stays is never given up (KIP-429)
  consumer,     // the brokers assign, member by member (KIP-848, Kafka 4.0)
};

// What to do about partitions. The member heartbeats meanwhile, and the rebalance goes on when the
// coroutine has ended. The callback object must outlive the membership; it is a plain function that
// starts a named coroutine.
using PartitionsCallback = std::function<asio::awaitable<void>(std::vector<TopicPartition>)>;

struct RebalanceCallbacks {
  PartitionsCallback on_assigned;  // they are ours
  PartitionsCallback on_revoked;   // we give them up; until it has ended nobody else gets them
  PartitionsCallback on_lost;      // the group has thrown us out: they may be another's already
};

struct GroupMembershipOptions {
  GroupMemberOptions member;  // its assignor follows from the protocol
  GroupProtocol protocol = GroupProtocol::eager;
  Duration heartbeat_interval =
      std::chrono::seconds(3);  // the consumer protocol's come from brokers
  Duration retry_backoff = milliseconds(100);
  std::uint64_t seed = 0;  // of the member id of the consumer protocol
};

struct MembershipState;

// The cluster client should be its own: a join round holds up what waits behind it, and stop()
// during one closes the connections.
class GroupMembership {
 public:
  GroupMembership(ClusterClient& cluster, GroupMembershipOptions options,
                  RebalanceCallbacks callbacks);

  // A member until stop(), which gives everything up (on_revoked) and leaves; a static member does
  // not leave, its place is kept for the session timeout. Errors: what the coordinator refuses for
  // good (stalled, with its code: an ACL, a fenced instance id, an unknown protocol); everything
  // was lost (on_lost) before. Whatever passes is waited for.
  Task<void> run();
  void stop();

  // For each commit: the generation (or member epoch) that covers what is owned. It moves on only
  // when the callbacks of the generation before have ended, so that a commit inside on_revoked
  // still shows the old one: accepted after an eager or consumer rebalance has begun, refused after
  // a cooperative one, which is over by then.
  GroupMetadata metadata() const;
  const std::vector<TopicPartition>& owned() const;
  // How often the group has been joined.
  int joins() const;

 private:
  std::shared_ptr<MembershipState> state_;
};

}  // namespace fencepost::client
