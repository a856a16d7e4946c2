// Fetch (API key 1): reads record batches, for consumers and for following replicas. Version 13 on
// names topics by id; version 15 moved the replica id into a tagged field.
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

struct FetchResponse;

struct FetchRequest {
  static constexpr MessageInfo info{"FetchRequest", MessageKind::request, 1, between(4, 18),
                                    since(12)};
  using Response = FetchResponse;

  struct ReplicaState {
    static constexpr std::string_view type_name = "ReplicaState";

    std::int32_t replica_id = -1;
    std::int64_t replica_epoch = -1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ReplicaState&) const = default;
    template <class T = ReplicaState>
    static constexpr auto fields() {
      return std::tuple{
          field("replicaId", &T::replica_id, since(15)),
          field("replicaEpoch", &T::replica_epoch, since(15)),
      };
    }
  };

  struct FetchPartition {
    static constexpr std::string_view type_name = "FetchPartition";

    std::int32_t partition = 0;
    std::int32_t current_leader_epoch = -1;
    std::int64_t fetch_offset = 0;
    std::int32_t last_fetched_epoch = -1;
    std::int64_t log_start_offset = -1;
    std::int32_t partition_max_bytes = 0;
    Uuid replica_directory_id;
    std::int64_t high_watermark = 9223372036854775807;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const FetchPartition&) const = default;
    template <class T = FetchPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partition", &T::partition, since(0)),
          field("currentLeaderEpoch", &T::current_leader_epoch, since(9)).ignorable(),
          field("fetchOffset", &T::fetch_offset, since(0)),
          field("lastFetchedEpoch", &T::last_fetched_epoch, since(12)),
          field("logStartOffset", &T::log_start_offset, since(5)).ignorable(),
          field("partitionMaxBytes", &T::partition_max_bytes, since(0)),
          field("replicaDirectoryId", &T::replica_directory_id, since(17))
              .tagged(0, since(17))
              .ignorable(),
          field("highWatermark", &T::high_watermark, since(18)).tagged(1, since(18)).ignorable(),
      };
    }
  };

  struct FetchTopic {
    static constexpr std::string_view type_name = "FetchTopic";

    std::string topic;
    Uuid topic_id;
    std::vector<FetchPartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const FetchTopic&) const = default;
    template <class T = FetchTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, between(0, 12)).ignorable(),
          field("topicId", &T::topic_id, since(13)).ignorable(),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  struct ForgottenTopic {
    static constexpr std::string_view type_name = "ForgottenTopic";

    std::string topic;
    Uuid topic_id;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ForgottenTopic&) const = default;
    template <class T = ForgottenTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, between(7, 12)).ignorable(),
          field("topicId", &T::topic_id, since(13)).ignorable(),
          field("partitions", &T::partitions, since(7)),
      };
    }
  };

  std::optional<std::string> cluster_id;
  std::int32_t replica_id = -1;
  ReplicaState replica_state;
  std::int32_t max_wait_ms = 0;
  std::int32_t min_bytes = 0;
  std::int32_t max_bytes = 2147483647;
  std::int8_t isolation_level = 0;
  std::int32_t session_id = 0;
  std::int32_t session_epoch = -1;
  std::vector<FetchTopic> topics;
  std::vector<ForgottenTopic> forgotten_topics_data;
  std::string rack_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const FetchRequest&) const = default;
  template <class T = FetchRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("clusterId", &T::cluster_id, since(12))
            .nullable(since(12))
            .tagged(0, since(12))
            .ignorable(),
        field("replicaId", &T::replica_id, between(0, 14)),
        field("replicaState", &T::replica_state, since(15)).tagged(1, since(15)),
        field("maxWaitMs", &T::max_wait_ms, since(0)),
        field("minBytes", &T::min_bytes, since(0)),
        field("maxBytes", &T::max_bytes, since(3)).ignorable(),
        field("isolationLevel", &T::isolation_level, since(4)).ignorable(),
        field("sessionId", &T::session_id, since(7)).ignorable(),
        field("sessionEpoch", &T::session_epoch, since(7)).ignorable(),
        field("topics", &T::topics, since(0)),
        field("forgottenTopicsData", &T::forgotten_topics_data, since(7)),
        field("rackId", &T::rack_id, since(11)).ignorable(),
    };
  }
};

struct FetchResponse {
  static constexpr MessageInfo info{"FetchResponse", MessageKind::response, 1, between(4, 18),
                                    since(12)};

  struct EpochEndOffset {
    static constexpr std::string_view type_name = "EpochEndOffset";

