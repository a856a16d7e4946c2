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
//   log_errors.*       what a failed log write means to a client
//   describe.cc        DescribeGroups, ListGroups               delete.cc   DeleteGroups
//   group_log.*        the records of __consumer_offsets        coordinator.cc   load, unload, log
//   expiration.cc      timers of members, rounds and offsets    writes, markers, inspection
//   replay.*           the log read back
//
//   and of the consumer protocol (KIP-848):
//   consumer_group.*   a group as a value        consumer_records.*  the changes it can undergo
//   consumer_step.*    what a request wants of a group, worked out and not yet done
//   reconciliation.*   a member on its way to its target
//   target_assignment.*, assignors/              who should hold what
//   topic_patterns.*   subscriptions by pattern  metadata_hash.*     whether topics have changed
//   consumer_heartbeat.cc, consumer_describe.cc, consumer_classic.cc   the requests
//   consumer_members.cc   changes applied, written, taken back; timers
//   conversion.*       from one protocol to the other, and back
//   offset_checks.*    who may commit and fetch offsets
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/effects.h"
#include "minibroker/era.h"
#include "minibroker/events.h"
#include "minibroker/group/consumer_step.h"
#include "minibroker/group/settings.h"
#include "minibroker/group/shard.h"
#include "minibroker/security/authorizer.h"
#include "protocol/base/digest.h"
#include "protocol/base/random.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/consumer_group_describe.h"
#include "protocol/messages/consumer_group_heartbeat.h"
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

// What a heartbeat that joins has to do first: a group of the other protocol is converted.
struct GroupPreparation {
  std::vector<protocol::NewRecord> records;  // come before the changes
  std::vector<ConsumerChange> changes;
  std::vector<TimerChange> timers;
};

// How a consumer group becomes a classic one.
struct Downgrade {
  std::vector<ConsumerMember> leaving;
  const ConsumerMember* joining = nullptr;  // in place of the static member of its instance
  bool rebalances = true;
};

constexpr int first_leave_version_with_members = 3;  // of LeaveGroup (KIP-345)

class GroupCoordinator {
 public:
  GroupCoordinator(GroupSettings settings, Era era, std::uint64_t seed);

  // ---- leadership of partitions of __consumer_offsets

  // The broker has become leader and reads the log: requests are told to come back. If it has led
  // the partition before, unload comes first.
  void begin_loading(std::int32_t partition);
  // Takes over with everything in the log up to the high watermark, oldest first, markers included.
  // Members get a fresh session timeout.
  void load(std::int32_t partition, const std::vector<ReplayedBatch>& log, Instant now);
  // The broker leads no longer: what waits is answered NOT_COORDINATOR and everything is forgotten.
  void unload(std::int32_t partition, Instant now);

  // ---- requests; each is answered once, through take_replies
  //
  // The request layer has checked rights and topics before. It hands over only the partitions that
  // passed, each topic with its name and id whichever the client gave (Kafka 4 writes the id into
  // the offset's record in every version), and in `refused` an answer that holds the others; the
  // answer here is added to it. When nothing passed it answers by itself.

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
  void consumer_group_heartbeat(const RequestContext&,
                                const protocol::ConsumerGroupHeartbeatRequest&, Instant now);
  void consumer_group_describe(const RequestContext&, const protocol::ConsumerGroupDescribeRequest&,
                               protocol::ConsumerGroupDescribeResponse refused);
  void describe_groups(const RequestContext&, const protocol::DescribeGroupsRequest&,
                       protocol::DescribeGroupsResponse refused);
  void list_groups(const RequestContext&, const protocol::ListGroupsRequest&);
  void delete_groups(const RequestContext&, const protocol::DeleteGroupsRequest&,
                     protocol::DeleteGroupsResponse refused, Instant now);

  // What TxnOffsetCommit answers before any verification; none when it may go on. The old
  // coordinator looks at its own availability before it verifies, the new one afterwards.
  protocol::ErrorCode before_verification(const std::string& group_id, Instant now);

  void set_authorizer(std::shared_ptr<const security::Authorizer> authorizer) {
    authorizer_ = std::move(authorizer);
  }
  // The cluster's topics have changed: `version` rises with each change.
  void update_topics(const std::map<std::string, TopicFacts>& topics, std::int64_t version);

  // ---- the log

  // A LogWrite is replicated, or cannot be. Outcomes of what was unloaded meanwhile are ignored.
  void on_log_write(const LogWriteOutcome& outcome, Instant now);
  // A marker of that producer is replicated in the partition: its offsets are decided. Comes after
  // the outcomes of the writes that stand before it in the log.
  void on_marker(std::int32_t partition, std::int64_t producer_id, bool is_commit);

