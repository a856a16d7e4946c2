// The group coordinator of one broker, for every partition of __consumer_offsets that the broker
// leads: members, generations and committed offsets. It does no I/O and reads no clock; what it
// wants (answers, log writes) is collected and taken. Which check answers first is the contract.
//
//   shard.h            what one partition holds: groups, and what waits for its log
//   classic_group.*    a group of the classic protocol: states, members, protocols
//   rebalance.cc       the join round: begin, extend, end; removing members
//   join.cc            JoinGroup             sync.cc            SyncGroup
//   heartbeat.cc       Heartbeat             leave.cc           LeaveGroup
//   offsets.*          committed offsets, and those that wait for the marker of a transaction
//   offset_commit.cc   OffsetCommit          txn_offset_commit.cc   TxnOffsetCommit
//   offset_fetch.cc    OffsetFetch           offset_delete.cc   OffsetDelete
//   describe.cc        DescribeGroups, ListGroups               delete.cc   DeleteGroups
//   group_log.*        the records of __consumer_offsets        coordinator.cc   load, unload, log
//   expiration.cc      timers of members, rounds and offsets    writes, markers, inspection
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/effects.h"
#include "minibroker/era.h"
#include "minibroker/events.h"
#include "minibroker/group/shard.h"
#include "protocol/base/digest.h"
#include "protocol/base/random.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/delete_groups.h"
#include "protocol/messages/describe_groups.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/list_groups.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_delete.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/sync_group.h"
#include "protocol/messages/txn_offset_commit.h"

namespace fencepost::minibroker {

// Kafka's broker configuration of groups, with Kafka's defaults.
struct GroupSettings {
  Duration min_session_timeout = std::chrono::seconds(6);
  Duration max_session_timeout = std::chrono::minutes(30);
  Duration initial_rebalance_delay = std::chrono::seconds(3);
  int max_size = 2147483647;
  int offset_metadata_max_bytes = 4096;
  Duration offsets_retention = std::chrono::hours(24 * 7);
  Duration offsets_retention_check_interval = std::chrono::minutes(10);
  Duration offset_commit_timeout = std::chrono::seconds(5);
  int offsets_partition_count = 50;
};

class GroupCoordinator {
 public:
  GroupCoordinator(GroupSettings settings, Era era, std::uint64_t seed);

  // ---- leadership of partitions of __consumer_offsets

  // The broker has become leader and reads the log: requests are told to come back.
  void begin_loading(std::int32_t partition);
  // Takes over with everything in the log up to the high watermark, oldest first, markers included.
  // Members get a fresh session timeout.
  void load(std::int32_t partition, const std::vector<ReplayedBatch>& log, Instant now);
  // The broker leads no longer: what waits is answered NOT_COORDINATOR and everything is forgotten.
  void unload(std::int32_t partition, Instant now);

  // ---- requests; each is answered once, through take_replies
  //
  // The request layer has checked rights and topics before. It hands over only the partitions that
  // passed, each topic with its name (and id, where the version has one), and in `refused` an
  // answer that holds the others; the answer here is added to it. When nothing passed it answers
  // by itself.

  void join_group(const RequestContext&, const protocol::JoinGroupRequest&, Instant now);
  void sync_group(const RequestContext&, const protocol::SyncGroupRequest&, Instant now);
  void heartbeat(const RequestContext&, const protocol::HeartbeatRequest&, Instant now);
  void leave_group(const RequestContext&, const protocol::LeaveGroupRequest&, Instant now);
  void offset_commit(const RequestContext&, const protocol::OffsetCommitRequest&,
                     protocol::OffsetCommitResponse refused, Instant now);
  // After the verification of the offsets partition, which gave `guard` (KIP-890).
  void txn_offset_commit(const RequestContext&, const protocol::TxnOffsetCommitRequest&,
                         protocol::TxnOffsetCommitResponse refused, VerificationGuard guard,
                         Instant now);
  // `topic_ids` is looked at only from v10 on, when a group asks for all its topics; topics that
  // are not in it are left out, as in Kafka.
  void offset_fetch(const RequestContext&, const protocol::OffsetFetchRequest&,
                    protocol::OffsetFetchResponse refused, const TopicIds& topic_ids);
  void offset_delete(const RequestContext&, const protocol::OffsetDeleteRequest&,
                     protocol::OffsetDeleteResponse refused, Instant now);
  void describe_groups(const RequestContext&, const protocol::DescribeGroupsRequest&,
                       protocol::DescribeGroupsResponse refused);
  void list_groups(const RequestContext&, const protocol::ListGroupsRequest&);
  void delete_groups(const RequestContext&, const protocol::DeleteGroupsRequest&,
                     protocol::DeleteGroupsResponse refused, Instant now);

  // What TxnOffsetCommit answers before any verification; none when it may go on. The old
  // coordinator looks at its own availability before it verifies, the new one afterwards.
  protocol::ErrorCode before_verification(const std::string& group_id) const;

  // ---- the log

  // A LogWrite is replicated, or cannot be. Outcomes of what was unloaded meanwhile are ignored.
  void on_log_write(const LogWriteOutcome& outcome, Instant now);
  // A marker of that producer is replicated in the partition: its offsets are decided. Comes after
  // the outcomes of the writes that stand before it in the log.
  void on_marker(std::int32_t partition, std::int64_t producer_id, bool is_commit);

  // ---- time

  std::optional<Instant> next_deadline() const;
  void advance_to(Instant now);

  // ---- output, in the order in which it came about

  // Answers to connections that are gone may be dropped by the broker: a join of a closed
  // connection keeps its place in the round, as in Kafka.
  std::vector<Reply> take_replies();
  std::vector<LogWrite> take_log_writes();

  // ---- looking inside

  std::vector<GroupState> states() const;
  void add_to(Digest& digest) const;

 private:
};

}  // namespace fencepost::minibroker
