#include "minibroker/group/consumer_records.h"

#include <algorithm>

#include "protocol/codec.h"
#include "protocol/reader.h"
#include "protocol/writer.h"

namespace fencepost::minibroker {

namespace {

constexpr int record_version = 0;

template <class Value>
auto to_topic_partitions(const EpochAssignment& assignment, bool with_epochs) {
  std::vector<typename Value::TopicPartitions> topics;
  for (const auto& [topic_id, partitions] : assignment) {
    auto& topic = topics.emplace_back();
    topic.topic_id = topic_id;
    topic.assignment_epochs.reset();
    if (with_epochs) topic.assignment_epochs.emplace();
    for (const auto& [partition, epoch] : partitions) {
      topic.partitions.push_back(partition);
      if (with_epochs) topic.assignment_epochs->push_back(epoch);
    }
  }
  return topics;
}

// Records of brokers that do not know assignment epochs stand for the member's epoch.
template <class Topics>
EpochAssignment from_topic_partitions(const Topics& topics, std::int32_t member_epoch) {
  EpochAssignment assignment;
  for (const auto& topic : topics) {
    const auto& epochs = topic.assignment_epochs;
    const bool has_epochs = epochs.has_value() && epochs->size() == topic.partitions.size();
    for (std::size_t i = 0; i < topic.partitions.size(); ++i)
      assignment[topic.topic_id][topic.partitions[i]] =
          has_epochs ? (*epochs)[i] : std::max(member_epoch, 0);
  }
  return assignment;
}

ConsumerMember member_or_new(const ConsumerGroup& group, const std::string& member_id) {
  const ConsumerMember* member = group.find_member(member_id);
  return member != nullptr ? *member : ConsumerMember{member_id};
}

struct Apply {
  ConsumerGroup& group;