    std::int32_t epoch = -1;
    std::int64_t end_offset = -1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const EpochEndOffset&) const = default;
    template <class T = EpochEndOffset>
    static constexpr auto fields() {
      return std::tuple{
          field("epoch", &T::epoch, since(12)),
          field("endOffset", &T::end_offset, since(12)),
      };
    }
  };

  struct LeaderIdAndEpoch {
    static constexpr std::string_view type_name = "LeaderIdAndEpoch";

    std::int32_t leader_id = -1;
    std::int32_t leader_epoch = -1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const LeaderIdAndEpoch&) const = default;
    template <class T = LeaderIdAndEpoch>
    static constexpr auto fields() {
      return std::tuple{
          field("leaderId", &T::leader_id, since(12)),
          field("leaderEpoch", &T::leader_epoch, since(12)),
      };
    }
  };

  struct SnapshotId {
    static constexpr std::string_view type_name = "SnapshotId";

    std::int64_t end_offset = -1;
    std::int32_t epoch = -1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const SnapshotId&) const = default;
    template <class T = SnapshotId>
    static constexpr auto fields() {
      return std::tuple{
          field("endOffset", &T::end_offset, since(0)),
          field("epoch", &T::epoch, since(0)),
      };
    }
  };

  struct AbortedTransaction {
    static constexpr std::string_view type_name = "AbortedTransaction";

    std::int64_t producer_id = 0;
    std::int64_t first_offset = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AbortedTransaction&) const = default;
    template <class T = AbortedTransaction>
    static constexpr auto fields() {
      return std::tuple{
          field("producerId", &T::producer_id, since(4)),
          field("firstOffset", &T::first_offset, since(4)),
      };
    }
  };

  struct PartitionData {
    static constexpr std::string_view type_name = "PartitionData";

    std::int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::none;
    std::int64_t high_watermark = 0;
    std::int64_t last_stable_offset = -1;
    std::int64_t log_start_offset = -1;
    EpochEndOffset diverging_epoch;
    LeaderIdAndEpoch current_leader;
    SnapshotId snapshot_id;
    std::optional<std::vector<AbortedTransaction>> aborted_transactions =
        std::vector<AbortedTransaction>{};
    std::int32_t preferred_read_replica = -1;
    std::optional<Records> records;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const PartitionData&) const = default;
    template <class T = PartitionData>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("highWatermark", &T::high_watermark, since(0)),
          field("lastStableOffset", &T::last_stable_offset, since(4)).ignorable(),
          field("logStartOffset", &T::log_start_offset, since(5)).ignorable(),
          field("divergingEpoch", &T::diverging_epoch, since(12)).tagged(0, since(12)),
          field("currentLeader", &T::current_leader, since(12)).tagged(1, since(12)),
          field("snapshotId", &T::snapshot_id, since(12)).tagged(2, since(12)),
          field("abortedTransactions", &T::aborted_transactions, since(4))
              .nullable(since(4))
              .ignorable(),
          field("preferredReadReplica", &T::preferred_read_replica, since(11)),
          field("records", &T::records, since(0)).nullable(since(0)),
      };
    }
  };

  struct FetchableTopicResponse {
    static constexpr std::string_view type_name = "FetchableTopicResponse";

    std::string topic;
    Uuid topic_id;
    std::vector<PartitionData> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const FetchableTopicResponse&) const = default;
    template <class T = FetchableTopicResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, between(0, 12)).ignorable(),
          field("topicId", &T::topic_id, since(13)).ignorable(),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  struct NodeEndpoint {
    static constexpr std::string_view type_name = "NodeEndpoint";

    std::int32_t node_id = 0;
    std::string host;
    std::int32_t port = 0;
    std::optional<std::string> rack;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const NodeEndpoint&) const = default;
    template <class T = NodeEndpoint>
    static constexpr auto fields() {
      return std::tuple{
          field("nodeId", &T::node_id, since(16)),
          field("host", &T::host, since(16)),
          field("port", &T::port, since(16)),
          field("rack", &T::rack, since(16)).nullable(since(16)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::int32_t session_id = 0;
  std::vector<FetchableTopicResponse> responses;
  std::vector<NodeEndpoint> node_endpoints;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const FetchResponse&) const = default;
  template <class T = FetchResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("errorCode", &T::error_code, since(7)).ignorable(),
        field("sessionId", &T::session_id, since(7)),
        field("responses", &T::responses, since(0)),
        field("nodeEndpoints", &T::node_endpoints, since(16)).tagged(0, since(16)),
    };
  }
};

}  // namespace fencepost::protocol
