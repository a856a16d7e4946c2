// The replicas that one broker hosts: appends by the leader, fetches of followers, who is in sync,
// the high watermark, and the appends that wait for it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "minibroker/controller_view.h"
#include "minibroker/log/partition_log.h"
#include "minibroker/operations.h"
#include "minibroker/sim/cut_points.h"

namespace fencepost::minibroker {

// What a leader knows of a follower, in its own leader epoch.
struct Follower {
  // What it has fetched up to; nothing until it has fetched in this epoch.
  std::optional<std::int64_t> end_offset = {};
  Instant caught_up;                                     // when it last had all there was
  Instant fetched_at;                                    // its last fetch,
  std::int64_t end_offset_then = 0;                      // and where the leader's log ended then
  std::optional<std::int64_t> told_high_watermark = {};  // the one it was last told
  bool operator==(const Follower&) const = default;
};

struct Replica {
  PartitionLog log;
  Uuid topic_id;
  int leader_id = -1;
  std::int32_t leader_epoch = -1;
  std::vector<int> replicas = {};
  std::vector<int> in_sync_replicas = {};
  int min_in_sync_replicas = 1;
  std::map<int, Follower> followers = {};  // only on the leader
  std::int64_t leader_epoch_start = 0;     // where the log ended when this broker began to lead
  std::int64_t config_version = 0;         // of its topic, as the log's settings follow it
  // What is on disk, and how many records may be in the log and not on disk (flush.messages).
  std::int64_t synced_offset = 0;
  std::int64_t unsynced_records_max = 0;

  void sync_as_configured() {
    if (log.log_end_offset() - synced_offset >= unsynced_records_max)
      synced_offset = log.log_end_offset();
  }
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

  // Logs follow the new settings with the next apply().
  void change_settings(const ClusterSettings& settings);

  // Makes the replicas what the metadata says; answers what changed.
  std::vector<RoleChange> apply(const MetadataImage& image, Instant now);

  // The leader's replica; nothing with `error` set when this broker does not lead the partition.
  Replica* leader(const TopicPartition& partition, protocol::ErrorCode& error);
  Replica* find(const TopicPartition& partition);
  const std::map<TopicPartition, Replica>& all() const { return replicas_; }

  // NOT_ENOUGH_REPLICAS when an append with acks=-1 may not begin.
  static protocol::ErrorCode check_in_sync(const Replica& replica);
  // After every append of the leader: moves the high watermark and wakes who waits for more.
  void on_appended(const TopicPartition& partition, Replica& replica);
  // A follower asks for what comes after `offset`: it has everything before it. When it has caught
  // up, the controller is asked to list it as in sync again.
  void on_follower_fetch(ControllerView& controller, const TopicPartition& partition,
                         Replica& replica, int follower_id, std::int64_t offset, Instant now);
  // Strikes out the followers that have been behind for longer than replica.lag.time.max.ms.
  void shrink_in_sync_replicas(ControllerView& controller, Instant now);
  // After the follower's own log has grown or learnt a high watermark.
  void on_follower_changed(const TopicPartition& partition) { changed_.insert(partition); }

  // Answered at once when the high watermark is there already.
  void wait(ReplicationWait wait, Replica& replica);
  void expire_waits(Instant now);
  std::optional<Instant> next_deadline() const;

  std::vector<CompletedWait> take_completed() { return std::exchange(completed_, {}); }
  // The partitions that grew, or whose readers may see more, since the last call.
  std::set<TopicPartition> take_changed();
  // The partitions whose log has another configuration since the last call.
  std::set<TopicPartition> take_configured() { return std::exchange(configured_, {}); }

  // ---- disks

  // A replica that was found on disk; the broker leads and follows nothing yet.
  void adopt(const TopicPartition& partition, const Uuid& topic_id, PartitionLog log);
  // From now on take_unwritten() tells which partitions' files are behind: all of them, at first.
  void follow_changes();
  std::set<TopicPartition> take_unwritten() { return std::exchange(unwritten_, {}); }
  // The log begins later; nobody who reads it has to be told.
  void on_start_moved(const TopicPartition& partition) { note_unwritten(partition); }

  // ---- crashes

  // What is left on disk; the broker leads and follows nothing until apply().
  void crash(sim::Unsynced unsynced);
  void sync();
  // Cuts the log of one replica off, as lost. False when the broker does not host it.
  bool lose_tail(const TopicPartition& partition, std::int64_t offset);

  void add_to(Digest& digest) const;

 private:
  void follow(const TopicPartition& partition, Replica& replica, const PartitionImage& image,
              Instant now, std::vector<RoleChange>& changes);
  bool is_behind(const Replica& replica, int follower_id) const;
  void watch(const TopicPartition& partition, const Replica& replica);
  std::optional<Instant> shrink_at(const Replica& replica) const;
  Replica make_replica(const TopicImage& topic) const;
  void configure(const TopicPartition& partition, Replica& replica, const TopicImage& topic);
  void move_high_watermark(const TopicPartition& partition, Replica& replica);
  void complete_waits(const TopicPartition& partition, Replica& replica);
  void note_unwritten(const TopicPartition& partition) {
    if (has_files_) unwritten_.insert(partition);
  }
  void fail_waits(const TopicPartition& partition, protocol::ErrorCode error);

  int broker_id_;
  ClusterSettings settings_;
  bool has_new_settings_ = false;
  std::map<TopicPartition, Replica> replicas_;
  std::map<TopicPartition, std::vector<ReplicationWait>> waits_;
  std::vector<CompletedWait> completed_;
  std::set<TopicPartition> changed_;
  std::set<TopicPartition> configured_;
  bool has_files_ = false;
  std::set<TopicPartition> unwritten_;
  // Led here, with a follower in sync that does not have all; and not before when to ask again.
  std::map<TopicPartition, Instant> lagging_;
};

}  // namespace fencepost::minibroker
