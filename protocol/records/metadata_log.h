// The records of __cluster_metadata, in which a controller writes down what it decides (KIP-500,
// KIP-631). They have no key; a value is framed by record type and version, see frame_metadata().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"
#include "protocol/codec.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct TopicRecord {
  static constexpr MessageInfo info{"TopicRecord", MessageKind::data, 2, only(0), since(0)};

  std::string name;
  Uuid topic_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const TopicRecord&) const = default;
  template <class T = TopicRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &T::name, since(0)),
        field("topicId", &T::topic_id, since(0)),
    };
  }
};

struct PartitionRecord {
  static constexpr MessageInfo info{"PartitionRecord", MessageKind::data, 3, between(0, 2),
                                    since(0)};

  std::int32_t partition_id = -1;
  Uuid topic_id;
  std::vector<std::int32_t> replicas;
  std::vector<std::int32_t> isr;
  std::vector<std::int32_t> removing_replicas;
  std::vector<std::int32_t> adding_replicas;
  std::int32_t leader = -1;
  std::int8_t leader_recovery_state = 0;
  std::int32_t leader_epoch = -1;
  std::int32_t partition_epoch = -1;
  std::vector<Uuid> directories;
  std::optional<std::vector<std::int32_t>> eligible_leader_replicas;
  std::optional<std::vector<std::int32_t>> last_known_elr;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const PartitionRecord&) const = default;
  template <class T = PartitionRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("partitionId", &T::partition_id, since(0)),
        field("topicId", &T::topic_id, since(0)),
        field("replicas", &T::replicas, since(0)),
        field("isr", &T::isr, since(0)),
        field("removingReplicas", &T::removing_replicas, since(0)),
        field("addingReplicas", &T::adding_replicas, since(0)),
        field("leader", &T::leader, since(0)),
        field("leaderRecoveryState", &T::leader_recovery_state, since(0)).tagged(0, since(0)),
        field("leaderEpoch", &T::leader_epoch, since(0)),
        field("partitionEpoch", &T::partition_epoch, since(0)),
        field("directories", &T::directories, since(1)),
        field("eligibleLeaderReplicas", &T::eligible_leader_replicas, since(2))
            .tagged(1, since(2))
            .nullable(since(2)),
        field("lastKnownElr", &T::last_known_elr, since(2)).tagged(2, since(2)).nullable(since(2)),
    };
  }
};

struct ConfigRecord {
  static constexpr MessageInfo info{"ConfigRecord", MessageKind::data, 4, only(0), since(0)};

  std::int8_t resource_type = 0;
  std::string resource_name;
  std::string name;
  std::optional<std::string> value = std::string();
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConfigRecord&) const = default;
  template <class T = ConfigRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("resourceType", &T::resource_type, since(0)),
        field("resourceName", &T::resource_name, since(0)),
        field("name", &T::name, since(0)),
        field("value", &T::value, since(0)).nullable(since(0)),
    };
  }
};

// What is left out has not changed. A leader that is named, the same or another, begins an epoch.
struct PartitionChangeRecord {
  static constexpr MessageInfo info{"PartitionChangeRecord", MessageKind::data, 5, between(0, 2),
                                    since(0)};
  static constexpr std::int32_t same_leader = -2;

  std::int32_t partition_id = -1;
  Uuid topic_id;
  std::optional<std::vector<std::int32_t>> isr;
  std::int32_t leader = same_leader;
  std::optional<std::vector<std::int32_t>> replicas;
  std::optional<std::vector<std::int32_t>> removing_replicas;
  std::optional<std::vector<std::int32_t>> adding_replicas;
  std::int8_t leader_recovery_state = -1;
  std::optional<std::vector<Uuid>> directories;
  std::optional<std::vector<std::int32_t>> eligible_leader_replicas;
  std::optional<std::vector<std::int32_t>> last_known_elr;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const PartitionChangeRecord&) const = default;
  template <class T = PartitionChangeRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("partitionId", &T::partition_id, since(0)),
        field("topicId", &T::topic_id, since(0)),
        field("isr", &T::isr, since(0)).tagged(0, since(0)).nullable(since(0)),
        field("leader", &T::leader, since(0)).tagged(1, since(0)),
        field("replicas", &T::replicas, since(0)).tagged(2, since(0)).nullable(since(0)),
        field("removingReplicas", &T::removing_replicas, since(0))
            .tagged(3, since(0))
            .nullable(since(0)),
        field("addingReplicas", &T::adding_replicas, since(0))
            .tagged(4, since(0))
            .nullable(since(0)),
        field("leaderRecoveryState", &T::leader_recovery_state, since(0)).tagged(5, since(0)),
        field("directories", &T::directories, since(1)).tagged(8, since(1)).nullable(since(1)),
        field("eligibleLeaderReplicas", &T::eligible_leader_replicas, since(2))
            .tagged(6, since(2))
            .nullable(since(2)),
        field("lastKnownElr", &T::last_known_elr, since(2)).tagged(7, since(2)).nullable(since(2)),
    };
  }
};

struct RemoveTopicRecord {
  static constexpr MessageInfo info{"RemoveTopicRecord", MessageKind::data, 9, only(0), since(0)};

  Uuid topic_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const RemoveTopicRecord&) const = default;
  template <class T = RemoveTopicRecord>
  static constexpr auto fields() {
    return std::tuple{field("topicId", &T::topic_id, since(0))};
  }
};

struct FeatureLevelRecord {
  static constexpr MessageInfo info{"FeatureLevelRecord", MessageKind::data, 12, only(0), since(0)};

  std::string name;
  std::int16_t feature_level = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const FeatureLevelRecord&) const = default;
  template <class T = FeatureLevelRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &T::name, since(0)),
        field("featureLevel", &T::feature_level, since(0)),
    };
  }
};

struct ProducerIdsRecord {
  static constexpr MessageInfo info{"ProducerIdsRecord", MessageKind::data, 15, only(0), since(0)};

  std::int32_t broker_id = 0;
  std::int64_t broker_epoch = -1;
  std::int64_t next_producer_id = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ProducerIdsRecord&) const = default;
  template <class T = ProducerIdsRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("brokerId", &T::broker_id, since(0)),
        field("brokerEpoch", &T::broker_epoch, since(0)),
        field("nextProducerId", &T::next_producer_id, since(0)),
    };
  }
};

// ---- the frame of a value

struct MetadataFrame {
  std::uint32_t type = 0;  // the api_key of one of the structs above
  std::uint32_t version = 0;
  SharedBytes body;
};

SharedBytes frame_metadata(std::uint32_t type, std::uint32_t version, const SharedBytes& body);
// Malformed when it is cut off or has another frame version than 1.
Result<MetadataFrame> open_metadata(const SharedBytes& value);

}  // namespace fencepost::protocol
