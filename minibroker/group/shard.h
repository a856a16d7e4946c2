// What the group coordinator holds for one partition of __consumer_offsets, and what is to be done
// when a write into it has its outcome.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "minibroker/effects.h"
#include "minibroker/group/classic_group.h"
#include "minibroker/group/consumer_group.h"
#include "minibroker/group/offsets.h"
#include "minibroker/group/topic_directory.h"
#include "minibroker/security/identity.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/consumer_group_heartbeat.h"
#include "protocol/messages/delete_groups.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_delete.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/sync_group.h"
#include "protocol/messages/txn_offset_commit.h"

namespace fencepost::minibroker {

// When a member of a consumer group is thrown out unless it is heard of.
struct MemberTimers {
  std::array<std::optional<Instant>, 4> deadlines = {};  // by MemberTimer
  std::int32_t rebalance_epoch = 0;  // the rebalance timer counts only in this epoch
};

// A search for the topics that patterns match, which takes place after its request.
struct RegexSearch {
  std::set<std::string> regexes;
  Instant due;
  // Of the member whose heartbeat asked for it: topics that it may not describe are left out.
  std::shared_ptr<const security::Identity> identity = nullptr;
};

// What a consumer group has besides its records.
struct ConsumerRuntime {
  std::map<std::string, MemberTimers> timers = {};  // by member id
  bool has_fresh_metadata = false;                  // no topic has changed since it looked
  std::optional<RegexSearch> regexes_to_resolve = {};
};

// A group of either protocol: while `consumer` is there, `classic` has no meaning.
struct Group {
  ClassicGroup classic;
  GroupOffsets offsets = {};
  std::optional<ConsumerGroup> consumer = {};
  ConsumerRuntime runtime = {};
};

// Empty, as both protocols call it; a group that is being deleted is not.
inline bool is_without_members(const Group& group) {
  return group.consumer.has_value() ? group.consumer->is_empty()
                                    : group.classic.is_in(ClassicGroupState::empty);
}

struct Shard {
  bool is_loading = false;
  std::map<std::string, Group> groups;
  std::optional<Instant> next_expiration_check;  // nothing while there is no group
};

// ---- why a record was written: what its outcome decides

// A group that JoinGroup has created.
struct GroupCreated {};
// A generation without members.
struct EmptyGenerationWritten {};
// The leader's assignment.
struct AssignmentWritten {
  std::int32_t generation = 0;
  std::map<std::string, SharedBytes> assignments;
};
// A static member that came back under a new member id without a rebalance.
struct StaticMemberRenamed {
  RequestContext request;
  ClassicMember before;
  std::string new_member_id;
  std::optional<std::string> leader_before;
};
struct OffsetsCommitted {
  RequestContext request;
  protocol::OffsetCommitResponse answer;
  std::vector<NewOffset> offsets;
};
struct OffsetsStaged {
  RequestContext request;
  protocol::TxnOffsetCommitResponse answer;
  std::int64_t producer_id = protocol::no_producer_id;
  std::vector<NewOffset> offsets;
};
struct OffsetsDeleted {
  RequestContext request;
  protocol::OffsetDeleteResponse answer;
  std::vector<TopicPartition> partitions;
};
// One partition's part of a DeleteGroups request.
struct GroupsDeleted {
  std::uint64_t deletion_id = 0;
  std::vector<std::string> group_ids;
};
// What a sweep found expired, with the records it saw.
struct OffsetsExpired {
  std::map<std::string, std::map<TopicPartition, StoredOffset>> offsets;  // by group
  std::vector<std::string> group_ids;
};

// An answer of a consumer group; without a request it is nobody's (a timer did it).
struct ConsumerAnswer {
  std::optional<RequestContext> request = {};
  std::variant<protocol::ConsumerGroupHeartbeatResponse, protocol::JoinGroupResponse,
               protocol::SyncGroupResponse, protocol::LeaveGroupResponse>
      response = {};
};
// A group without its offsets, as it was.
struct GroupSnapshot {
  bool existed = false;
  ClassicGroup classic = ClassicGroup("", Instant{});
  std::optional<ConsumerGroup> consumer = {};
  ConsumerRuntime runtime = {};
};
// Changes of a consumer group, or from one protocol to the other; they are in force already.
struct ConsumerGroupChanged {
  ConsumerAnswer answer;
  GroupSnapshot before;
};

struct PendingWrite {
  std::int32_t partition = 0;
  std::string group_id;  // empty when it is about several
  std::variant<GroupCreated, EmptyGenerationWritten, AssignmentWritten, StaticMemberRenamed,
               OffsetsCommitted, OffsetsStaged, OffsetsDeleted, GroupsDeleted, OffsetsExpired,
               ConsumerGroupChanged>
      reason;
  std::vector<ConsumerAnswer> held_answers = {};  // they tell of what this write brings
};

// A DeleteGroups request whose tombstones are on their way.
struct PendingDeletion {
  RequestContext request;
  protocol::DeleteGroupsResponse answer;
  std::size_t writes_left = 0;
};

// An OffsetFetch with requireStable that waits for the writes that were on their way.
struct WaitingFetch {
  RequestContext request;
  protocol::OffsetFetchRequest body;
  protocol::OffsetFetchResponse refused;
  TopicIds topic_ids;
  std::set<std::uint64_t> write_ids;
};

}  // namespace fencepost::minibroker
