// OffsetFetch (API key 9): reads a group's committed offsets. require_stable (version 7 on) answers
// UNSTABLE_OFFSET_COMMIT while a transactional commit is pending (KIP-447).
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

struct OffsetFetchResponse;

struct OffsetFetchRequest {
  static constexpr MessageInfo info{"OffsetFetchRequest", MessageKind::request, 9, between(1, 10),
                                    since(6)};
  using Response = OffsetFetchResponse;

  struct OffsetFetchRequestTopic {
    static constexpr std::string_view type_name = "OffsetFetchRequestTopic";

    std::string name;
    std::vector<std::int32_t> partition_indexes;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetFetchRequestTopic&) const = default;
    template <class T = OffsetFetchRequestTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(0, 7)),
          field("partitionIndexes", &T::partition_indexes, between(0, 7)),
      };
    }
  };

  struct OffsetFetchRequestTopics {
    static constexpr std::string_view type_name = "OffsetFetchRequestTopics";

    std::string name;
    Uuid topic_id;
    std::vector<std::int32_t> partition_indexes;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetFetchRequestTopics&) const = default;
    template <class T = OffsetFetchRequestTopics>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(8, 9)).ignorable(),
          field("topicId", &T::topic_id, since(10)).ignorable(),
          field("partitionIndexes", &T::partition_indexes, since(8)),
      };
    }
  };

  struct OffsetFetchRequestGroup {
    static constexpr std::string_view type_name = "OffsetFetchRequestGroup";

    std::string group_id;
    std::optional<std::string> member_id;
    std::int32_t member_epoch = -1;
    std::optional<std::vector<OffsetFetchRequestTopics>> topics =
        std::vector<OffsetFetchRequestTopics>{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetFetchRequestGroup&) const = default;
    template <class T = OffsetFetchRequestGroup>
    static constexpr auto fields() {
      return std::tuple{
          field("groupId", &T::group_id, since(8)),
          field("memberId", &T::member_id, since(9)).nullable(since(9)).ignorable(),
          field("memberEpoch", &T::member_epoch, since(9)).ignorable(),
          field("topics", &T::topics, since(8)).nullable(since(8)),
      };
    }
  };

  std::string group_id;
  std::optional<std::vector<OffsetFetchRequestTopic>> topics =
      std::vector<OffsetFetchRequestTopic>{};
  std::vector<OffsetFetchRequestGroup> groups;
  bool require_stable = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetFetchRequest&) const = default;
  template <class T = OffsetFetchRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, between(0, 7)),
        field("topics", &T::topics, between(0, 7)).nullable(between(2, 7)),
        field("groups", &T::groups, since(8)),
        field("requireStable", &T::require_stable, since(7)),
    };
  }
};

struct OffsetFetchResponse {
  static constexpr MessageInfo info{"OffsetFetchResponse", MessageKind::response, 9, between(1, 10),
                                    since(6)};

  struct OffsetFetchResponsePartition {
    static constexpr std::string_view type_name = "OffsetFetchResponsePartition";

    std::int32_t partition_index = 0;
    std::int64_t committed_offset = 0;
    std::int32_t committed_leader_epoch = -1;
    std::optional<std::string> metadata = std::string{};
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetFetchResponsePartition&) const = default;
    template <class T = OffsetFetchResponsePartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, between(0, 7)),
          field("committedOffset", &T::committed_offset, between(0, 7)),
          field("committedLeaderEpoch", &T::committed_leader_epoch, between(5, 7)).ignorable(),
          field("metadata", &T::metadata, between(0, 7)).nullable(between(0, 7)),
          field("errorCode", &T::error_code, between(0, 7)),
      };
    }
  };

  struct OffsetFetchResponseTopic {
    static constexpr std::string_view type_name = "OffsetFetchResponseTopic";

    std::string name;
    std::vector<OffsetFetchResponsePartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetFetchResponseTopic&) const = default;
    template <class T = OffsetFetchResponseTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(0, 7)),
          field("partitions", &T::partitions, between(0, 7)),
      };
    }
  };

  struct OffsetFetchResponsePartitions {
    static constexpr std::string_view type_name = "OffsetFetchResponsePartitions";

    std::int32_t partition_index = 0;
    std::int64_t committed_offset = 0;
    std::int32_t committed_leader_epoch = -1;
    std::optional<std::string> metadata = std::string{};
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetFetchResponsePartitions&) const = default;
    template <class T = OffsetFetchResponsePartitions>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(8)),
          field("committedOffset", &T::committed_offset, since(8)),
          field("committedLeaderEpoch", &T::committed_leader_epoch, since(8)).ignorable(),
          field("metadata", &T::metadata, since(8)).nullable(since(8)),
          field("errorCode", &T::error_code, since(8)),
      };
    }
  };

  struct OffsetFetchResponseTopics {
    static constexpr std::string_view type_name = "OffsetFetchResponseTopics";

    std::string name;
    Uuid topic_id;
    std::vector<OffsetFetchResponsePartitions> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetFetchResponseTopics&) const = default;
    template <class T = OffsetFetchResponseTopics>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, between(8, 9)).ignorable(),
          field("topicId", &T::topic_id, since(10)).ignorable(),
          field("partitions", &T::partitions, since(8)),
      };
    }
  };

  struct OffsetFetchResponseGroup {
    static constexpr std::string_view type_name = "OffsetFetchResponseGroup";

    std::string group_id;
    std::vector<OffsetFetchResponseTopics> topics;
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetFetchResponseGroup&) const = default;
    template <class T = OffsetFetchResponseGroup>
    static constexpr auto fields() {
      return std::tuple{
          field("groupId", &T::group_id, since(8)),
          field("topics", &T::topics, since(8)),
          field("errorCode", &T::error_code, since(8)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<OffsetFetchResponseTopic> topics;
  ErrorCode error_code = ErrorCode::none;
  std::vector<OffsetFetchResponseGroup> groups;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetFetchResponse&) const = default;
  template <class T = OffsetFetchResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(3)).ignorable(),
        field("topics", &T::topics, between(0, 7)),
        field("errorCode", &T::error_code, between(2, 7)).ignorable(),
        field("groups", &T::groups, since(8)),
    };
  }
};

}  // namespace fencepost::protocol
