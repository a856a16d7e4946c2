// DescribeQuorum (API key 55): the leader, voters and observers of the metadata quorum (KIP-595).
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

struct DescribeQuorumResponse;

struct DescribeQuorumRequest {
  static constexpr MessageInfo info{"DescribeQuorumRequest", MessageKind::request, 55,
                                    between(0, 2), since(0)};
  using Response = DescribeQuorumResponse;

  struct TopicData {
    static constexpr std::string_view type_name = "TopicData";

    struct PartitionData {
      static constexpr std::string_view type_name = "PartitionData";

      std::int32_t partition_index = 0;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const PartitionData&) const = default;
      template <class T = PartitionData>
      static constexpr auto fields() {
        return std::tuple{
            field("partitionIndex", &T::partition_index, since(0)),
        };
      }
    };

    std::string topic_name;
    std::vector<PartitionData> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicData&) const = default;
    template <class T = TopicData>
    static constexpr auto fields() {
      return std::tuple{
          field("topicName", &T::topic_name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::vector<TopicData> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeQuorumRequest&) const = default;
  template <class T = DescribeQuorumRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
    };
  }
};

struct DescribeQuorumResponse {
  static constexpr MessageInfo info{"DescribeQuorumResponse", MessageKind::response, 55,
                                    between(0, 2), since(0)};

  struct TopicData {
    static constexpr std::string_view type_name = "TopicData";

    struct PartitionData {
      static constexpr std::string_view type_name = "PartitionData";

      struct ReplicaState {
        static constexpr std::string_view type_name = "ReplicaState";

        std::int32_t replica_id = 0;
        Uuid replica_directory_id;
        std::int64_t log_end_offset = 0;
        std::int64_t last_fetch_timestamp = -1;
        std::int64_t last_caught_up_timestamp = -1;
        UnknownTaggedFields unknown_tagged_fields;

        bool operator==(const ReplicaState&) const = default;
        template <class T = ReplicaState>
        static constexpr auto fields() {
          return std::tuple{
              field("replicaId", &T::replica_id, since(0)),
              field("replicaDirectoryId", &T::replica_directory_id, since(2)),
              field("logEndOffset", &T::log_end_offset, since(0)),
              field("lastFetchTimestamp", &T::last_fetch_timestamp, since(1)).ignorable(),
              field("lastCaughtUpTimestamp", &T::last_caught_up_timestamp, since(1)).ignorable(),
          };
        }
      };

      std::int32_t partition_index = 0;
      ErrorCode error_code = ErrorCode::none;
      std::optional<std::string> error_message = std::string{};
      std::int32_t leader_id = 0;
      std::int32_t leader_epoch = 0;
      std::int64_t high_watermark = 0;
      std::vector<ReplicaState> current_voters;
      std::vector<ReplicaState> observers;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const PartitionData&) const = default;
      template <class T = PartitionData>
      static constexpr auto fields() {
        return std::tuple{
            field("partitionIndex", &T::partition_index, since(0)),
            field("errorCode", &T::error_code, since(0)),
            field("errorMessage", &T::error_message, since(2)).nullable(since(2)).ignorable(),
            field("leaderId", &T::leader_id, since(0)),
            field("leaderEpoch", &T::leader_epoch, since(0)),
            field("highWatermark", &T::high_watermark, since(0)),
            field("currentVoters", &T::current_voters, since(0)),
            field("observers", &T::observers, since(0)),
        };
      }
    };

    std::string topic_name;
    std::vector<PartitionData> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicData&) const = default;
    template <class T = TopicData>
    static constexpr auto fields() {
      return std::tuple{
          field("topicName", &T::topic_name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  struct Node {
    static constexpr std::string_view type_name = "Node";

    struct Listener {
      static constexpr std::string_view type_name = "Listener";

      std::string name;
      std::string host;
      std::uint16_t port = 0;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const Listener&) const = default;
      template <class T = Listener>
      static constexpr auto fields() {
        return std::tuple{
            field("name", &T::name, since(2)),
            field("host", &T::host, since(2)),
            field("port", &T::port, since(2)),
        };
      }
    };

    std::int32_t node_id = 0;
    std::vector<Listener> listeners;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const Node&) const = default;
    template <class T = Node>
    static constexpr auto fields() {
      return std::tuple{
          field("nodeId", &T::node_id, since(2)),
          field("listeners", &T::listeners, since(2)),
      };
    }
  };

  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  std::vector<TopicData> topics;
  std::vector<Node> nodes;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeQuorumResponse&) const = default;
  template <class T = DescribeQuorumResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(2)).nullable(since(2)).ignorable(),
        field("topics", &T::topics, since(0)),
        field("nodes", &T::nodes, since(2)),
    };
  }
};

}  // namespace fencepost::protocol
