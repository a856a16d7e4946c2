// The replicas that one broker hosts: appends by the leader, fetches of followers, the high
// watermark, and the appends that wait for it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "minibroker/controller.h"
#include "minibroker/log/partition_log.h"
#include "minibroker/operations.h"

namespace fencepost::minibroker {

struct Replica {
  PartitionLog log;
  Uuid topic_id;
  int leader_id = -1;
  std::int32_t leader_epoch = -1;
  std::vector<int> in_sync_replicas;
  int min_in_sync_replicas = 1;
  // What each follower has fetched up to; only on the leader.
  std::map<int, std::int64_t> follower_end_offsets = {};
  // The high watermark that each follower was last told.
  std::map<int, std::int64_t> follower_high_watermarks = {};
};

// A change of role that the coordinators have to follow.
struct RoleChange {
  TopicPartition partition;
  bool is_leader = false;
  std::int32_t leader_epoch = 0;
};

struct CompletedWait {
  ReplicationWait wait;
  protocol::ErrorCode error = protocol::ErrorCode::none;
};

class Replicas {
 public:
  Replicas(int broker_id, const ClusterSettings& settings);

  // Makes the replicas what the controller says; answers what changed.
  std::vector<RoleChange> apply(const Controller& controller);

  // The leader's replica; nothing with `error` set when this broker does not lead the partition.
  Replica* leader(const TopicPartition& partition, protocol::ErrorCode& error);
  Replica* find(const TopicPartition& partition);
  const std::map<TopicPartition, Replica>& all() const { return replicas_; }

  // NOT_ENOUGH_REPLICAS when an append with acks=-1 may not begin.
  static protocol::ErrorCode check_in_sync(const Replica& replica);
  // After every append of the leader: moves the high watermark and wakes who waits for more.
  void on_appended(const TopicPartition& partition, Replica& replica);
  // A follower asks for what comes after `offset`: it has everything before it.
  void on_follower_fetch(const TopicPartition& partition, Replica& replica, int follower_id,
                         std::int64_t offset);
  // After the follower's own log has grown or learnt a high watermark.
  void on_follower_changed(const TopicPartition& partition) { changed_.insert(partition); }

  // Answered at once when the high watermark is there already.
  void wait(ReplicationWait wait, Replica& replica);
  void expire_waits(Instant now);
  std::optional<Instant> next_deadline() const;

  std::vector<CompletedWait> take_completed() { return std::exchange(completed_, {}); }
  // The partitions that grew, or whose readers may see more, since the last call.
  std::set<TopicPartition> take_changed() { return std::exchange(changed_, {}); }

  void add_to(Digest& digest) const;

 private:
  Replica make_replica(const TopicImage& topic) const;
  void move_high_watermark(const TopicPartition& partition, Replica& replica);
  void complete_waits(const TopicPartition& partition, Replica& replica);
  void fail_waits(const TopicPartition& partition, protocol::ErrorCode error);

  int broker_id_;
  ClusterSettings settings_;
  std::map<TopicPartition, Replica> replicas_;
  std::map<TopicPartition, std::vector<ReplicationWait>> waits_;
  std::vector<CompletedWait> completed_;
  std::set<TopicPartition> changed_;
};

}  // namespace fencepost::minibroker
