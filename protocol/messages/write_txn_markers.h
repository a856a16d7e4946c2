// WriteTxnMarkers (API key 27): the coordinator has the end of a transaction written into the
// partitions; also the operator's way to end a hanging one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct WriteTxnMarkersResponse;

struct WriteTxnMarkersRequest {
  static constexpr MessageInfo info{"WriteTxnMarkersRequest", MessageKind::request, 27,
                                    between(1, 2), since(1)};
  using Response = WriteTxnMarkersResponse;

  struct WritableTxnMarkerTopic {
    static constexpr std::string_view type_name = "WritableTxnMarkerTopic";

    std::string name;
    std::vector<std::int32_t> partition_indexes;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const WritableTxnMarkerTopic&) const = default;
    template <class T = WritableTxnMarkerTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitionIndexes", &T::partition_indexes, since(0)),
      };
    }
  };

  struct WritableTxnMarker {
    static constexpr std::string_view type_name = "WritableTxnMarker";

    std::int64_t producer_id = 0;
    std::int16_t producer_epoch = 0;
    bool transaction_result = false;
    std::vector<WritableTxnMarkerTopic> topics;
    std::int32_t coordinator_epoch = 0;
    std::int8_t transaction_version = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const WritableTxnMarker&) const = default;
    template <class T = WritableTxnMarker>
    static constexpr auto fields() {
      return std::tuple{
          field("producerId", &T::producer_id, since(0)),
          field("producerEpoch", &T::producer_epoch, since(0)),
          field("transactionResult", &T::transaction_result, since(0)),
          field("topics", &T::topics, since(0)),
          field("coordinatorEpoch", &T::coordinator_epoch, since(0)),
          field("transactionVersion", &T::transaction_version, since(2)).ignorable(),
      };
    }
  };

  std::vector<WritableTxnMarker> markers;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const WriteTxnMarkersRequest&) const = default;
  template <class T = WriteTxnMarkersRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("markers", &T::markers, since(0)),
    };
  }
};

struct WriteTxnMarkersResponse {
  static constexpr MessageInfo info{"WriteTxnMarkersResponse", MessageKind::response, 27,
                                    between(1, 2), since(1)};

  struct WritableTxnMarkerPartitionResult {
    static constexpr std::string_view type_name = "WritableTxnMarkerPartitionResult";

    std::int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const WritableTxnMarkerPartitionResult&) const = default;
    template <class T = WritableTxnMarkerPartitionResult>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("errorCode", &T::error_code, since(0)),
      };
    }
  };

  struct WritableTxnMarkerTopicResult {
    static constexpr std::string_view type_name = "WritableTxnMarkerTopicResult";

    std::string name;
    std::vector<WritableTxnMarkerPartitionResult> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const WritableTxnMarkerTopicResult&) const = default;
    template <class T = WritableTxnMarkerTopicResult>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  struct WritableTxnMarkerResult {
    static constexpr std::string_view type_name = "WritableTxnMarkerResult";

    std::int64_t producer_id = 0;
    std::vector<WritableTxnMarkerTopicResult> topics;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const WritableTxnMarkerResult&) const = default;
    template <class T = WritableTxnMarkerResult>
    static constexpr auto fields() {
      return std::tuple{
          field("producerId", &T::producer_id, since(0)),
          field("topics", &T::topics, since(0)),
      };
    }
  };

  std::vector<WritableTxnMarkerResult> markers;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const WriteTxnMarkersResponse&) const = default;
  template <class T = WriteTxnMarkersResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("markers", &T::markers, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
