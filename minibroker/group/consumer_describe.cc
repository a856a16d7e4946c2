// ConsumerGroupDescribe: the group as its log has it.
#include "minibroker/group/coordinator.h"
#include "minibroker/security/acl.h"

namespace fencepost::minibroker {

using protocol::ConsumerGroupDescribeRequest;
using protocol::ConsumerGroupDescribeResponse;
using protocol::ErrorCode;

namespace {

constexpr std::int8_t classic_member_type = 0;
constexpr std::int8_t consumer_member_type = 1;

void add_partitions(ConsumerGroupDescribeResponse::Assignment& to, const Uuid& topic_id,
                    const std::string& name, std::int32_t partition) {
  for (auto& it : to.topic_partitions)
    if (it.topic_id == topic_id) return it.partitions.push_back(partition);
  to.topic_partitions.push_back({topic_id, name, {partition}, {}});
}

ConsumerGroupDescribeResponse::Member described_member(const ConsumerGroup& group,
                                                       const ConsumerMember& member,
                                                       const TopicDirectory& topics) {
  ConsumerGroupDescribeResponse::Member described;
  described.member_id = member.member_id;
  described.instance_id = member.instance_id;
  described.rack_id = member.rack_id;
  described.member_epoch = member.member_epoch;
  described.client_id = member.client_id;
  described.client_host = member.client_host;
  described.subscribed_topic_names = {member.subscribed_topic_names.begin(),
                                      member.subscribed_topic_names.end()};
  described.subscribed_topic_regex = member.subscribed_topic_regex;
  described.member_type = member.classic.has_value() ? classic_member_type : consumer_member_type;
  for (const EpochAssignment* held : {&member.assigned, &member.pending_revocation})
    for (const auto& [topic_id, partitions] : *held)
      if (const std::string* name = topics.name_of(topic_id))
        for (const auto& [partition, epoch] : partitions)
          add_partitions(described.assignment, topic_id, *name, partition);
  const auto target = group.targets.find(member.member_id);
  if (target != group.targets.end())
    for (const auto& [topic_id, partitions] : target->second)
      if (const std::string* name = topics.name_of(topic_id))
        for (std::int32_t partition : partitions)
          add_partitions(described.target_assignment, topic_id, *name, partition);
  return described;
}

}  // namespace

const std::optional<ConsumerGroup>* GroupCoordinator::committed_consumer_group(
    const std::string& group_id) const {
  for (const auto& [id, pending] : pending_writes_)
    if (const auto* change = std::get_if<ConsumerGroupChanged>(&pending.reason);
        change != nullptr && pending.group_id == group_id)
      return change->before.existed ? &change->before.consumer : nullptr;
  const Group* group = find_group(group_id);
  return group == nullptr ? nullptr : &group->consumer;
}

void GroupCoordinator::consumer_group_describe(const RequestContext& context,
                                               const ConsumerGroupDescribeRequest& request,
                                               ConsumerGroupDescribeResponse refused) {
  for (const std::string& group_id : request.group_ids) {
    auto& described = refused.groups.emplace_back();
    described.group_id = group_id;
    described.error_code = group_id.empty() ? ErrorCode::invalid_group_id : availability(group_id);
    if (described.error_code != ErrorCode::none) continue;
    const std::optional<ConsumerGroup>* known = committed_consumer_group(group_id);
    if (known == nullptr || !known->has_value()) {
      described.error_code = ErrorCode::group_id_not_found;
      described.error_message =
          "Group " + group_id + (known == nullptr ? " not found." : " is not a consumer group.");
      continue;
    }
    const ConsumerGroup& group = **known;
    described.group_state = to_string(group.state());
    described.group_epoch = group.group_epoch;
    described.assignment_epoch = group.assignment_epoch;
    described.assignor_name =
        group.preferred_assignor(nullptr, nullptr).value_or(settings_.consumer.assignors.front());
    for (const ConsumerMember& it : group.members())
      described.members.push_back(described_member(group, it, topics_));
    if (request.include_authorized_operations)
      described.authorized_operations = security::all_operations(security::ResourceType::group);
  }
  reply(context, refused);
}

}  // namespace fencepost::minibroker
