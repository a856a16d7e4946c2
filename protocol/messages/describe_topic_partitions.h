// DescribeTopicPartitions (API key 75): partitions of topics page by page, with their eligible
// leader replicas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/uuid.h"
#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct DescribeTopicPartitionsResponse;

struct DescribeTopicPartitionsRequest {
  static constexpr MessageInfo info{"DescribeTopicPartitionsRequest", MessageKind::request, 75,
                                    only(0), since(0)};
  using Response = DescribeTopicPartitionsResponse;

  struct TopicRequest {
    static constexpr std::string_view type_name = "TopicRequest";

    std::string name;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicRequest&) const = default;
    template <class T = TopicRequest>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
      };
    }
  };

  struct Cursor {
    static constexpr std::string_view type_name = "Cursor";

    std::string topic_name;
    std::int32_t partition_index = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const Cursor&) const = default;
    template <class T = Cursor>
    static constexpr auto fields() {
      return std::tuple{
          field("topicName", &T::topic_name, since(0)),
          field("partitionIndex", &T::partition_index, since(0)),
      };
    }
  };

  std::vector<TopicRequest> topics;
  std::int32_t response_partition_limit = 2000;
  std::optional<Cursor> cursor;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeTopicPartitionsRequest&) const = default;
  template <class T = DescribeTopicPartitionsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
        field("responsePartitionLimit", &T::response_partition_limit, since(0)),
        field("cursor", &T::cursor, since(0)).nullable(since(0)),
    };
  }
};

struct DescribeTopicPartitionsResponse {
  static constexpr MessageInfo info{"DescribeTopicPartitionsResponse", MessageKind::response, 75,
                                    only(0), since(0)};

  struct DescribeTopicPartitionsResponsePartition {
    static constexpr std::string_view type_name = "DescribeTopicPartitionsResponsePartition";

    ErrorCode error_code = ErrorCode::none;
    std::int32_t partition_index = 0;
    std::int32_t leader_id = 0;
    std::int32_t leader_epoch = -1;
    std::vector<std::int32_t> replica_nodes;
    std::vector<std::int32_t> isr_nodes;
    std::optional<std::vector<std::int32_t>> eligible_leader_replicas;
    std::optional<std::vector<std::int32_t>> last_known_elr;
    std::vector<std::int32_t> offline_replicas;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeTopicPartitionsResponsePartition&) const = default;
    template <class T = DescribeTopicPartitionsResponsePartition>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("partitionIndex", &T::partition_index, since(0)),
          field("leaderId", &T::leader_id, since(0)),
          field("leaderEpoch", &T::leader_epoch, since(0)).ignorable(),
          field("replicaNodes", &T::replica_nodes, since(0)),
          field("isrNodes", &T::isr_nodes, since(0)),
          field("eligibleLeaderReplicas", &T::eligible_leader_replicas, since(0))
              .nullable(since(0)),
          field("lastKnownElr", &T::last_known_elr, since(0)).nullable(since(0)),
          field("offlineReplicas", &T::offline_replicas, since(0)).ignorable(),
      };
    }
  };

  struct DescribeTopicPartitionsResponseTopic {
    static constexpr std::string_view type_name = "DescribeTopicPartitionsResponseTopic";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> name = std::string{};
    Uuid topic_id;
    bool is_internal = false;
    std::vector<DescribeTopicPartitionsResponsePartition> partitions;
    std::int32_t topic_authorized_operations = -2147483648;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeTopicPartitionsResponseTopic&) const = default;
    template <class T = DescribeTopicPartitionsResponseTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("name", &T::name, since(0)).nullable(since(0)),
          field("topicId", &T::topic_id, since(0)).ignorable(),
          field("isInternal", &T::is_internal, since(0)).ignorable(),
          field("partitions", &T::partitions, since(0)),
          field("topicAuthorizedOperations", &T::topic_authorized_operations, since(0)),
      };
    }
  };

  struct Cursor {
    static constexpr std::string_view type_name = "Cursor";

    std::string topic_name;
    std::int32_t partition_index = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const Cursor&) const = default;
    template <class T = Cursor>
    static constexpr auto fields() {
      return std::tuple{
          field("topicName", &T::topic_name, since(0)),
          field("partitionIndex", &T::partition_index, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<DescribeTopicPartitionsResponseTopic> topics;
  std::optional<Cursor> next_cursor;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeTopicPartitionsResponse&) const = default;
  template <class T = DescribeTopicPartitionsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)).ignorable(),
        field("topics", &T::topics, since(0)),
        field("nextCursor", &T::next_cursor, since(0)).nullable(since(0)),
    };
  }
};

}  // namespace fencepost::protocol
