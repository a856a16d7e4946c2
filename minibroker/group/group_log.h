// The records of __consumer_offsets that the classic protocol and offset commits write, byte for
// byte as Kafka's, and how they are read back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "minibroker/group/classic_group.h"
#include "minibroker/group/offsets.h"
#include "protocol/records/group_log.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

// The group with its members and their assignments; the group has a protocol when it has members.
protocol::NewRecord group_record(const ClassicGroup& group,
                                 const std::map<std::string, SharedBytes>& assignments,
                                 Instant now);
// The assignments that the members have now.
std::map<std::string, SharedBytes> assignments_of(const ClassicGroup& group);
// What a group is at its creation.
protocol::NewRecord new_group_record(const ClassicGroup& group, Instant now);
protocol::NewRecord group_tombstone(const std::string& group_id, Instant now);

// `value_version` 3, or 4 with the topic id (Kafka 4.1); one with an expiration is always 1.
protocol::NewRecord offset_record(const std::string& group_id, const NewOffset& offset,
                                  int value_version, Instant now);
protocol::NewRecord offset_tombstone(const std::string& group_id, const TopicPartition& partition,
                                     Instant now);

struct ReadGroup {
  std::string group_id;
  std::optional<protocol::GroupMetadataValue> value;  // nothing for a tombstone
};
struct ReadOffset {
  std::string group_id;
  TopicPartition partition;
  std::optional<StoredOffset> value;  // nothing for a tombstone
};

// Nothing for records of other kinds and for what cannot be read.
std::variant<std::monostate, ReadGroup, ReadOffset> read_group_log_record(
    const protocol::Record& record);

// The group as a coordinator takes it over; members get their session timeouts from `now`.
void restore_group(ClassicGroup& group, const protocol::GroupMetadataValue& value, Instant now);

}  // namespace fencepost::minibroker
