// The records of __consumer_offsets that the consumer group protocol (KIP-848) writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct ConsumerGroupMetadataKey {
  static constexpr MessageInfo info{"ConsumerGroupMetadataKey", MessageKind::data, 3, only(0),
                                    no_versions};

  std::string group_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupMetadataKey&) const = default;
  template <class T = ConsumerGroupMetadataKey>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, only(0)),
    };
  }
};

struct ConsumerGroupMetadataValue {
  static constexpr MessageInfo info{"ConsumerGroupMetadataValue", MessageKind::data, 3, only(0),
                                    since(0)};

  std::int32_t epoch = 0;
  std::int64_t metadata_hash = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupMetadataValue&) const = default;
  template <class T = ConsumerGroupMetadataValue>
  static constexpr auto fields() {
    return std::tuple{
        field("epoch", &T::epoch, since(0)),
        field("metadataHash", &T::metadata_hash, since(0)).tagged(0, since(0)),
    };
  }
};

struct ConsumerGroupPartitionMetadataKey {
  static constexpr MessageInfo info{"ConsumerGroupPartitionMetadataKey", MessageKind::data, 4,
                                    only(0), no_versions};

  std::string group_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupPartitionMetadataKey&) const = default;
  template <class T = ConsumerGroupPartitionMetadataKey>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, only(0)),
    };
  }
};

struct ConsumerGroupPartitionMetadataValue {
  static constexpr MessageInfo info{"ConsumerGroupPartitionMetadataValue", MessageKind::data, 4,
                                    only(0), since(0)};

  struct PartitionMetadata {
    static constexpr std::string_view type_name = "PartitionMetadata";

    std::int32_t partition = 0;
    std::vector<std::string> racks;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const PartitionMetadata&) const = default;
    template <class T = PartitionMetadata>
    static constexpr auto fields() {
      return std::tuple{
          field("partition", &T::partition, since(0)),
          field("racks", &T::racks, since(0)),
      };
    }
  };

  struct TopicMetadata {
    static constexpr std::string_view type_name = "TopicMetadata";

    Uuid topic_id;
    std::string topic_name;
    std::int32_t num_partitions = 0;
    std::vector<PartitionMetadata> partition_metadata;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicMetadata&) const = default;
    template <class T = TopicMetadata>
    static constexpr auto fields() {
      return std::tuple{
          field("topicId", &T::topic_id, since(0)),
          field("topicName", &T::topic_name, since(0)),
          field("numPartitions", &T::num_partitions, since(0)),
          field("partitionMetadata", &T::partition_metadata, since(0)),
      };
    }
  };

  std::vector<TopicMetadata> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupPartitionMetadataValue&) const = default;
  template <class T = ConsumerGroupPartitionMetadataValue>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
    };
  }
};

struct ConsumerGroupMemberMetadataKey {
  static constexpr MessageInfo info{"ConsumerGroupMemberMetadataKey", MessageKind::data, 5, only(0),
                                    no_versions};

  std::string group_id;
  std::string member_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupMemberMetadataKey&) const = default;
  template <class T = ConsumerGroupMemberMetadataKey>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, only(0)),
        field("memberId", &T::member_id, only(0)),
    };
  }
};

struct ConsumerGroupMemberMetadataValue {
  static constexpr MessageInfo info{"ConsumerGroupMemberMetadataValue", MessageKind::data, 5,
                                    only(0), since(0)};

  struct ClassicProtocol {
    static constexpr std::string_view type_name = "ClassicProtocol";

    std::string name;
    SharedBytes metadata;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ClassicProtocol&) const = default;
    template <class T = ClassicProtocol>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("metadata", &T::metadata, since(0)),
      };
    }
  };

  struct ClassicMemberMetadata {
    static constexpr std::string_view type_name = "ClassicMemberMetadata";

    std::int32_t session_timeout_ms = 0;
    std::vector<ClassicProtocol> supported_protocols;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ClassicMemberMetadata&) const = default;
    template <class T = ClassicMemberMetadata>
    static constexpr auto fields() {
      return std::tuple{
          field("sessionTimeoutMs", &T::session_timeout_ms, since(0)),
          field("supportedProtocols", &T::supported_protocols, since(0)),
      };
    }
  };

  std::optional<std::string> instance_id = std::string{};
  std::optional<std::string> rack_id = std::string{};
  std::string client_id;
  std::string client_host;
  std::vector<std::string> subscribed_topic_names;
  std::optional<std::string> subscribed_topic_regex = std::string{};
  std::int32_t rebalance_timeout_ms = -1;
  std::optional<std::string> server_assignor = std::string{};
  std::optional<ClassicMemberMetadata> classic_member_metadata = ClassicMemberMetadata{};
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupMemberMetadataValue&) const = default;
  template <class T = ConsumerGroupMemberMetadataValue>
  static constexpr auto fields() {
    return std::tuple{
        field("instanceId", &T::instance_id, since(0)).nullable(since(0)),
        field("rackId", &T::rack_id, since(0)).nullable(since(0)),
        field("clientId", &T::client_id, since(0)),
        field("clientHost", &T::client_host, since(0)),
        field("subscribedTopicNames", &T::subscribed_topic_names, since(0)),
        field("subscribedTopicRegex", &T::subscribed_topic_regex, since(0)).nullable(since(0)),
        field("rebalanceTimeoutMs", &T::rebalance_timeout_ms, since(0)),
        field("serverAssignor", &T::server_assignor, since(0)).nullable(since(0)),
        field("classicMemberMetadata", &T::classic_member_metadata, since(0))
            .nullable(since(0))
            .tagged(0, since(0)),
    };
  }
};

