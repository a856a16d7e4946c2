// AlterReplicaLogDirs (API key 34): moves replicas to another folder of the same broker.
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

struct AlterReplicaLogDirsResponse;

struct AlterReplicaLogDirsRequest {
  static constexpr MessageInfo info{"AlterReplicaLogDirsRequest", MessageKind::request, 34,
                                    between(1, 2), since(2)};
  using Response = AlterReplicaLogDirsResponse;

  struct AlterReplicaLogDir {
    static constexpr std::string_view type_name = "AlterReplicaLogDir";

    struct AlterReplicaLogDirTopic {
      static constexpr std::string_view type_name = "AlterReplicaLogDirTopic";

      std::string name;
      std::vector<std::int32_t> partitions;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const AlterReplicaLogDirTopic&) const = default;
      template <class T = AlterReplicaLogDirTopic>
      static constexpr auto fields() {
        return std::tuple{
            field("name", &T::name, since(0)),
            field("partitions", &T::partitions, since(0)),
        };
      }
    };

    std::string path;
    std::vector<AlterReplicaLogDirTopic> topics;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AlterReplicaLogDir&) const = default;
    template <class T = AlterReplicaLogDir>
    static constexpr auto fields() {
      return std::tuple{
          field("path", &T::path, since(0)),
          field("topics", &T::topics, since(0)),
      };
    }
  };

  std::vector<AlterReplicaLogDir> dirs;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterReplicaLogDirsRequest&) const = default;
  template <class T = AlterReplicaLogDirsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("dirs", &T::dirs, since(0)),
    };
  }
};

struct AlterReplicaLogDirsResponse {
  static constexpr MessageInfo info{"AlterReplicaLogDirsResponse", MessageKind::response, 34,
                                    between(1, 2), since(2)};

  struct AlterReplicaLogDirTopicResult {
    static constexpr std::string_view type_name = "AlterReplicaLogDirTopicResult";

    struct AlterReplicaLogDirPartitionResult {
      static constexpr std::string_view type_name = "AlterReplicaLogDirPartitionResult";

      std::int32_t partition_index = 0;
      ErrorCode error_code = ErrorCode::none;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const AlterReplicaLogDirPartitionResult&) const = default;
      template <class T = AlterReplicaLogDirPartitionResult>
      static constexpr auto fields() {
        return std::tuple{
            field("partitionIndex", &T::partition_index, since(0)),
            field("errorCode", &T::error_code, since(0)),
        };
      }
    };

    std::string topic_name;
    std::vector<AlterReplicaLogDirPartitionResult> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AlterReplicaLogDirTopicResult&) const = default;
    template <class T = AlterReplicaLogDirTopicResult>
    static constexpr auto fields() {
      return std::tuple{
          field("topicName", &T::topic_name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<AlterReplicaLogDirTopicResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterReplicaLogDirsResponse&) const = default;
  template <class T = AlterReplicaLogDirsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("results", &T::results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
