// A member of a classic consumer group, as single requests that remember generation and member id.
// Nothing heartbeats or rejoins by itself: a stale member is one that does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cluster_client.h"
#include "client/group_metadata.h"
#include "client/range_assignor.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/sync_group.h"

namespace fencepost::client {

// How the leader of a generation assigns, by the names of Kafka's assignors.
enum class Assignor {
  range,
  cooperative_sticky,  // members keep what they have; what moves is first given up (KIP-429)
};

struct GroupMemberOptions {
  std::string group_id;
  std::vector<std::string> topics;
  std::optional<std::string> group_instance_id = std::nullopt;
  Duration session_timeout = std::chrono::seconds(45);
  Duration rebalance_timeout = std::chrono::minutes(5);
  Assignor assignor = Assignor::range;
};

// What a call uses instead of what the member remembers.
struct MemberOverrides {
  std::optional<std::int32_t> generation = std::nullopt;
  std::optional<std::string> member_id = std::nullopt;
  CallOptions call = {};
};

// One partition of an OffsetFetch answer.
struct FetchedOffset {
  TopicPartition partition;
  protocol::ErrorCode error_code = protocol::ErrorCode::none;
  std::int64_t offset = -1;  // -1: none is committed
  std::int32_t leader_epoch = -1;
  std::string metadata;
};

// The cluster client must outlive the member and its coroutines.
class GroupMember {
 public:
  GroupMember(ClusterClient& cluster, GroupMemberOptions options);
  // The same member of another client.
  GroupMember(ClusterClient& cluster, const GroupMember& other);

  // API 11. After MEMBER_ID_REQUIRED it is sent once more with the id that came (KIP-394). Waits
  // for the rebalance timeout and 5 s more. A success replaces generation and member id.
  Task<protocol::JoinGroupResponse> join_group(MemberOverrides overrides = {});
  // API 14. The leader of the generation assigns; that takes the partition counts, looked
  // up before. A success replaces the assignment.
  Task<protocol::SyncGroupResponse> sync_group(MemberOverrides overrides = {});
  // API 12.
  Task<protocol::HeartbeatResponse> heartbeat(MemberOverrides overrides = {});
  // API 13. After a success the member has no generation, member id and assignment.
  Task<protocol::LeaveGroupResponse> leave_group(MemberOverrides overrides = {});
  // API 8.
  Task<protocol::OffsetCommitResponse> offset_commit(std::vector<CommittedOffset> offsets,
                                                     MemberOverrides overrides = {});
  // API 9. `require_stable`: UNSTABLE_OFFSET_COMMIT while a transaction holds an offset (KIP-447).
  Task<protocol::OffsetFetchResponse> offset_fetch(std::vector<TopicPartition> partitions,
                                                   bool require_stable,
                                                   MemberOverrides overrides = {});

  // What the member would show with a commit now.
  GroupMetadata metadata(const MemberOverrides& overrides = {}) const;
  const std::string& member_id() const { return member_id_; }
  std::int32_t generation() const { return generation_; }
  const std::vector<TopicPartition>& assignment() const { return assignment_; }
  bool is_leader() const { return !member_id_.empty() && member_id_ == leader_id_; }
  // What the member says that it owns when it joins; only a cooperative assignor looks at it.
  void set_owned(std::vector<TopicPartition> owned) { owned_ = std::move(owned); }
  // As if it had never joined.
  void forget();

 private:
  protocol::JoinGroupRequest join_request(const MemberOverrides& overrides) const;
  Task<std::vector<protocol::SyncGroupRequest::SyncGroupRequestAssignment>> assign();

  ClusterClient* cluster_;
  GroupMemberOptions options_;
  std::int32_t generation_ = unknown_generation;
  std::string member_id_;
  std::string leader_id_;
  bool skips_assignment_ = false;
  std::vector<protocol::JoinGroupResponse::JoinGroupResponseMember> members_;  // of the leader
  std::vector<TopicPartition> assignment_;
  std::vector<TopicPartition> owned_;
};

// The partitions of an answer, whichever version it came in, in wire order.
std::vector<FetchedOffset> fetched_offsets(const protocol::OffsetFetchResponse& response);

}  // namespace fencepost::client
