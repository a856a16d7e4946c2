// Produce (API key 0): appends record batches to partitions. From version 12 on the partition
// leader adds the partition to the transaction itself (KIP-890); version 13 names topics by id.
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

struct ProduceResponse;

struct ProduceRequest {
  static constexpr MessageInfo info{"ProduceRequest", MessageKind::request, 0, between(3, 13),
                                    since(9)};
  using Response = ProduceResponse;

  struct PartitionProduceData {
    static constexpr std::string_view type_name = "PartitionProduceData";

    std::int32_t index = 0;
    std::optional<Records> records;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const PartitionProduceData&) const = default;
    template <class T = PartitionProduceData>
    static constexpr auto fields() {
      return std::tuple{
          field("index", &T::index, since(0)),
          field("records", &T::records, since(0)).nullable(since(0)),
      };
    }
  };

  struct TopicProduceData {
    static constexpr std::string_view type_name = "TopicProduceData";

    std::string name;
    Uuid topic_id;
    std::vector<PartitionProduceData> partition_data;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicProduceData&) const = default;
    template <class T = TopicProduceData>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(0, 12)).ignorable(),
          field("topicId", &T::topic_id, since(13)).ignorable(),
          field("partitionData", &T::partition_data, since(0)),
      };
    }
  };

  std::optional<std::string> transactional_id;
  std::int16_t acks = 0;
  std::int32_t timeout_ms = 0;
  std::vector<TopicProduceData> topic_data;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ProduceRequest&) const = default;
  template <class T = ProduceRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("transactionalId", &T::transactional_id, since(3)).nullable(since(3)),
        field("acks", &T::acks, since(0)),
        field("timeoutMs", &T::timeout_ms, since(0)),
        field("topicData", &T::topic_data, since(0)),
    };
  }
};

struct ProduceResponse {
  static constexpr MessageInfo info{"ProduceResponse", MessageKind::response, 0, between(3, 13),
                                    since(9)};

  struct BatchIndexAndErrorMessage {
    static constexpr std::string_view type_name = "BatchIndexAndErrorMessage";

    std::int32_t batch_index = 0;
    std::optional<std::string> batch_index_error_message;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const BatchIndexAndErrorMessage&) const = default;
    template <class T = BatchIndexAndErrorMessage>
    static constexpr auto fields() {
      return std::tuple{
          field("batchIndex", &T::batch_index, since(8)),
          field("batchIndexErrorMessage", &T::batch_index_error_message, since(8))
              .nullable(since(8)),
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
          field("leaderId", &T::leader_id, since(10)),
          field("leaderEpoch", &T::leader_epoch, since(10)),
      };
    }
  };

  struct PartitionProduceResponse {
    static constexpr std::string_view type_name = "PartitionProduceResponse";

    std::int32_t index = 0;
    ErrorCode error_code = ErrorCode::none;
    std::int64_t base_offset = 0;
    std::int64_t log_append_time_ms = -1;
    std::int64_t log_start_offset = -1;
    std::vector<BatchIndexAndErrorMessage> record_errors;
    std::optional<std::string> error_message;
    LeaderIdAndEpoch current_leader;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const PartitionProduceResponse&) const = default;
    template <class T = PartitionProduceResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("index", &T::index, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("baseOffset", &T::base_offset, since(0)),
          field("logAppendTimeMs", &T::log_append_time_ms, since(2)).ignorable(),
          field("logStartOffset", &T::log_start_offset, since(5)).ignorable(),
          field("recordErrors", &T::record_errors, since(8)).ignorable(),
          field("errorMessage", &T::error_message, since(8)).nullable(since(8)).ignorable(),
          field("currentLeader", &T::current_leader, since(10)).tagged(0, since(10)),
      };
    }
  };

  struct TopicProduceResponse {
    static constexpr std::string_view type_name = "TopicProduceResponse";

    std::string name;
    Uuid topic_id;
    std::vector<PartitionProduceResponse> partition_responses;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicProduceResponse&) const = default;
    template <class T = TopicProduceResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(0, 12)).ignorable(),
          field("topicId", &T::topic_id, since(13)).ignorable(),
          field("partitionResponses", &T::partition_responses, since(0)),
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
          field("nodeId", &T::node_id, since(10)),
          field("host", &T::host, since(10)),
          field("port", &T::port, since(10)),
          field("rack", &T::rack, since(10)).nullable(since(10)),
      };
    }
  };

  std::vector<TopicProduceResponse> responses;
  std::int32_t throttle_time_ms = 0;
  std::vector<NodeEndpoint> node_endpoints;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ProduceResponse&) const = default;
  template <class T = ProduceResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("responses", &T::responses, since(0)),
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("nodeEndpoints", &T::node_endpoints, since(10)).tagged(0, since(10)),
    };
  }
};

}  // namespace fencepost::protocol
