// AlterPartitionReassignments (API key 45): gives partitions other replicas, or takes a
// reassignment back (KIP-455).
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

struct AlterPartitionReassignmentsResponse;

struct AlterPartitionReassignmentsRequest {
  static constexpr MessageInfo info{"AlterPartitionReassignmentsRequest", MessageKind::request, 45,
                                    between(0, 1), since(0)};
  using Response = AlterPartitionReassignmentsResponse;

  struct ReassignableTopic {
    static constexpr std::string_view type_name = "ReassignableTopic";

    struct ReassignablePartition {
      static constexpr std::string_view type_name = "ReassignablePartition";

      std::int32_t partition_index = 0;
      std::optional<std::vector<std::int32_t>> replicas;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const ReassignablePartition&) const = default;
      template <class T = ReassignablePartition>
      static constexpr auto fields() {
        return std::tuple{
            field("partitionIndex", &T::partition_index, since(0)),
            field("replicas", &T::replicas, since(0)).nullable(since(0)),
        };
      }
    };

    std::string name;
    std::vector<ReassignablePartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ReassignableTopic&) const = default;
    template <class T = ReassignableTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t timeout_ms = 60000;
  bool allow_replication_factor_change = true;
  std::vector<ReassignableTopic> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterPartitionReassignmentsRequest&) const = default;
  template <class T = AlterPartitionReassignmentsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("timeoutMs", &T::timeout_ms, since(0)),
        field("allowReplicationFactorChange", &T::allow_replication_factor_change, since(1)),
        field("topics", &T::topics, since(0)),
    };
  }
};

struct AlterPartitionReassignmentsResponse {
  static constexpr MessageInfo info{"AlterPartitionReassignmentsResponse", MessageKind::response,
                                    45, between(0, 1), since(0)};

  struct ReassignableTopicResponse {
    static constexpr std::string_view type_name = "ReassignableTopicResponse";

    struct ReassignablePartitionResponse {
      static constexpr std::string_view type_name = "ReassignablePartitionResponse";

      std::int32_t partition_index = 0;
      ErrorCode error_code = ErrorCode::none;
      std::optional<std::string> error_message = std::string{};
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const ReassignablePartitionResponse&) const = default;
      template <class T = ReassignablePartitionResponse>
      static constexpr auto fields() {
        return std::tuple{
            field("partitionIndex", &T::partition_index, since(0)),
            field("errorCode", &T::error_code, since(0)),
            field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        };
      }
    };

    std::string name;
    std::vector<ReassignablePartitionResponse> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ReassignableTopicResponse&) const = default;
    template <class T = ReassignableTopicResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  bool allow_replication_factor_change = true;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  std::vector<ReassignableTopicResponse> responses;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterPartitionReassignmentsResponse&) const = default;
  template <class T = AlterPartitionReassignmentsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("allowReplicationFactorChange", &T::allow_replication_factor_change, since(1))
            .ignorable(),
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("responses", &T::responses, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
