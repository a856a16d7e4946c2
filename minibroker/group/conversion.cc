#include "minibroker/group/conversion.h"

#include <algorithm>

#include "minibroker/group/metadata_hash.h"
#include "protocol/codec.h"
#include "protocol/reader.h"
#include "protocol/writer.h"

namespace fencepost::minibroker {

using protocol::ConsumerProtocolAssignment;
using protocol::ConsumerProtocolSubscription;
using protocol::ErrorCode;

namespace {

// Behind its version; newer ones only add fields at the end.
template <class Message>
std::optional<Message> read_embedded(const SharedBytes& bytes) {
  protocol::Reader reader(bytes);
  const int version = reader.int16();
  if (reader.failed() || version < 0) return std::nullopt;
  Message message;
  const int known = std::min(version, static_cast<int>(Message::info.valid_versions.last));
  if (!protocol::Codec<Message>::decode(reader, known, message)) return std::nullopt;
  return message;
}

std::optional<ConsumerMember> upgraded_member(const ClassicGroup& group, const ClassicMember& old,
                                              std::string& problem) {
  const auto subscription =
      embedded_subscription(old.metadata_of(group.protocol_name().value_or("")));
  if (!subscription.has_value()) {
    problem = "Cannot upgrade classic group " + group.group_id() +
              " to consumer group because the embedded consumer protocol is malformed.";
    return std::nullopt;
  }
  ConsumerMember member{old.member_id};
  member.instance_id = old.group_instance_id;
  member.rack_id = subscription->rack_id;
  if (member.rack_id == "") member.rack_id.reset();
  member.client_id = old.client_id;
  member.client_host = old.client_host;
  member.subscribed_topic_names = {subscription->topics.begin(), subscription->topics.end()};
  member.rebalance_timeout_ms = static_cast<std::int32_t>(to_milliseconds(old.rebalance_timeout));
  ClassicMemberMetadata& classic = member.classic.emplace();
  classic.session_timeout_ms = static_cast<std::int32_t>(to_milliseconds(old.session_timeout));
  for (const ClassicProtocol& it : old.protocols)
    classic.supported_protocols.push_back({it.name, it.metadata, {}});
  member.member_epoch = group.generation();
  member.previous_member_epoch = group.generation();
  return member;
}

bool read_assignment(const ClassicMember& old, const TopicDirectory& topics, std::int32_t epoch,
                     ConsumerMember& member, const std::string& group_id, std::string& problem) {
  if (old.assignment.empty()) return true;
  const auto assignment = read_embedded<ConsumerProtocolAssignment>(old.assignment);
  if (!assignment.has_value()) {
    problem = "Cannot upgrade classic group " + group_id +
              " to consumer group because the embedded consumer protocol is malformed.";
    return false;
  }
  if (assignment->user_data.has_value() && !assignment->user_data->empty()) {
    problem = "Cannot upgrade classic group " + group_id +
              " to consumer group because an unsupported custom assignor is in use. Please refer "
              "to the documentation or switch to a default assignor before re-attempting the "
              "upgrade.";
    return false;
  }
  for (const auto& topic : assignment->assigned_partitions)
    if (const TopicFacts* facts = topics.find(topic.topic))
      for (std::int32_t partition : topic.partitions) member.assigned[facts->id][partition] = epoch;
  return true;
}

bool is_enabled(MigrationPolicy policy, MigrationPolicy direction) {
  return policy == MigrationPolicy::bidirectional || policy == direction;
}

bool is_among(const std::vector<ConsumerMember>& members, const ConsumerMember& member) {
  return std::any_of(members.begin(), members.end(),
                     [&](const auto& it) { return it.member_id == member.member_id; });
}

ClassicMember downgraded_member(const ConsumerMember& member, Instant now) {
  CHECK(member.classic.has_value());
  ClassicMember classic;
  classic.member_id = member.member_id;
  classic.group_instance_id = member.instance_id;
  classic.client_id = member.client_id;
  classic.client_host = member.client_host;
  classic.rebalance_timeout = milliseconds(member.rebalance_timeout_ms);
  classic.session_timeout = milliseconds(member.classic->session_timeout_ms);
  for (const auto& it : member.classic->supported_protocols)
    classic.protocols.push_back({it.name, it.metadata});
  classic.session_deadline = now + classic.session_timeout;
  return classic;
}

}  // namespace

std::optional<Refusal> upgrade_problem(const ClassicGroup& group,
                                       const ConsumerGroupSettings& settings) {
  const auto refusal = [&](const std::string& why) {
    return Refusal{ErrorCode::group_id_not_found, "Cannot upgrade classic group " +
                                                      group.group_id() +
                                                      " to consumer group because " + why + "."};
  };
  if (!is_enabled(settings.migration_policy, MigrationPolicy::upgrade))
    return refusal("online upgrade is disabled");
  if (!group.speaks_consumer_protocol())
    return refusal("the group does not use the consumer embedded protocol");
  if (group.members().size() > static_cast<std::size_t>(settings.max_size))
    return refusal("the group size exceeds the consumer group maximum size");
  return std::nullopt;
}

std::optional<std::vector<ConsumerChange>> upgrade(const ClassicGroup& group,
                                                   const TopicDirectory& topics,
                                                   bool with_assignment_epochs,
                                                   std::string& problem) {
  const std::string& group_id = group.group_id();
  const std::int32_t epoch = group.generation();
  std::vector<ConsumerMember> members;
  ConsumerGroup upgraded(group_id);
  for (const ClassicMember& it : group.members()) {
    auto member = upgraded_member(group, it, problem);
    if (!member.has_value()) return std::nullopt;
    if (!read_assignment(it, topics, epoch, *member, group_id, problem)) return std::nullopt;
    upgraded.update_member(*member);
    members.push_back(std::move(*member));
  }
  std::vector<ConsumerChange> changes;
  for (const ConsumerMember& it : members) changes.push_back(subscription_change(group_id, it));
  changes.push_back(group_epoch_change(
      upgraded, epoch, metadata_hash(upgraded.subscribed_topics(nullptr, nullptr), topics)));
  for (const ConsumerMember& it : members)
    changes.push_back(target_change(group_id, it.member_id, without_epochs(it.assigned)));
  changes.push_back(target_epoch_change(group_id, epoch, 0));
  for (const ConsumerMember& it : members)
    changes.push_back(current_assignment_change(group_id, it, with_assignment_epochs));
  return changes;
}

bool can_downgrade_without(const ConsumerGroup& group, const std::vector<ConsumerMember>& leaving,
                           const ConsumerGroupSettings& settings, int classic_max_size) {
  const auto leaving_classic = static_cast<std::size_t>(
      std::count_if(leaving.begin(), leaving.end(),
                    [](const ConsumerMember& it) { return it.classic.has_value(); }));
  const std::size_t left = group.members().size() - leaving.size();
  return group.classic_member_count() - leaving_classic == left && left > 0 &&
         is_enabled(settings.migration_policy, MigrationPolicy::downgrade) &&
         left <= static_cast<std::size_t>(classic_max_size);
}

bool can_downgrade_with_replaced(const ConsumerGroup& group, const ConsumerMember& replaced,
                                 const ConsumerGroupSettings& settings, int classic_max_size) {
  return group.classic_member_count() + 1 == group.members().size() &&
         !replaced.classic.has_value() &&
         is_enabled(settings.migration_policy, MigrationPolicy::downgrade) &&
         group.members().size() <= static_cast<std::size_t>(classic_max_size);
}

ClassicGroup downgrade(const ConsumerGroup& group, const std::vector<ConsumerMember>& leaving,
                       const ConsumerMember* joining, const TopicDirectory& topics, Instant now) {
  std::vector<ClassicMember> members;
  for (const ConsumerMember& it : group.members()) {
    const bool is_replaced = joining != nullptr && joining->instance_id.has_value() &&
                             it.instance_id == joining->instance_id;
    if (!is_among(leaving, it) && !is_replaced) members.push_back(downgraded_member(it, now));
  }
  if (joining != nullptr) members.push_back(downgraded_member(*joining, now));

  ClassicGroup classic(group.group_id(), now);
  const std::optional<std::string> leader = members.front().member_id;
  const auto restore = [&](std::optional<std::string> protocol_name) {
    classic.restore(group.group_epoch, "consumer", std::move(protocol_name), leader, now, members);
  };
  restore(std::nullopt);
  const std::string protocol_name = classic.select_protocol();
  for (ClassicMember& it : members) {
    std::string target_of = it.member_id;
    if (joining != nullptr && it.member_id == joining->member_id)
      target_of = group.find_static_member(joining->instance_id)->member_id;
    const auto target = group.targets.find(target_of);
    it.assignment =
        embedded_assignment(target == group.targets.end() ? Assignment{} : target->second,
                            it.metadata_of(protocol_name), topics);
  }
  restore(protocol_name);
  return classic;
}

std::int32_t rebalance_timeout_ms(const protocol::JoinGroupRequest& request, int api_version) {
  return api_version == 0 ? request.session_timeout_ms : request.rebalance_timeout_ms;
}

SharedBytes embedded_assignment(const Assignment& assignment, const SharedBytes& subscription,
                                const TopicDirectory& topics) {
  protocol::Reader version_reader(subscription);
  const int asked = version_reader.int16();
  const int version =
      std::clamp(asked, 0, static_cast<int>(ConsumerProtocolAssignment::info.valid_versions.last));
  ConsumerProtocolAssignment message;
  for (const auto& [topic_id, partitions] : assignment)
    if (const std::string* name = topics.name_of(topic_id))
      message.assigned_partitions.push_back({*name, {partitions.begin(), partitions.end()}, {}});
  protocol::Writer writer;
  writer.int16(static_cast<std::int16_t>(version));
  const Result<void> written =
      protocol::Codec<ConsumerProtocolAssignment>::encode(writer, message, version);
  CHECK(written.ok());
  return writer.finish().flatten();
}

std::optional<ConsumerProtocolSubscription> embedded_subscription(const SharedBytes& bytes) {
  return read_embedded<ConsumerProtocolSubscription>(bytes);
}

OwnedPartitions owned_partitions(const ConsumerProtocolSubscription& subscription,
                                 const TopicDirectory& topics) {
  OwnedPartitions owned;
  owned.emplace();
  for (const auto& topic : subscription.owned_partitions)
    if (const TopicFacts* facts = topics.find(topic.topic))
      owned->push_back({facts->id, topic.partitions, {}});
  return owned;
}

}  // namespace fencepost::minibroker
