#include "minibroker/group/group_log.h"

#include "protocol/reader.h"
#include "protocol/writer.h"

namespace fencepost::minibroker {

using protocol::GroupMetadataKey;
using protocol::GroupMetadataValue;
using protocol::NewRecord;
using protocol::OffsetCommitKey;
using protocol::OffsetCommitValue;

namespace {

constexpr int group_value_version = 3;
constexpr int expiring_offset_value_version = 1;
constexpr std::int16_t legacy_offset_record_type = 0;
constexpr std::int16_t offset_record_type = 1;
constexpr std::int16_t group_record_type = 2;

// A message behind its int16 prefix: the record type of a key, the version of a value.
template <class Message>
SharedBytes with_prefix(std::int16_t prefix, const Message& message, int version) {
  protocol::Writer writer;
  writer.int16(prefix);
  const Result<void> body = protocol::Codec<Message>::encode(writer, message, version);
  CHECK(body.ok());
  return writer.finish().flatten();
}

template <class Key>
NewRecord make_record(std::int16_t type, const Key& key, std::optional<SharedBytes> value,
                      Instant now) {
  return {to_timestamp(now), with_prefix(type, key, 0), std::move(value)};
}

GroupMetadataValue value_of(const ClassicGroup& group) {
  GroupMetadataValue value;
  value.protocol_type = group.protocol_type().value_or("");
  value.generation = group.generation();
  value.protocol = group.protocol_name();
  value.leader = group.leader();
  if (group.state_since().has_value())
    value.current_state_timestamp = to_timestamp(*group.state_since());
  return value;
}

NewRecord make_group_record(const std::string& group_id, const GroupMetadataValue& value,
                            Instant now) {
  GroupMetadataKey key;
  key.group = group_id;
  return make_record(group_record_type, key,
                     with_prefix(group_value_version, value, group_value_version), now);
}

OffsetCommitKey offset_key(const std::string& group_id, const TopicPartition& partition) {
  OffsetCommitKey key;
  key.group = group_id;
  key.topic = partition.topic;
  key.partition = partition.partition;
  return key;
}

// The message behind a version that it has; nothing when it cannot be read.
template <class Message>
std::optional<Message> read_versioned(const SharedBytes& bytes) {
  protocol::Reader reader(bytes);
  const std::int16_t version = reader.int16();
  if (reader.failed() || !Message::info.valid_versions.contains(version)) return std::nullopt;
  Message message;
  if (!protocol::Codec<Message>::decode(reader, version, message)) return std::nullopt;
  return message;
}

std::variant<std::monostate, ReadGroup, ReadOffset> read_offset(
    protocol::Reader& key_reader, const protocol::OptionalBytes& value) {
  OffsetCommitKey key;
  if (!protocol::Codec<OffsetCommitKey>::decode(key_reader, 0, key)) return {};
  ReadOffset read{key.group, {key.topic, key.partition}, std::nullopt};
  if (!value.has_value()) return read;
  const auto body = read_versioned<OffsetCommitValue>(*value);
  if (!body.has_value()) return {};
  read.value = StoredOffset{body->offset,           body->leader_epoch,     body->metadata,
                            body->commit_timestamp, body->expire_timestamp, body->topic_id};
  return read;
}

std::variant<std::monostate, ReadGroup, ReadOffset> read_group(
    protocol::Reader& key_reader, const protocol::OptionalBytes& value) {
  GroupMetadataKey key;
  if (!protocol::Codec<GroupMetadataKey>::decode(key_reader, 0, key)) return {};
  ReadGroup read{key.group, std::nullopt};
  if (!value.has_value()) return read;
  read.value = read_versioned<GroupMetadataValue>(*value);
  if (!read.value.has_value()) return {};
  return read;
}

}  // namespace

std::map<std::string, SharedBytes> assignments_of(const ClassicGroup& group) {
  std::map<std::string, SharedBytes> assignments;
  for (const ClassicMember& it : group.members()) assignments[it.member_id] = it.assignment;
  return assignments;
}

NewRecord group_record(const ClassicGroup& group,
                       const std::map<std::string, SharedBytes>& assignments, Instant now) {
  GroupMetadataValue value = value_of(group);
  for (const ClassicMember& it : group.members()) {
    GroupMetadataValue::MemberMetadata member;
    member.member_id = it.member_id;
    member.group_instance_id = it.group_instance_id;
    member.client_id = it.client_id;
    member.client_host = it.client_host;
    member.rebalance_timeout = static_cast<std::int32_t>(to_milliseconds(it.rebalance_timeout));
    member.session_timeout = static_cast<std::int32_t>(to_milliseconds(it.session_timeout));
    CHECK(group.protocol_name().has_value());
    member.subscription = it.metadata_of(*group.protocol_name());
    const auto assignment = assignments.find(it.member_id);
    if (assignment != assignments.end()) member.assignment = assignment->second;
    value.members.push_back(std::move(member));
  }
  return make_group_record(group.group_id(), value, now);
}

NewRecord new_group_record(const ClassicGroup& group, Instant now) {
  GroupMetadataValue value;
  value.protocol = std::nullopt;
  value.leader = std::nullopt;
  if (group.state_since().has_value())
    value.current_state_timestamp = to_timestamp(*group.state_since());
  return make_group_record(group.group_id(), value, now);
}

NewRecord group_tombstone(const std::string& group_id, Instant now) {
  GroupMetadataKey key;
  key.group = group_id;
  return make_record(group_record_type, key, std::nullopt, now);
}

NewRecord offset_record(const std::string& group_id, const NewOffset& offset, int value_version,
                        Instant now) {
  OffsetCommitValue value;
  value.offset = offset.stored.offset;
  value.leader_epoch = offset.stored.leader_epoch;
  value.metadata = offset.stored.metadata;
  value.commit_timestamp = offset.stored.commit_timestamp;
  value.expire_timestamp = offset.stored.expire_timestamp;
  value.topic_id = offset.stored.topic_id;
  const int version =
      offset.stored.expire_timestamp >= 0 ? expiring_offset_value_version : value_version;
  return make_record(offset_record_type, offset_key(group_id, offset.partition),
                     with_prefix(static_cast<std::int16_t>(version), value, version), now);
}

NewRecord offset_tombstone(const std::string& group_id, const TopicPartition& partition,
                           Instant now) {
  return make_record(offset_record_type, offset_key(group_id, partition), std::nullopt, now);
}

std::variant<std::monostate, ReadGroup, ReadOffset> read_group_log_record(
    const protocol::Record& record) {
  if (!record.key.has_value()) return {};
  protocol::Reader reader(*record.key);
  const std::int16_t type = reader.int16();
  if (reader.failed()) return {};
  switch (type) {
    case legacy_offset_record_type:
    case offset_record_type:
      return read_offset(reader, record.value);
    case group_record_type:
      return read_group(reader, record.value);
    default:
      return {};
  }
}

void restore_group(ClassicGroup& group, const GroupMetadataValue& value, Instant now) {
  std::vector<ClassicMember> members;
  for (const GroupMetadataValue::MemberMetadata& it : value.members) {
    ClassicMember member;
    member.member_id = it.member_id;
    member.group_instance_id = it.group_instance_id;
    member.client_id = it.client_id;
    member.client_host = it.client_host;
    member.session_timeout = milliseconds(it.session_timeout);
    member.rebalance_timeout =
        milliseconds(it.rebalance_timeout == -1 ? it.session_timeout : it.rebalance_timeout);
    if (value.protocol.has_value()) member.protocols = {{*value.protocol, it.subscription}};
    member.assignment = it.assignment;
    member.session_deadline = now + member.session_timeout;
    members.push_back(std::move(member));
  }
  std::optional<Instant> since;
  if (value.current_state_timestamp >= 0)
    since = Instant(milliseconds(value.current_state_timestamp));
  const std::optional<std::string> type =
      value.protocol_type.empty() ? std::nullopt : std::optional(value.protocol_type);
  group.restore(value.generation, type, value.protocol, value.leader, since, std::move(members));
}

}  // namespace fencepost::minibroker
