// DescribeProducers (API key 61): the producers that a partition leader knows, with their open
// transactions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct DescribeProducersResponse;

struct DescribeProducersRequest {
  static constexpr MessageInfo info{"DescribeProducersRequest", MessageKind::request, 61, only(0),
                                    since(0)};
  using Response = DescribeProducersResponse;

  struct TopicRequest {
    static constexpr std::string_view type_name = "TopicRequest";

    std::string name;
    std::vector<std::int32_t> partition_indexes;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicRequest&) const = default;
    template <class T = TopicRequest>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitionIndexes", &T::partition_indexes, since(0)),
      };
    }
  };

  std::vector<TopicRequest> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeProducersRequest&) const = default;
  template <class T = DescribeProducersRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
    };
  }
};

struct DescribeProducersResponse {
  static constexpr MessageInfo info{"DescribeProducersResponse", MessageKind::response, 61, only(0),
                                    since(0)};

  struct ProducerState {
    static constexpr std::string_view type_name = "ProducerState";

    std::int64_t producer_id = 0;
    std::int32_t producer_epoch = 0;
    std::int32_t last_sequence = -1;
    std::int64_t last_timestamp = -1;
    std::int32_t coordinator_epoch = 0;
    std::int64_t current_txn_start_offset = -1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ProducerState&) const = default;
    template <class T = ProducerState>
    static constexpr auto fields() {
      return std::tuple{
          field("producerId", &T::producer_id, since(0)),
          field("producerEpoch", &T::producer_epoch, since(0)),
          field("lastSequence", &T::last_sequence, since(0)),
          field("lastTimestamp", &T::last_timestamp, since(0)),
          field("coordinatorEpoch", &T::coordinator_epoch, since(0)),
          field("currentTxnStartOffset", &T::current_txn_start_offset, since(0)),
      };
    }
  };

  struct PartitionResponse {
    static constexpr std::string_view type_name = "PartitionResponse";

    std::int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    std::vector<ProducerState> active_producers;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const PartitionResponse&) const = default;
    template <class T = PartitionResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
          field("activeProducers", &T::active_producers, since(0)),
      };
    }
  };

  struct TopicResponse {
    static constexpr std::string_view type_name = "TopicResponse";

    std::string name;
    std::vector<PartitionResponse> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicResponse&) const = default;
    template <class T = TopicResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<TopicResponse> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeProducersResponse&) const = default;
  template <class T = DescribeProducersResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
