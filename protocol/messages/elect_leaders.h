// ElectLeaders (API key 43): elects the preferred replica, or any replica (unclean), as leader.
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

struct ElectLeadersResponse;

struct ElectLeadersRequest {
  static constexpr MessageInfo info{"ElectLeadersRequest", MessageKind::request, 43, between(0, 2),
                                    since(2)};
  using Response = ElectLeadersResponse;

  struct TopicPartitions {
    static constexpr std::string_view type_name = "TopicPartitions";

    std::string topic;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicPartitions&) const = default;
    template <class T = TopicPartitions>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int8_t election_type = 0;
  std::optional<std::vector<TopicPartitions>> topic_partitions = std::vector<TopicPartitions>{};
  std::int32_t timeout_ms = 60000;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ElectLeadersRequest&) const = default;
  template <class T = ElectLeadersRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("electionType", &T::election_type, since(1)),
        field("topicPartitions", &T::topic_partitions, since(0)).nullable(since(0)),
        field("timeoutMs", &T::timeout_ms, since(0)),
    };
  }
};

struct ElectLeadersResponse {
  static constexpr MessageInfo info{"ElectLeadersResponse", MessageKind::response, 43,
                                    between(0, 2), since(2)};

  struct PartitionResult {
    static constexpr std::string_view type_name = "PartitionResult";

    std::int32_t partition_id = 0;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const PartitionResult&) const = default;
    template <class T = PartitionResult>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionId", &T::partition_id, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
      };
    }
  };

  struct ReplicaElectionResult {
    static constexpr std::string_view type_name = "ReplicaElectionResult";

    std::string topic;
    std::vector<PartitionResult> partition_result;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ReplicaElectionResult&) const = default;
    template <class T = ReplicaElectionResult>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(0)),
          field("partitionResult", &T::partition_result, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::vector<ReplicaElectionResult> replica_election_results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ElectLeadersResponse&) const = default;
  template <class T = ElectLeadersResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(1)),
        field("replicaElectionResults", &T::replica_election_results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
