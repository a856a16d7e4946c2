// DeleteRecords (API key 21): moves the log start of partitions forward; -1 stands for the high
// watermark.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct DeleteRecordsResponse;

struct DeleteRecordsRequest {
  static constexpr MessageInfo info{"DeleteRecordsRequest", MessageKind::request, 21, between(0, 2),
                                    since(2)};
  using Response = DeleteRecordsResponse;

  struct DeleteRecordsPartition {
    static constexpr std::string_view type_name = "DeleteRecordsPartition";

    std::int32_t partition_index = 0;
    std::int64_t offset = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeleteRecordsPartition&) const = default;
    template <class T = DeleteRecordsPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("offset", &T::offset, since(0)),
      };
    }
  };

  struct DeleteRecordsTopic {
    static constexpr std::string_view type_name = "DeleteRecordsTopic";

    std::string name;
    std::vector<DeleteRecordsPartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeleteRecordsTopic&) const = default;
    template <class T = DeleteRecordsTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::vector<DeleteRecordsTopic> topics;
  std::int32_t timeout_ms = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DeleteRecordsRequest&) const = default;
  template <class T = DeleteRecordsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
        field("timeoutMs", &T::timeout_ms, since(0)),
    };
  }
};

struct DeleteRecordsResponse {
  static constexpr MessageInfo info{"DeleteRecordsResponse", MessageKind::response, 21,
                                    between(0, 2), since(2)};

  struct DeleteRecordsPartitionResult {
    static constexpr std::string_view type_name = "DeleteRecordsPartitionResult";

    std::int32_t partition_index = 0;
    std::int64_t low_watermark = 0;
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeleteRecordsPartitionResult&) const = default;
    template <class T = DeleteRecordsPartitionResult>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("lowWatermark", &T::low_watermark, since(0)),
          field("errorCode", &T::error_code, since(0)),
      };
    }
  };

  struct DeleteRecordsTopicResult {
    static constexpr std::string_view type_name = "DeleteRecordsTopicResult";

    std::string name;
    std::vector<DeleteRecordsPartitionResult> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeleteRecordsTopicResult&) const = default;
    template <class T = DeleteRecordsTopicResult>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<DeleteRecordsTopicResult> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DeleteRecordsResponse&) const = default;
  template <class T = DeleteRecordsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
