// Joining, syncing, heartbeats and leaving. The offsets of a member are in group_offsets.cc.
#include "client/group_member.h"

#include <set>

#include "client/sticky_assignor.h"

namespace fencepost::client {

namespace {

using protocol::ErrorCode;

constexpr const char* consumer_protocol_type = "consumer";

const char* name_of(Assignor assignor) {
  switch (assignor) {
    case Assignor::range:
      return "range";
    case Assignor::cooperative_sticky:
      return "cooperative-sticky";
  }
  return "";
}

// A join round lasts up to the rebalance timeout; its answer takes some time too.
constexpr Duration join_grace = std::chrono::seconds(5);
constexpr int leave_group_of_one_member = 2;

}  // namespace

GroupMember::GroupMember(ClusterClient& cluster, GroupMemberOptions options)
    : cluster_(&cluster), options_(std::move(options)) {}

GroupMember::GroupMember(ClusterClient& cluster, const GroupMember& other) : GroupMember(other) {
  cluster_ = &cluster;
}

GroupMetadata GroupMember::metadata(const MemberOverrides& overrides) const {
  GroupMetadata metadata;
  metadata.group_id = options_.group_id;
  metadata.generation = overrides.generation.value_or(generation_);
  metadata.member_id = overrides.member_id.value_or(member_id_);
  metadata.group_instance_id = options_.group_instance_id;
  return metadata;
}

void GroupMember::forget() {
  generation_ = unknown_generation;
  member_id_.clear();
  leader_id_.clear();
  members_.clear();
  assignment_.clear();
}

protocol::JoinGroupRequest GroupMember::join_request(const MemberOverrides& overrides) const {
  protocol::JoinGroupRequest request;
  request.group_id = options_.group_id;
  request.session_timeout_ms = static_cast<std::int32_t>(to_milliseconds(options_.session_timeout));
  request.rebalance_timeout_ms =
      static_cast<std::int32_t>(to_milliseconds(options_.rebalance_timeout));
  request.member_id = overrides.member_id.value_or(member_id_);
  request.group_instance_id = options_.group_instance_id;
  request.protocol_type = consumer_protocol_type;
  auto& protocol = request.protocols.emplace_back();
  protocol.name = name_of(options_.assignor);
  const bool shows_owned = options_.assignor == Assignor::cooperative_sticky;
  const std::int32_t generation = overrides.generation.value_or(generation_);
  protocol.metadata = shows_owned ? encode_subscription(options_.topics, owned_, generation)
                                  : encode_subscription(options_.topics);
  return request;
}

Task<protocol::JoinGroupResponse> GroupMember::join_group(MemberOverrides overrides) {
  CallOptions options = overrides.call;
  if (!options.timeout.has_value()) options.timeout = options_.rebalance_timeout + join_grace;
  protocol::JoinGroupRequest request = join_request(overrides);
  Result<protocol::JoinGroupResponse> response = co_await cluster_->call_coordinator(
      CoordinatorType::group, options_.group_id, request, options);
  if (response.ok() && response->error_code == ErrorCode::member_id_required) {
    member_id_ = response->member_id;
    request.member_id = response->member_id;
    options.fresh_lookup = false;
    response = co_await cluster_->call_coordinator(CoordinatorType::group, options_.group_id,
                                                   request, options);
  }
  if (!response || response->error_code != ErrorCode::none) co_return response;
  generation_ = response->generation_id;
  member_id_ = response->member_id;
  leader_id_ = response->leader;
  skips_assignment_ = response->skip_assignment;
  members_ = response->members;
  assignment_.clear();
  co_return response;
}

Task<std::vector<protocol::SyncGroupRequest::SyncGroupRequestAssignment>> GroupMember::assign() {
  std::vector<Subscriber> subscribers;
  std::set<std::string> topics;
  for (const auto& member : members_) {
    Result<Subscriber> subscriber = decode_subscription(member.metadata);
    if (!subscriber) co_return subscriber.error();
    topics.insert(subscriber->topics.begin(), subscriber->topics.end());
    subscriber->member_id = member.member_id;
    subscriber->group_instance_id = member.group_instance_id;
    subscribers.push_back(std::move(subscriber).value());
  }
  std::map<std::string, int> partition_counts;
  for (const std::string& topic : topics) {
    Result<int> count = co_await cluster_->partition_count(topic);
    if (!count) co_return count.error();
    partition_counts[topic] = count.value();
  }
  std::vector<protocol::SyncGroupRequest::SyncGroupRequestAssignment> assignments;
  const auto assigned = options_.assignor == Assignor::range
                            ? assign_ranges(std::move(subscribers), partition_counts)
                            : assign_cooperatively(std::move(subscribers), partition_counts);
  for (const auto& [member_id, partitions] : assigned) {
    auto& assignment = assignments.emplace_back();
    assignment.member_id = member_id;
    assignment.assignment = encode_assignment(partitions);
  }
  co_return assignments;
}

Task<protocol::SyncGroupResponse> GroupMember::sync_group(MemberOverrides overrides) {
  const GroupMetadata shown = metadata(overrides);
  protocol::SyncGroupRequest request;
  request.group_id = shown.group_id;
  request.generation_id = shown.generation;
  request.member_id = shown.member_id;
  request.group_instance_id = shown.group_instance_id;
  request.protocol_type = consumer_protocol_type;
  request.protocol_name = name_of(options_.assignor);
  if (is_leader() && !skips_assignment_) {
    Result<std::vector<protocol::SyncGroupRequest::SyncGroupRequestAssignment>> assigned =
        co_await assign();
    if (!assigned) co_return assigned.error();
    request.assignments = std::move(assigned).value();
  }
  CallOptions options = overrides.call;
  if (!options.timeout.has_value()) options.timeout = options_.rebalance_timeout + join_grace;
  Result<protocol::SyncGroupResponse> response = co_await cluster_->call_coordinator(
      CoordinatorType::group, options_.group_id, std::move(request), options);
  if (!response || response->error_code != ErrorCode::none) co_return response;
  Result<std::vector<TopicPartition>> partitions = decode_assignment(response->assignment);
  if (!partitions) co_return partitions.error();
  assignment_ = std::move(partitions).value();
  co_return response;
}

Task<protocol::HeartbeatResponse> GroupMember::heartbeat(MemberOverrides overrides) {
  const GroupMetadata shown = metadata(overrides);
  protocol::HeartbeatRequest request;
  request.group_id = shown.group_id;
  request.generation_id = shown.generation;
  request.member_id = shown.member_id;
  request.group_instance_id = shown.group_instance_id;
  co_return co_await cluster_->call_coordinator(CoordinatorType::group, options_.group_id,
                                                std::move(request), overrides.call);
}

Task<protocol::LeaveGroupResponse> GroupMember::leave_group(MemberOverrides overrides) {
  const GroupMetadata shown = metadata(overrides);
  Result<std::shared_ptr<Connection>> coordinator =
      co_await cluster_->coordinator_of(CoordinatorType::group, options_.group_id, overrides.call);
  if (!coordinator) co_return coordinator.error();
  Result<int> version = coordinator.value()->choose_version(protocol::ApiKey::leave_group,
                                                            overrides.call.version_max);
  if (!version) co_return version.error();
  protocol::LeaveGroupRequest request;
  request.group_id = shown.group_id;
  if (version.value() <= leave_group_of_one_member) {
    request.member_id = shown.member_id;
  } else {
    auto& member = request.members.emplace_back();
    member.member_id = shown.member_id;
    member.group_instance_id = shown.group_instance_id;
  }
  Result<protocol::LeaveGroupResponse> response = co_await coordinator.value()->call_exactly(
      std::move(request), version.value(), overrides.call);
  if (!response || response->error_code != ErrorCode::none) co_return response;
  const bool is_gone =
      response->members.empty() || response->members.front().error_code == ErrorCode::none;
  if (is_gone && !overrides.member_id.has_value()) forget();
  co_return response;
}

}  // namespace fencepost::client
