// A group of the consumer protocol (KIP-848) as a value: its members, what each holds, and what the
// assignor wants each to hold. It changes only by records (consumer_records.h), so that a
// coordinator that replays the log comes to the same group as the one that wrote it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minibroker/group/topic_directory.h"
#include "protocol/records/consumer_group_log.h"

namespace fencepost::minibroker {

// Member epochs with a meaning of their own.
constexpr std::int32_t joining_member_epoch = 0;
constexpr std::int32_t leaving_member_epoch = -1;
constexpr std::int32_t leaving_static_member_epoch = -2;

enum class ConsumerGroupState { empty, assigning, reconciling, stable };

// As Kafka prints it: "Reconciling".
std::string_view to_string(ConsumerGroupState state);

// Partitions by topic; and with the epoch in which the member got each (KIP-1251).
using Assignment = std::map<Uuid, std::set<std::int32_t>>;
using EpochAssignment = std::map<Uuid, std::map<std::int32_t, std::int32_t>>;

Assignment without_epochs(const EpochAssignment& assignment);
bool contains(const EpochAssignment& assignment, const Uuid& topic_id, std::int32_t partition);

// The numbers are those of the log.
enum class MemberState : std::int8_t {
  stable = 0,
  unrevoked_partitions = 1,   // it has to give up partitions first
  unreleased_partitions = 2,  // partitions meant for it are still held by others
  unknown = 127,
};

using ClassicMemberMetadata = protocol::ConsumerGroupMemberMetadataValue::ClassicMemberMetadata;

struct ConsumerMember {
  std::string member_id;
  std::optional<std::string> instance_id = {};
  std::optional<std::string> rack_id = {};
  std::string client_id = {};
  std::string client_host = {};
  std::set<std::string> subscribed_topic_names = {};
  std::string subscribed_topic_regex = {};  // empty: none
  std::int32_t rebalance_timeout_ms = -1;
  std::optional<std::string> server_assignor = {};
  std::optional<ClassicMemberMetadata> classic = {};  // it speaks the classic protocol

  std::int32_t member_epoch = joining_member_epoch;
  std::int32_t previous_member_epoch = -1;
  MemberState state = MemberState::stable;
  EpochAssignment assigned = {};
  EpochAssignment pending_revocation = {};

  bool operator==(const ConsumerMember&) const = default;
  bool is_reconciled_to(std::int32_t target_epoch) const {
    return state == MemberState::stable && member_epoch == target_epoch;
  }
  void move_to_epoch(std::int32_t epoch) {
    previous_member_epoch = member_epoch;
    member_epoch = epoch;
  }
};

// How many members name a topic, and how many patterns match it.
struct SubscriptionCount {
  int by_name = 0;
  int by_regex = 0;
};
using SubscriptionCounts = std::map<std::string, SubscriptionCount>;

// The topics that a pattern matched, at that version of the metadata and that time.
struct ResolvedRegex {
  std::set<std::string> topics = {};
  std::int64_t version = 0;
  std::int64_t timestamp = 0;
};

class ConsumerGroup {
 public:
  explicit ConsumerGroup(std::string group_id) : group_id_(std::move(group_id)) {}

  const std::string& group_id() const { return group_id_; }
  ConsumerGroupState state() const;
  bool is_empty() const { return members_.empty(); }

  std::int32_t group_epoch = 1;
  std::int64_t metadata_hash = 0;
  std::int32_t assignment_epoch = 1;
  std::int64_t assignment_timestamp = 0;           // milliseconds; 0: compute the next one at once
  bool has_partition_metadata_record = false;      // Kafka 4.0 wrote one
  std::map<std::string, Assignment> targets = {};  // by member id
  std::map<std::string, ResolvedRegex> resolved_regexes = {};

  // ---- members, in the order in which they came

  const std::vector<ConsumerMember>& members() const { return members_; }
  const ConsumerMember* find_member(const std::string& member_id) const;
  const ConsumerMember* find_static_member(const std::optional<std::string>& instance_id) const;
  void update_member(ConsumerMember member);
  void remove_member(const std::string& member_id);
  // The target of the member, or of the static member that it replaces.
  Assignment target_of(const ConsumerMember& member) const;

  // The epoch of the member that holds the partition or has yet to give it up; -1: it is free.
  std::int32_t current_partition_epoch(const Uuid& topic_id, std::int32_t partition) const;
  // A member waits for partitions, and they are still held.
  bool waits_for_others(const ConsumerMember& member) const;

  // ---- what the group subscribes to, `before` put aside and `after` counted in (either may be
  // null)

  SubscriptionCounts subscribed_topics(const ConsumerMember* before,
                                       const ConsumerMember* after) const;
  std::map<std::string, int> subscribed_regexes(const ConsumerMember* before,
                                                const ConsumerMember* after) const;
  int subscriber_count(const std::string& regex) const;
  bool is_subscribed_to(const std::string& topic) const;
  // By name and by the resolved pattern.
  std::set<std::string> topics_of(const ConsumerMember& member) const;
  std::set<Uuid> topic_ids_of(const ConsumerMember& member, const TopicDirectory& topics) const;
  // What most members ask for; nothing when nobody asks.
  std::optional<std::string> preferred_assignor(const ConsumerMember* before,
                                                const ConsumerMember* after) const;

  // ---- members that speak the classic protocol

  std::size_t classic_member_count() const;
  bool supports_classic_protocols(const std::string& protocol_type,
                                  const std::set<std::string>& names) const;

 private:
  void forget_partition_epochs(const ConsumerMember& member);

  std::string group_id_;
  std::vector<ConsumerMember> members_;
  std::map<std::pair<Uuid, std::int32_t>, std::int32_t> partition_epochs_;
};

}  // namespace fencepost::minibroker