  // Timers that are set go on; what comes next follows the new settings.
  void change_settings(GroupSettings settings, Era era) {
    settings_ = std::move(settings);
    era_ = std::move(era);
  }

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
  // ---- what several requests share (coordinator.cc)
  protocol::ErrorCode availability(const std::string& group_id) const;
  std::int32_t partition_of(const std::string& group_id) const;
  Group* find_group(const std::string& group_id);
  const Group* find_group(const std::string& group_id) const;
  // The group, created as a simple one if it is unknown. Its partition must be loaded.
  Group& get_or_create_group(const std::string& group_id, Instant now);
  // Nothing else refers to the group: no member, no offset, no write on its way.
  bool is_unused(const Group& group) const;
  void forget_if_unused(const std::string& group_id);
  bool has_write_in_flight(const std::string& group_id) const;
  template <class Response>
  void reply(const RequestContext& request, const Response& response) {
    replies_.push_back(make_reply(request, response));
  }
  // Starts a write into the log; what its outcome means is in `pending`. Returns its id.
  std::uint64_t write(PendingWrite pending, std::vector<protocol::NewRecord> records);

  // ---- outcomes of writes, each in the file of its request
  using Outcome = LogWriteOutcome;
  void finish(const PendingWrite&, GroupCreated&, const Outcome&, Instant now);
  void finish(const PendingWrite&, EmptyGenerationWritten&, const Outcome&, Instant now);
  void finish(const PendingWrite&, AssignmentWritten&, const Outcome&, Instant now);
  void finish(const PendingWrite&, StaticMemberRenamed&, const Outcome&, Instant now);
  void finish(const PendingWrite&, OffsetsCommitted&, const Outcome&, Instant now);
  void finish(const PendingWrite&, OffsetsStaged&, const Outcome&, Instant now);
  void finish(const PendingWrite&, OffsetsDeleted&, const Outcome&, Instant now);
  void finish(const PendingWrite&, GroupsDeleted&, const Outcome&, Instant now);
  void finish(const PendingWrite&, OffsetsExpired&, const Outcome&, Instant now);
  void finish(const PendingWrite&, ConsumerGroupChanged&, const Outcome&, Instant now);
  // Carries `outcome` to the write's reason and wakes the fetches that waited for it.
  void finish_write(std::uint64_t id, PendingWrite pending, const Outcome& outcome, Instant now);

  // ---- the join round (rebalance.cc)
  void prepare_rebalance(Group& group, Instant now);
  void prepare_rebalance_or_complete_join(Group& group, Instant now);
  void maybe_complete_join(Group& group, Instant now);
  void complete_join(Group& group, Instant now);
  void end_initial_delay(Group& group, Instant now);
  void remove_member(Group& group, const std::string& member_id);
  void reset_session(ClassicMember& member, Instant now);

  // ---- JoinGroup (join.cc)
  protocol::ErrorCode check_join(const protocol::JoinGroupRequest&) const;
  bool accepts(const ClassicGroup& group, const std::string& member_id) const;
  void join_new_member(Group&, const RequestContext&, const protocol::JoinGroupRequest&,
                       Instant now);
  void join_known_member(Group&, const RequestContext&, const protocol::JoinGroupRequest&,
                         Instant now);
  void rejoin_member(Group&, ClassicMember&, const RequestContext&,
                     const protocol::JoinGroupRequest&, Instant now);
  void add_member(Group&, ClassicMember member, const std::string& protocol_type, Instant now);
  void replace_static_member(Group&, ClassicMember& member, ClassicMember replacement, Instant now);
  std::string new_member_id(const std::string& prefix);
  void refuse_join(const RequestContext&, const std::string& member_id, protocol::ErrorCode);
  void answer_join(const ClassicGroup&, const RequestContext&, const std::string& member_id);

  // ---- SyncGroup (sync.cc)
  protocol::ErrorCode check_sync(const Group*, const protocol::SyncGroupRequest&) const;
  void write_assignment(Group&, const protocol::SyncGroupRequest&, Instant now);
  void answer_sync(const ClassicGroup&, const RequestContext&, protocol::ErrorCode,
                   const SharedBytes& assignment);
  void answer_waiting_syncs(ClassicGroup&, protocol::ErrorCode, Instant now);
  void member_has_synced(ClassicGroup&, const std::string& member_id);

  // ---- LeaveGroup, Heartbeat (leave.cc, heartbeat.cc)
  protocol::ErrorCode leave_member(Group&, const protocol::LeaveGroupRequest::MemberIdentity&);
  protocol::ErrorCode beat(Group*, const protocol::HeartbeatRequest&, Instant now);

