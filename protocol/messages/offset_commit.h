// OffsetCommit (API key 8): stores a group's committed offsets outside a transaction; fenced by
// generation and member id.
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

struct OffsetCommitResponse;

struct OffsetCommitRequest {
  static constexpr MessageInfo info{"OffsetCommitRequest", MessageKind::request, 8, between(2, 10),
                                    since(8)};
  using Response = OffsetCommitResponse;

  struct OffsetCommitRequestPartition {
    static constexpr std::string_view type_name = "OffsetCommitRequestPartition";

    std::int32_t partition_index = 0;
    std::int64_t committed_offset = 0;
    std::int32_t committed_leader_epoch = -1;
    std::optional<std::string> committed_metadata = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetCommitRequestPartition&) const = default;
    template <class T = OffsetCommitRequestPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("committedOffset", &T::committed_offset, since(0)),
          field("committedLeaderEpoch", &T::committed_leader_epoch, since(6)).ignorable(),
          field("committedMetadata", &T::committed_metadata, since(0)).nullable(since(0)),
      };
    }
  };

  struct OffsetCommitRequestTopic {
    static constexpr std::string_view type_name = "OffsetCommitRequestTopic";

    std::string name;
    Uuid topic_id;
    std::vector<OffsetCommitRequestPartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetCommitRequestTopic&) const = default;
    template <class T = OffsetCommitRequestTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(0, 9)).ignorable(),
          field("topicId", &T::topic_id, since(10)).ignorable(),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::string group_id;
  std::int32_t generation_id_or_member_epoch = -1;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::int64_t retention_time_ms = -1;
  std::vector<OffsetCommitRequestTopic> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetCommitRequest&) const = default;
  template <class T = OffsetCommitRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, since(0)),
        field("generationIdOrMemberEpoch", &T::generation_id_or_member_epoch, since(1)).ignorable(),
        field("memberId", &T::member_id, since(1)).ignorable(),
        field("groupInstanceId", &T::group_instance_id, since(7)).nullable(since(7)),
        field("retentionTimeMs", &T::retention_time_ms, between(2, 4)).ignorable(),
        field("topics", &T::topics, since(0)),
    };
  }
};

struct OffsetCommitResponse {
  static constexpr MessageInfo info{"OffsetCommitResponse", MessageKind::response, 8,
                                    between(2, 10), since(8)};

  struct OffsetCommitResponsePartition {
    static constexpr std::string_view type_name = "OffsetCommitResponsePartition";

    std::int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetCommitResponsePartition&) const = default;
    template <class T = OffsetCommitResponsePartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("errorCode", &T::error_code, since(0)),
      };
    }
  };

  struct OffsetCommitResponseTopic {
    static constexpr std::string_view type_name = "OffsetCommitResponseTopic";

    std::string name;
    Uuid topic_id;
    std::vector<OffsetCommitResponsePartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetCommitResponseTopic&) const = default;
    template <class T = OffsetCommitResponseTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(0, 9)).ignorable(),
          field("topicId", &T::topic_id, since(10)).ignorable(),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<OffsetCommitResponseTopic> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetCommitResponse&) const = default;
  template <class T = OffsetCommitResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(3)).ignorable(),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
