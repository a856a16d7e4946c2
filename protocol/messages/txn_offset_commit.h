// TxnOffsetCommit (API key 28): commits offsets inside a transaction: pending until the marker.
// Version 3 on carries the group's generation and member, which is the fence of the single-writer
// design (KIP-447).
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

struct TxnOffsetCommitResponse;

struct TxnOffsetCommitRequest {
  static constexpr MessageInfo info{"TxnOffsetCommitRequest", MessageKind::request, 28,
                                    between(0, 6), since(3)};
  using Response = TxnOffsetCommitResponse;

  struct TxnOffsetCommitRequestPartition {
    static constexpr std::string_view type_name = "TxnOffsetCommitRequestPartition";

    std::int32_t partition_index = 0;
    std::int64_t committed_offset = 0;
    std::int32_t committed_leader_epoch = -1;
    std::optional<std::string> committed_metadata = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TxnOffsetCommitRequestPartition&) const = default;
    template <class T = TxnOffsetCommitRequestPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("committedOffset", &T::committed_offset, since(0)),
          field("committedLeaderEpoch", &T::committed_leader_epoch, since(2)).ignorable(),
          field("committedMetadata", &T::committed_metadata, since(0)).nullable(since(0)),
      };
    }
  };

  struct TxnOffsetCommitRequestTopic {
    static constexpr std::string_view type_name = "TxnOffsetCommitRequestTopic";

    std::string name;
    Uuid topic_id;
    std::vector<TxnOffsetCommitRequestPartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TxnOffsetCommitRequestTopic&) const = default;
    template <class T = TxnOffsetCommitRequestTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(0, 5)).ignorable(),
          field("topicId", &T::topic_id, since(6)).ignorable(),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::string transactional_id;
  std::string group_id;
  std::int64_t producer_id = 0;
  std::int16_t producer_epoch = 0;
  std::int32_t generation_id_or_member_epoch = -1;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::vector<TxnOffsetCommitRequestTopic> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const TxnOffsetCommitRequest&) const = default;
  template <class T = TxnOffsetCommitRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("transactionalId", &T::transactional_id, since(0)),
        field("groupId", &T::group_id, since(0)),
        field("producerId", &T::producer_id, since(0)),
        field("producerEpoch", &T::producer_epoch, since(0)),
        field("generationIdOrMemberEpoch", &T::generation_id_or_member_epoch, since(3)),
        field("memberId", &T::member_id, since(3)),
        field("groupInstanceId", &T::group_instance_id, since(3)).nullable(since(3)),
        field("topics", &T::topics, since(0)),
    };
  }
};

struct TxnOffsetCommitResponse {
  static constexpr MessageInfo info{"TxnOffsetCommitResponse", MessageKind::response, 28,
                                    between(0, 6), since(3)};

  struct TxnOffsetCommitResponsePartition {
    static constexpr std::string_view type_name = "TxnOffsetCommitResponsePartition";

    std::int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TxnOffsetCommitResponsePartition&) const = default;
    template <class T = TxnOffsetCommitResponsePartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("errorCode", &T::error_code, since(0)),
      };
    }
  };

  struct TxnOffsetCommitResponseTopic {
    static constexpr std::string_view type_name = "TxnOffsetCommitResponseTopic";

    std::string name;
    Uuid topic_id;
    std::vector<TxnOffsetCommitResponsePartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TxnOffsetCommitResponseTopic&) const = default;
    template <class T = TxnOffsetCommitResponseTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(0, 5)).ignorable(),
          field("topicId", &T::topic_id, since(6)).ignorable(),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<TxnOffsetCommitResponseTopic> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const TxnOffsetCommitResponse&) const = default;
  template <class T = TxnOffsetCommitResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