  // ---- ConsumerGroupHeartbeat (consumer_heartbeat.cc)
  std::optional<Refusal> prepare_consumer_group(const std::string& group_id, bool may_join,
                                                ConsumerGroup& group, GroupPreparation&,
                                                Instant now);
  protocol::ConsumerGroupHeartbeatResponse beat_consumer_member(
      ConsumerStep&, const RequestContext&, const protocol::ConsumerGroupHeartbeatRequest&);
  void leave_consumer_group(const RequestContext&, const protocol::ConsumerGroupHeartbeatRequest&,
                            Instant now);
  void refuse_heartbeat(const RequestContext&, const Refusal&);

  // ---- changes of consumer groups (consumer_members.cc)
  ConsumerStep begin_step(const ConsumerGroup&, Instant now) const;
  void finish_step(const std::string& group_id, ConsumerStep&,
                   std::vector<protocol::NewRecord> records_before, ConsumerAnswer, Instant now);
  GroupSnapshot snapshot(const std::string& group_id) const;
  void write_step(const std::string& group_id, GroupSnapshot before,
                  std::vector<protocol::NewRecord> records, ConsumerAnswer);
  void answer_after_writes(std::int32_t partition, const ConsumerAnswer&);
  void send_answer(const ConsumerAnswer&);
  void fence_members(const std::string& group_id, const std::vector<ConsumerMember>&,
                     ConsumerAnswer, Instant now);
  void convert_to_classic(Group&, const Downgrade&, std::vector<ConsumerChange>, ConsumerAnswer,
                          Instant now);
  void set_timer(Group&, const TimerChange&);
  void resume_timers(Group&, Instant now);
  void expire_consumer_group(Group&, Instant now);
  std::map<std::string, ResolvedRegex> search_topics(const RegexSearch& search, Instant now) const;
  bool is_resolving(const std::string& group_id) const;
  bool has_fresh_metadata(const std::string& group_id) const;
  std::string new_uuid();
  // Null: the log knows no group of that id.
  const std::optional<ConsumerGroup>* committed_consumer_group(const std::string& group_id) const;

  // ---- classic members of consumer groups (consumer_classic.cc)
  void join_consumer_group(Group&, const RequestContext&, const protocol::JoinGroupRequest&,
                           Instant now);
  void sync_consumer_group(Group&, const RequestContext&, const protocol::SyncGroupRequest&,
                           Instant now);
  protocol::ErrorCode beat_classic_member(Group&, const protocol::HeartbeatRequest&, Instant now);
  void end_empty_consumer_group(Group&, Instant now);
  void start_join_timer(Group&, const ConsumerMember&, Instant now);
  void leave_consumer_group_as_classic(
      Group&, const RequestContext&,
      const std::vector<protocol::LeaveGroupRequest::MemberIdentity>&, Instant now);
  void answer_waiting_members(ClassicGroup&, protocol::ErrorCode);

  // ---- offsets
  protocol::ErrorCode check_offset_commit(const protocol::OffsetCommitRequest&, int api_version,
                                          Instant now);
  protocol::ErrorCode check_txn_offset_commit(const protocol::TxnOffsetCommitRequest&,
                                              int api_version, Instant now);
  protocol::ErrorCode check_consumer_commit(const ConsumerGroup&,
                                            const protocol::OffsetCommitRequest&,
                                            int api_version) const;
  protocol::ErrorCode check_consumer_commit(const ConsumerGroup&,
                                            const protocol::TxnOffsetCommitRequest&,
                                            int api_version) const;
  bool is_metadata_too_long(const std::string& metadata) const;
  int offset_value_version() const;
  protocol::OffsetFetchResponse::OffsetFetchResponseGroup fetch_group(
      const protocol::OffsetFetchRequest::OffsetFetchRequestGroup&, bool require_stable,
      const TopicIds* topic_ids) const;
  bool is_unstable(const std::string& group_id, const Group&, const TopicPartition&) const;
  void answer_fetch(WaitingFetch fetch);
  protocol::DescribeGroupsResponse::DescribedGroup describe(const std::string& group_id,
                                                            int api_version) const;
  void answer_deletion(std::uint64_t deletion_id);

  // ---- time (expiration.cc)
  void expire(Group& group, Instant now);
  void expire_members(Group& group, Instant now);
  void expire_sync(Group& group, Instant now);
  void expire_offsets(std::int32_t partition, Shard& shard, Instant now);
  bool is_expired(const Group& group, const std::string& topic, const StoredOffset& offset,
                  Instant now) const;

  GroupSettings settings_;
  Era era_;
  Random random_;
  TopicDirectory topics_;
  std::shared_ptr<const security::Authorizer> authorizer_ =
      std::make_shared<const security::Authorizer>();
  std::map<std::int32_t, Shard> shards_;  // by partition of __consumer_offsets
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, PendingWrite> pending_writes_;
  std::map<std::uint64_t, PendingDeletion> pending_deletions_;
  std::vector<WaitingFetch> waiting_fetches_;
  std::vector<Reply> replies_;
  std::vector<LogWrite> log_writes_;
};

}  // namespace fencepost::minibroker
