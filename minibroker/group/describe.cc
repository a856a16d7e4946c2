// DescribeGroups and ListGroups.
#include <algorithm>

#include "minibroker/group/coordinator.h"
#include "minibroker/security/acl.h"

namespace fencepost::minibroker {

using protocol::DescribeGroupsResponse;
using protocol::ErrorCode;
using protocol::ListGroupsRequest;
using protocol::ListGroupsResponse;

namespace {

constexpr int first_version_with_group_id_not_found = 6;  // KIP-1043
constexpr const char* classic_group_type = "classic";
constexpr const char* consumer_group_type = "consumer";
constexpr const char* consumer_protocol_type = "consumer";

std::string lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

// A filter that names nothing lets everything pass.
bool passes(const std::vector<std::string>& filter, std::string_view value) {
  return filter.empty() || std::any_of(filter.begin(), filter.end(), [&](const auto& it) {
           return lower_case(it) == lower_case(std::string(value));
         });
}

}  // namespace

void GroupCoordinator::describe_groups(const RequestContext& context,
                                       const protocol::DescribeGroupsRequest& request,
                                       DescribeGroupsResponse refused) {
  for (const std::string& group_id : request.groups)
    refused.groups.push_back(describe(group_id, context.api_version));
  if (request.include_authorized_operations)
    for (auto& group : refused.groups)
      if (group.error_code == ErrorCode::none)
        group.authorized_operations = security::all_operations(security::ResourceType::group);
  reply(context, refused);
}

DescribeGroupsResponse::DescribedGroup GroupCoordinator::describe(const std::string& group_id,
                                                                  int api_version) const {
  DescribeGroupsResponse::DescribedGroup described;
  described.group_id = group_id;
  described.error_code = availability(group_id);
  if (described.error_code != ErrorCode::none) return described;
  const Group* group = find_group(group_id);
  const bool is_consumer_group = group != nullptr && group->consumer.has_value();
  if (group == nullptr || is_consumer_group || group->classic.is_in(ClassicGroupState::dead)) {
    described.group_state = to_string(ClassicGroupState::dead);
    if (api_version >= first_version_with_group_id_not_found) {
      described.error_code = ErrorCode::group_id_not_found;
      described.error_message =
          "Group " + group_id + (is_consumer_group ? " is not a classic group." : " not found.");
    }
    return described;
  }
  const ClassicGroup& classic = group->classic;
  const bool is_stable = classic.is_in(ClassicGroupState::stable);
  const std::string protocol_name = classic.protocol_name().value_or("");
  described.group_state = to_string(classic.state());
  described.protocol_type = classic.protocol_type().value_or("");
  if (is_stable) described.protocol_data = protocol_name;
  for (const ClassicMember& it : classic.members()) {
    DescribeGroupsResponse::DescribedGroupMember& member = described.members.emplace_back();
    member.member_id = it.member_id;
    member.group_instance_id = it.group_instance_id;
    member.client_id = it.client_id;
    member.client_host = it.client_host;
    if (is_stable) member.member_metadata = it.metadata_of(protocol_name);
    // The new coordinator shows the assignment of the generation before until there is another.
    if (is_stable || era_.has_new_group_coordinator) member.member_assignment = it.assignment;
  }
  return described;
}

void GroupCoordinator::list_groups(const RequestContext& context,
                                   const ListGroupsRequest& request) {
  ListGroupsResponse response;
  std::map<std::string, ListGroupsResponse::ListedGroup> by_id;
  for (const auto& [partition, shard] : shards_) {
    if (shard.is_loading) response.error_code = ErrorCode::coordinator_load_in_progress;
    for (const auto& [group_id, group] : shard.groups) {
      const ClassicGroup& classic = group.classic;
      const bool is_consumer = group.consumer.has_value();
      if (!is_consumer && classic.is_in(ClassicGroupState::dead)) continue;
      const std::string_view state =
          is_consumer ? to_string(group.consumer->state()) : to_string(classic.state());
      const char* type = is_consumer ? consumer_group_type : classic_group_type;
      if (!passes(request.states_filter, state) || !passes(request.types_filter, type)) continue;
      ListGroupsResponse::ListedGroup& listed = by_id[group_id];
      listed.group_id = group_id;
      listed.protocol_type =
          is_consumer ? consumer_protocol_type : classic.protocol_type().value_or("");
      listed.group_state = state;
      listed.group_type = type;
    }
  }
  // The old coordinator lists what it has loaded, the new one lists nothing until all is loaded.
  const bool is_listed = response.error_code == ErrorCode::none || !era_.has_new_group_coordinator;
  if (is_listed)
    for (auto& [group_id, listed] : by_id) response.groups.push_back(std::move(listed));
  reply(context, response);
}

}  // namespace fencepost::minibroker
