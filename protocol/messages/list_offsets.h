// ListOffsets (API key 2): the offset of a timestamp, or of the special timestamps -1 (latest), -2
// (earliest), -3 (max timestamp) and below. The isolation level decides what latest means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct ListOffsetsResponse;

struct ListOffsetsRequest {
  static constexpr MessageInfo info{"ListOffsetsRequest", MessageKind::request, 2, between(1, 11),
                                    since(6)};
  using Response = ListOffsetsResponse;

  struct ListOffsetsPartition {
    static constexpr std::string_view type_name = "ListOffsetsPartition";

    std::int32_t partition_index = 0;
    std::int32_t current_leader_epoch = -1;
    std::int64_t timestamp = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ListOffsetsPartition&) const = default;
    template <class T = ListOffsetsPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("currentLeaderEpoch", &T::current_leader_epoch, since(4)).ignorable(),
          field("timestamp", &T::timestamp, since(0)),
      };
    }
  };

  struct ListOffsetsTopic {
    static constexpr std::string_view type_name = "ListOffsetsTopic";

    std::string name;
    std::vector<ListOffsetsPartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ListOffsetsTopic&) const = default;
    template <class T = ListOffsetsTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t replica_id = 0;
  std::int8_t isolation_level = 0;
  std::vector<ListOffsetsTopic> topics;
  std::int32_t timeout_ms = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListOffsetsRequest&) const = default;
  template <class T = ListOffsetsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("replicaId", &T::replica_id, since(0)),
        field("isolationLevel", &T::isolation_level, since(2)),
        field("topics", &T::topics, since(0)),
        field("timeoutMs", &T::timeout_ms, since(10)).ignorable(),
    };
  }
};

struct ListOffsetsResponse {
  static constexpr MessageInfo info{"ListOffsetsResponse", MessageKind::response, 2, between(1, 11),
                                    since(6)};

  struct ListOffsetsPartitionResponse {
    static constexpr std::string_view type_name = "ListOffsetsPartitionResponse";

    std::int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::none;
    std::int64_t timestamp = -1;
    std::int64_t offset = -1;
    std::int32_t leader_epoch = -1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ListOffsetsPartitionResponse&) const = default;
    template <class T = ListOffsetsPartitionResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("timestamp", &T::timestamp, since(1)),
          field("offset", &T::offset, since(1)),
          field("leaderEpoch", &T::leader_epoch, since(4)),
      };
    }
  };

  struct ListOffsetsTopicResponse {
    static constexpr std::string_view type_name = "ListOffsetsTopicResponse";

    std::string name;
    std::vector<ListOffsetsPartitionResponse> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ListOffsetsTopicResponse&) const = default;
    template <class T = ListOffsetsTopicResponse>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<ListOffsetsTopicResponse> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListOffsetsResponse&) const = default;
  template <class T = ListOffsetsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(2)).ignorable(),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
