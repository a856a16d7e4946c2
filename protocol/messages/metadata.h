// Metadata (API key 3): topics, partitions and their leaders, brokers and the controller. A null
// topic list asks for all topics, an empty one for none (from version 1 on).
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

struct MetadataResponse;

struct MetadataRequest {
  static constexpr MessageInfo info{"MetadataRequest", MessageKind::request, 3, between(0, 13),
                                    since(9)};
  using Response = MetadataResponse;

  struct MetadataRequestTopic {
    static constexpr std::string_view type_name = "MetadataRequestTopic";

    Uuid topic_id;
    std::optional<std::string> name = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const MetadataRequestTopic&) const = default;
    template <class T = MetadataRequestTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("topicId", &T::topic_id, since(10)).ignorable(),
          field("name", &T::name, since(0)).nullable(since(10)),
      };
    }
  };

  std::optional<std::vector<MetadataRequestTopic>> topics = std::vector<MetadataRequestTopic>{};
  bool allow_auto_topic_creation = true;
  bool include_cluster_authorized_operations = false;
  bool include_topic_authorized_operations = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const MetadataRequest&) const = default;
  template <class T = MetadataRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)).nullable(since(1)),
        field("allowAutoTopicCreation", &T::allow_auto_topic_creation, since(4)),
        field("includeClusterAuthorizedOperations", &T::include_cluster_authorized_operations,
              between(8, 10)),
        field("includeTopicAuthorizedOperations", &T::include_topic_authorized_operations,
              since(8)),
    };
  }
};

struct MetadataResponse {
  static constexpr MessageInfo info{"MetadataResponse", MessageKind::response, 3, between(0, 13),
                                    since(9)};

  struct MetadataResponseBroker {
    static constexpr std::string_view type_name = "MetadataResponseBroker";

    std::int32_t node_id = 0;
    std::string host;
    std::int32_t port = 0;
    std::optional<std::string> rack;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const MetadataResponseBroker&) const = default;
    template <class T = MetadataResponseBroker>
    static constexpr auto fields() {
      return std::tuple{
          field("nodeId", &T::node_id, since(0)),
          field("host", &T::host, since(0)),
          field("port", &T::port, since(0)),
          field("rack", &T::rack, since(1)).nullable(since(1)).ignorable(),
      };
    }
  };

  struct MetadataResponsePartition {
    static constexpr std::string_view type_name = "MetadataResponsePartition";

    ErrorCode error_code = ErrorCode::none;
    std::int32_t partition_index = 0;
    std::int32_t leader_id = 0;
    std::int32_t leader_epoch = -1;
    std::vector<std::int32_t> replica_nodes;
    std::vector<std::int32_t> isr_nodes;
    std::vector<std::int32_t> offline_replicas;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const MetadataResponsePartition&) const = default;
    template <class T = MetadataResponsePartition>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("partitionIndex", &T::partition_index, since(0)),
          field("leaderId", &T::leader_id, since(0)),
          field("leaderEpoch", &T::leader_epoch, since(7)).ignorable(),
          field("replicaNodes", &T::replica_nodes, since(0)),
          field("isrNodes", &T::isr_nodes, since(0)),
          field("offlineReplicas", &T::offline_replicas, since(5)).ignorable(),
      };
    }
  };

  struct MetadataResponseTopic {
    static constexpr std::string_view type_name = "MetadataResponseTopic";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> name = std::string{};
    Uuid topic_id;
    bool is_internal = false;
    std::vector<MetadataResponsePartition> partitions;
    std::int32_t topic_authorized_operations = -2147483648;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const MetadataResponseTopic&) const = default;
    template <class T = MetadataResponseTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("name", &T::name, since(0)).nullable(since(12)),
          field("topicId", &T::topic_id, since(10)).ignorable(),
          field("isInternal", &T::is_internal, since(1)).ignorable(),
          field("partitions", &T::partitions, since(0)),
          field("topicAuthorizedOperations", &T::topic_authorized_operations, since(8)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<MetadataResponseBroker> brokers;
  std::optional<std::string> cluster_id;
  std::int32_t controller_id = -1;
  std::vector<MetadataResponseTopic> topics;
  std::int32_t cluster_authorized_operations = -2147483648;
  ErrorCode error_code = ErrorCode::none;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const MetadataResponse&) const = default;
  template <class T = MetadataResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(3)).ignorable(),
        field("brokers", &T::brokers, since(0)),
        field("clusterId", &T::cluster_id, since(2)).nullable(since(2)).ignorable(),
        field("controllerId", &T::controller_id, since(1)).ignorable(),
        field("topics", &T::topics, since(0)),
        field("clusterAuthorizedOperations", &T::cluster_authorized_operations, between(8, 10)),
        field("errorCode", &T::error_code, since(13)).ignorable(),
    };
  }
};

}  // namespace fencepost::protocol