  void operator()(const GroupEpochChange& change) const {
    if (!change.value.has_value()) return;
    group.group_epoch = change.value->epoch;
    group.metadata_hash = change.value->metadata_hash;
  }
  void operator()(const PartitionMetadataChange& change) const {
    group.has_partition_metadata_record = change.value.has_value();
  }
  void operator()(const SubscriptionChange& change) const {
    if (!change.value.has_value()) return group.remove_member(change.key.member_id);
    ConsumerMember member = member_or_new(group, change.key.member_id);
    const auto& value = *change.value;
    member.instance_id = value.instance_id;
    member.rack_id = value.rack_id;
    member.client_id = value.client_id;
    member.client_host = value.client_host;
    member.subscribed_topic_names = {value.subscribed_topic_names.begin(),
                                     value.subscribed_topic_names.end()};
    member.subscribed_topic_regex = value.subscribed_topic_regex.value_or("");
    member.rebalance_timeout_ms = value.rebalance_timeout_ms;
    member.server_assignor = value.server_assignor;
    member.classic = value.classic_member_metadata;
    group.update_member(std::move(member));
  }
  void operator()(const TargetEpochChange& change) const {
    group.assignment_epoch = change.value.has_value() ? change.value->assignment_epoch : -1;
    group.assignment_timestamp = change.value.has_value() ? change.value->assignment_timestamp : 0;
  }
  void operator()(const TargetChange& change) const {
    if (!change.value.has_value()) {
      group.targets.erase(change.key.member_id);
      return;
    }
    Assignment target;
    for (const auto& topic : change.value->topic_partitions)
      target[topic.topic_id].insert(topic.partitions.begin(), topic.partitions.end());
    group.targets[change.key.member_id] = std::move(target);
  }
  void operator()(const CurrentAssignmentChange& change) const {
    if (!change.value.has_value()) {
      const ConsumerMember* leaving = group.find_member(change.key.member_id);
      if (leaving == nullptr) return;
      ConsumerMember member = *leaving;
      member.member_epoch = leaving_member_epoch;
      member.previous_member_epoch = leaving_member_epoch;
      member.assigned.clear();
      member.pending_revocation.clear();
      return group.update_member(std::move(member));
    }
    ConsumerMember member = member_or_new(group, change.key.member_id);
    const auto& value = *change.value;
    member.member_epoch = value.member_epoch;
    member.previous_member_epoch = value.previous_member_epoch;
    const bool is_known = value.state >= 0 && value.state <= 2;
    member.state = is_known ? static_cast<MemberState>(value.state) : MemberState::unknown;
    member.assigned = from_topic_partitions(value.assigned_partitions, value.member_epoch);
    member.pending_revocation =
        from_topic_partitions(value.partitions_pending_revocation, value.member_epoch);
    group.update_member(std::move(member));
  }
  void operator()(const RegexChange& change) const {
    if (!change.value.has_value()) {
      group.resolved_regexes.erase(change.key.regular_expression);
      return;
    }
    group.resolved_regexes[change.key.regular_expression] = {
        {change.value->topics.begin(), change.value->topics.end()},
        change.value->version,
        change.value->timestamp};
  }
};

template <class Message>
SharedBytes with_prefix(std::int16_t prefix, const Message& message) {
  protocol::Writer writer;
  writer.int16(prefix);
  const Result<void> body = protocol::Codec<Message>::encode(writer, message, record_version);
  CHECK(body.ok());
  return writer.finish().flatten();
}

template <class Change>
std::optional<ConsumerChange> read(protocol::Reader& key, const protocol::OptionalBytes& bytes) {
  Change change;
  if (!protocol::Codec<decltype(change.key)>::decode(key, record_version, change.key))
    return std::nullopt;
  if (!bytes.has_value()) return change;
  protocol::Reader reader(*bytes);
  if (reader.int16() != record_version || reader.failed()) return std::nullopt;
  auto& value = change.value.emplace();
  if (!protocol::Codec<std::remove_reference_t<decltype(value)>>::decode(reader, record_version,
                                                                         value))
    return std::nullopt;
  return change;
}

template <class Change>
constexpr std::int16_t type_of = decltype(Change::key)::info.api_key;

}  // namespace

ConsumerChange group_epoch_change(const ConsumerGroup& group, std::int32_t epoch,
                                  std::int64_t metadata_hash) {
  GroupEpochChange change{{group.group_id(), {}}, {{}}};
  change.value->epoch = epoch;
  change.value->metadata_hash = metadata_hash;
  return change;
}

ConsumerChange subscription_change(const std::string& group_id, const ConsumerMember& member) {
  SubscriptionChange change{{group_id, member.member_id, {}}, {{}}};
  auto& value = *change.value;
  value.instance_id = member.instance_id;
  value.rack_id = member.rack_id;
  value.client_id = member.client_id;
  value.client_host = member.client_host;
  value.subscribed_topic_names = {member.subscribed_topic_names.begin(),
                                  member.subscribed_topic_names.end()};
  value.subscribed_topic_regex = member.subscribed_topic_regex;
  value.rebalance_timeout_ms = member.rebalance_timeout_ms;
  value.server_assignor = member.server_assignor;
  value.classic_member_metadata = member.classic;
  return change;
}

ConsumerChange target_epoch_change(const std::string& group_id, std::int32_t epoch,
                                   std::int64_t timestamp) {
  TargetEpochChange change{{group_id, {}}, {{}}};
  change.value->assignment_epoch = epoch;
  change.value->assignment_timestamp = timestamp;
  return change;
}

ConsumerChange target_change(const std::string& group_id, const std::string& member_id,
                             const Assignment& target) {
  TargetChange change{{group_id, member_id, {}}, {{}}};
  for (const auto& [topic_id, partitions] : target)
    change.value->topic_partitions.push_back(
        {topic_id, {partitions.begin(), partitions.end()}, {}});
  return change;
}

ConsumerChange current_assignment_change(const std::string& group_id, const ConsumerMember& member,
                                         bool with_epochs) {
  CurrentAssignmentChange change{{group_id, member.member_id, {}}, {{}}};
  using Value = protocol::ConsumerGroupCurrentMemberAssignmentValue;
  Value& value = *change.value;
  value.member_epoch = member.member_epoch;
  value.previous_member_epoch = member.previous_member_epoch;
  value.state = static_cast<std::int8_t>(member.state);
  value.assigned_partitions = to_topic_partitions<Value>(member.assigned, with_epochs);
  value.partitions_pending_revocation =
      to_topic_partitions<Value>(member.pending_revocation, with_epochs);
  return change;
}

ConsumerChange regex_change(const std::string& group_id, const std::string& regex,
                            const ResolvedRegex& resolved) {
  RegexChange change{{group_id, regex, {}}, {{}}};
  change.value->topics = {resolved.topics.begin(), resolved.topics.end()};
  change.value->version = resolved.version;
  change.value->timestamp = resolved.timestamp;
  return change;
}

ConsumerChange regex_tombstone(const std::string& group_id, const std::string& regex) {
  return RegexChange{{group_id, regex, {}}, {}};
}

ConsumerChange partition_metadata_tombstone(const std::string& group_id) {
  return PartitionMetadataChange{{group_id, {}}, {}};
}

void add_member_tombstones(std::vector<ConsumerChange>& changes, const std::string& group_id,
                           const std::string& member_id) {
  changes.push_back(CurrentAssignmentChange{{group_id, member_id, {}}, {}});
  changes.push_back(TargetChange{{group_id, member_id, {}}, {}});
  changes.push_back(SubscriptionChange{{group_id, member_id, {}}, {}});
}

void add_group_tombstones(std::vector<ConsumerChange>& changes, const ConsumerGroup& group,
                          const std::string& renamed_from, const std::string& renamed_to) {
  const std::string& group_id = group.group_id();
  std::vector<std::string> member_ids;
  for (const ConsumerMember& it : group.members())
    member_ids.push_back(it.member_id == renamed_from ? renamed_to : it.member_id);
  for (const std::string& it : member_ids)
    changes.push_back(CurrentAssignmentChange{{group_id, it, {}}, {}});
  for (const std::string& it : member_ids) changes.push_back(TargetChange{{group_id, it, {}}, {}});
  changes.push_back(TargetEpochChange{{group_id, {}}, {}});
  for (const std::string& it : member_ids)
    changes.push_back(SubscriptionChange{{group_id, it, {}}, {}});
  for (const auto& [regex, resolved] : group.resolved_regexes)
    changes.push_back(regex_tombstone(group_id, regex));
  changes.push_back(partition_metadata_tombstone(group_id));
  changes.push_back(GroupEpochChange{{group_id, {}}, {}});
}

const std::string& group_id_of(const ConsumerChange& change) {
  return std::visit([](const auto& it) -> const std::string& { return it.key.group_id; }, change);
}

bool ends_group(const ConsumerChange& change) {
  return std::holds_alternative<GroupEpochChange>(change) && is_tombstone(change);
}

bool is_tombstone(const ConsumerChange& change) {
  return std::visit([](const auto& it) { return !it.value.has_value(); }, change);
}

void apply(ConsumerGroup& group, const ConsumerChange& change) {
  std::visit(Apply{group}, change);
}

protocol::NewRecord to_record(const ConsumerChange& change, Instant now) {
  return std::visit(
      [&](const auto& it) {
        using Change = std::remove_cvref_t<decltype(it)>;
        std::optional<SharedBytes> value;
        if (it.value.has_value()) value = with_prefix(record_version, *it.value);
        return protocol::NewRecord{to_timestamp(now), with_prefix(type_of<Change>, it.key),
                                   std::move(value)};
      },
      change);
}

std::optional<ConsumerChange> read_consumer_record(const protocol::Record& record) {
  if (!record.key.has_value()) return std::nullopt;
  protocol::Reader key(*record.key);
  const std::int16_t type = key.int16();
  if (key.failed()) return std::nullopt;
  switch (type) {
    case type_of<GroupEpochChange>:
      return read<GroupEpochChange>(key, record.value);
    case type_of<PartitionMetadataChange>:
      return read<PartitionMetadataChange>(key, record.value);
    case type_of<SubscriptionChange>:
      return read<SubscriptionChange>(key, record.value);
    case type_of<TargetEpochChange>:
      return read<TargetEpochChange>(key, record.value);
    case type_of<TargetChange>:
      return read<TargetChange>(key, record.value);
    case type_of<CurrentAssignmentChange>:
      return read<CurrentAssignmentChange>(key, record.value);
    case type_of<RegexChange>:
      return read<RegexChange>(key, record.value);
    default:
      return std::nullopt;
  }
}

}  // namespace fencepost::minibroker
