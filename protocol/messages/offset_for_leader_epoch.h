// OffsetForLeaderEpoch (API key 23): where a leader epoch ended; clients and followers find a
// truncation with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct OffsetForLeaderEpochResponse;

struct OffsetForLeaderEpochRequest {
  static constexpr MessageInfo info{"OffsetForLeaderEpochRequest", MessageKind::request, 23,
                                    between(2, 4), since(4)};
  using Response = OffsetForLeaderEpochResponse;

  struct OffsetForLeaderPartition {
    static constexpr std::string_view type_name = "OffsetForLeaderPartition";

    std::int32_t partition = 0;
    std::int32_t current_leader_epoch = -1;
    std::int32_t leader_epoch = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetForLeaderPartition&) const = default;
    template <class T = OffsetForLeaderPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partition", &T::partition, since(0)),
          field("currentLeaderEpoch", &T::current_leader_epoch, since(2)).ignorable(),
          field("leaderEpoch", &T::leader_epoch, since(0)),
      };
    }
  };

  struct OffsetForLeaderTopic {
    static constexpr std::string_view type_name = "OffsetForLeaderTopic";

    std::string topic;
    std::vector<OffsetForLeaderPartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetForLeaderTopic&) const = default;
    template <class T = OffsetForLeaderTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t replica_id = -2;
  std::vector<OffsetForLeaderTopic> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetForLeaderEpochRequest&) const = default;
  template <class T = OffsetForLeaderEpochRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("replicaId", &T::replica_id, since(3)).ignorable(),
        field("topics", &T::topics, since(0)),
    };
  }
};

struct OffsetForLeaderEpochResponse {
  static constexpr MessageInfo info{"OffsetForLeaderEpochResponse", MessageKind::response, 23,
                                    between(2, 4), since(4)};

  struct EpochEndOffset {
    static constexpr std::string_view type_name = "EpochEndOffset";

    ErrorCode error_code = ErrorCode::none;
    std::int32_t partition = 0;
    std::int32_t leader_epoch = -1;
    std::int64_t end_offset = -1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const EpochEndOffset&) const = default;
    template <class T = EpochEndOffset>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("partition", &T::partition, since(0)),
          field("leaderEpoch", &T::leader_epoch, since(1)).ignorable(),
          field("endOffset", &T::end_offset, since(0)),
      };
    }
  };

  struct OffsetForLeaderTopicResult {
    static constexpr std::string_view type_name = "OffsetForLeaderTopicResult";

    std::string topic;
    std::vector<EpochEndOffset> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetForLeaderTopicResult&) const = default;
    template <class T = OffsetForLeaderTopicResult>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<OffsetForLeaderTopicResult> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetForLeaderEpochResponse&) const = default;
  template <class T = OffsetForLeaderEpochResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(2)).ignorable(),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