struct ConsumerGroupTargetAssignmentMetadataKey {
  static constexpr MessageInfo info{"ConsumerGroupTargetAssignmentMetadataKey", MessageKind::data,
                                    6, only(0), no_versions};

  std::string group_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupTargetAssignmentMetadataKey&) const = default;
  template <class T = ConsumerGroupTargetAssignmentMetadataKey>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, only(0)),
    };
  }
};

struct ConsumerGroupTargetAssignmentMetadataValue {
  static constexpr MessageInfo info{"ConsumerGroupTargetAssignmentMetadataValue", MessageKind::data,
                                    6, only(0), since(0)};

  std::int32_t assignment_epoch = 0;
  std::int64_t assignment_timestamp = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupTargetAssignmentMetadataValue&) const = default;
  template <class T = ConsumerGroupTargetAssignmentMetadataValue>
  static constexpr auto fields() {
    return std::tuple{
        field("assignmentEpoch", &T::assignment_epoch, since(0)),
        field("assignmentTimestamp", &T::assignment_timestamp, since(0))
            .tagged(0, since(0))
            .ignorable(),
    };
  }
};

struct ConsumerGroupTargetAssignmentMemberKey {
  static constexpr MessageInfo info{"ConsumerGroupTargetAssignmentMemberKey", MessageKind::data, 7,
                                    only(0), no_versions};

  std::string group_id;
  std::string member_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupTargetAssignmentMemberKey&) const = default;
  template <class T = ConsumerGroupTargetAssignmentMemberKey>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, only(0)),
        field("memberId", &T::member_id, only(0)),
    };
  }
};

struct ConsumerGroupTargetAssignmentMemberValue {
  static constexpr MessageInfo info{"ConsumerGroupTargetAssignmentMemberValue", MessageKind::data,
                                    7, only(0), since(0)};

  struct TopicPartition {
    static constexpr std::string_view type_name = "TopicPartition";

    Uuid topic_id;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicPartition&) const = default;
    template <class T = TopicPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("topicId", &T::topic_id, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::vector<TopicPartition> topic_partitions;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupTargetAssignmentMemberValue&) const = default;
  template <class T = ConsumerGroupTargetAssignmentMemberValue>
  static constexpr auto fields() {
    return std::tuple{
        field("topicPartitions", &T::topic_partitions, since(0)),
    };
  }
};

struct ConsumerGroupCurrentMemberAssignmentKey {
  static constexpr MessageInfo info{"ConsumerGroupCurrentMemberAssignmentKey", MessageKind::data, 8,
                                    only(0), no_versions};

  std::string group_id;
  std::string member_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupCurrentMemberAssignmentKey&) const = default;
  template <class T = ConsumerGroupCurrentMemberAssignmentKey>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, only(0)),
        field("memberId", &T::member_id, only(0)),
    };
  }
};

struct ConsumerGroupCurrentMemberAssignmentValue {
  static constexpr MessageInfo info{"ConsumerGroupCurrentMemberAssignmentValue", MessageKind::data,
                                    8, only(0), since(0)};

  struct TopicPartitions {
    static constexpr std::string_view type_name = "TopicPartitions";

    Uuid topic_id;
    std::vector<std::int32_t> partitions;
    std::optional<std::vector<std::int32_t>> assignment_epochs = std::vector<std::int32_t>{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicPartitions&) const = default;
    template <class T = TopicPartitions>
    static constexpr auto fields() {
      return std::tuple{
          field("topicId", &T::topic_id, since(0)),
          field("partitions", &T::partitions, since(0)),
          field("assignmentEpochs", &T::assignment_epochs, since(0))
              .nullable(since(0))
              .tagged(0, since(0)),
      };
    }
  };

  std::int32_t member_epoch = 0;
  std::int32_t previous_member_epoch = 0;
  std::int8_t state = 0;
  std::vector<TopicPartitions> assigned_partitions;
  std::vector<TopicPartitions> partitions_pending_revocation;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupCurrentMemberAssignmentValue&) const = default;
  template <class T = ConsumerGroupCurrentMemberAssignmentValue>
  static constexpr auto fields() {
    return std::tuple{
        field("memberEpoch", &T::member_epoch, since(0)),
        field("previousMemberEpoch", &T::previous_member_epoch, since(0)),
        field("state", &T::state, since(0)),
        field("assignedPartitions", &T::assigned_partitions, since(0)),
        field("partitionsPendingRevocation", &T::partitions_pending_revocation, since(0)),
    };
  }
};

struct ConsumerGroupRegularExpressionKey {
  static constexpr MessageInfo info{"ConsumerGroupRegularExpressionKey", MessageKind::data, 16,
                                    only(0), no_versions};

  std::string group_id;
  std::string regular_expression;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupRegularExpressionKey&) const = default;
  template <class T = ConsumerGroupRegularExpressionKey>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, only(0)),
        field("regularExpression", &T::regular_expression, only(0)),
    };
  }
};

struct ConsumerGroupRegularExpressionValue {
  static constexpr MessageInfo info{"ConsumerGroupRegularExpressionValue", MessageKind::data, 16,
                                    only(0), since(0)};

  std::vector<std::string> topics;
  std::int64_t version = 0;
  std::int64_t timestamp = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupRegularExpressionValue&) const = default;
  template <class T = ConsumerGroupRegularExpressionValue>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
        field("version", &T::version, since(0)),
        field("timestamp", &T::timestamp, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
