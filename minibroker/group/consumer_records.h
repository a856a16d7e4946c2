// The changes of a consumer group, each one record of __consumer_offsets. A request computes its
// changes from the group as it is; the group takes them by apply, live and in a replay alike.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "minibroker/group/consumer_group.h"
#include "protocol/base/time.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

// A record of one kind; without a value it is a tombstone.
template <class Key, class Value>
struct ConsumerChangeOf {
  Key key;
  std::optional<Value> value;
};

using GroupEpochChange =
    ConsumerChangeOf<protocol::ConsumerGroupMetadataKey, protocol::ConsumerGroupMetadataValue>;
using PartitionMetadataChange = ConsumerChangeOf<protocol::ConsumerGroupPartitionMetadataKey,
                                                 protocol::ConsumerGroupPartitionMetadataValue>;
using SubscriptionChange = ConsumerChangeOf<protocol::ConsumerGroupMemberMetadataKey,
                                            protocol::ConsumerGroupMemberMetadataValue>;
using TargetEpochChange = ConsumerChangeOf<protocol::ConsumerGroupTargetAssignmentMetadataKey,
                                           protocol::ConsumerGroupTargetAssignmentMetadataValue>;
using TargetChange = ConsumerChangeOf<protocol::ConsumerGroupTargetAssignmentMemberKey,
                                      protocol::ConsumerGroupTargetAssignmentMemberValue>;
using CurrentAssignmentChange =
    ConsumerChangeOf<protocol::ConsumerGroupCurrentMemberAssignmentKey,
                     protocol::ConsumerGroupCurrentMemberAssignmentValue>;
using RegexChange = ConsumerChangeOf<protocol::ConsumerGroupRegularExpressionKey,
                                     protocol::ConsumerGroupRegularExpressionValue>;

using ConsumerChange =
    std::variant<GroupEpochChange, PartitionMetadataChange, SubscriptionChange, TargetEpochChange,
                 TargetChange, CurrentAssignmentChange, RegexChange>;

// ---- making them

ConsumerChange group_epoch_change(const ConsumerGroup& group, std::int32_t epoch,
                                  std::int64_t metadata_hash);
ConsumerChange subscription_change(const std::string& group_id, const ConsumerMember& member);
ConsumerChange target_epoch_change(const std::string& group_id, std::int32_t epoch,
                                   std::int64_t timestamp);
ConsumerChange target_change(const std::string& group_id, const std::string& member_id,
                             const Assignment& target);
ConsumerChange current_assignment_change(const std::string& group_id, const ConsumerMember& member,
                                         bool with_epochs);
ConsumerChange regex_change(const std::string& group_id, const std::string& regex,
                            const ResolvedRegex& resolved);
ConsumerChange regex_tombstone(const std::string& group_id, const std::string& regex);
ConsumerChange partition_metadata_tombstone(const std::string& group_id);
// Current assignment, target and subscription, in the order in which they must go.
void add_member_tombstones(std::vector<ConsumerChange>& changes, const std::string& group_id,
                           const std::string& member_id);
// Everything of the group. `renamed_from` leaves under the name `renamed_to`, the id of the static
// member that replaces it.
void add_group_tombstones(std::vector<ConsumerChange>& changes, const ConsumerGroup& group,
                          const std::string& renamed_from = {}, const std::string& renamed_to = {});

// ---- log and group

const std::string& group_id_of(const ConsumerChange& change);
// The tombstone with which the group itself goes.
bool ends_group(const ConsumerChange& change);
bool is_tombstone(const ConsumerChange& change);
void apply(ConsumerGroup& group, const ConsumerChange& change);

protocol::NewRecord to_record(const ConsumerChange& change, Instant now);
// Nothing for records of other kinds and for what cannot be read.
std::optional<ConsumerChange> read_consumer_record(const protocol::Record& record);

}  // namespace fencepost::minibroker
