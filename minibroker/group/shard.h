// What the group coordinator holds for one partition of __consumer_offsets, and what is to be done
// when a write into it has its outcome.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "minibroker/effects.h"
#include "minibroker/group/classic_group.h"
#include "minibroker/group/offsets.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/delete_groups.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_delete.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/txn_offset_commit.h"

namespace fencepost::minibroker {

// Topics by name, with their ids.
using TopicIds = std::map<std::string, Uuid>;

struct Group {
  ClassicGroup classic;
  GroupOffsets offsets;
};

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

struct PendingWrite {
  std::int32_t partition = 0;
  std::string group_id;  // empty when it is about several
  std::variant<GroupCreated, EmptyGenerationWritten, AssignmentWritten, StaticMemberRenamed,
               OffsetsCommitted, OffsetsStaged, OffsetsDeleted, GroupsDeleted, OffsetsExpired>
      reason;
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
