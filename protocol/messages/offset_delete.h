// OffsetDelete (API key 47): deletes committed offsets of topics that a group no longer reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct OffsetDeleteResponse;

struct OffsetDeleteRequest {
  static constexpr MessageInfo info{"OffsetDeleteRequest", MessageKind::request, 47, only(0),
                                    no_versions};
  using Response = OffsetDeleteResponse;

  struct OffsetDeleteRequestPartition {
    static constexpr std::string_view type_name = "OffsetDeleteRequestPartition";

    std::int32_t partition_index = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetDeleteRequestPartition&) const = default;
    template <class T = OffsetDeleteRequestPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
      };
    }
  };

  struct OffsetDeleteRequestTopic {
    static constexpr std::string_view type_name = "OffsetDeleteRequestTopic";

    std::string name;
    std::vector<OffsetDeleteRequestPartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetDeleteRequestTopic&) const = default;
    template <class T = OffsetDeleteRequestTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::string group_id;
  std::vector<OffsetDeleteRequestTopic> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetDeleteRequest&) const = default;
  template <class T = OffsetDeleteRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, since(0)),
        field("topics", &T::topics, since(0)),
    };
  }
};

struct OffsetDeleteResponse {
  static constexpr MessageInfo info{"OffsetDeleteResponse", MessageKind::response, 47, only(0),
                                    no_versions};

  struct OffsetDeleteResponsePartition {
    static constexpr std::string_view type_name = "OffsetDeleteResponsePartition";

    std::int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetDeleteResponsePartition&) const = default;
    template <class T = OffsetDeleteResponsePartition>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("errorCode", &T::error_code, since(0)),
      };
    }
  };

  struct OffsetDeleteResponseTopic {
    static constexpr std::string_view type_name = "OffsetDeleteResponseTopic";

    std::string name;
    std::vector<OffsetDeleteResponsePartition> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OffsetDeleteResponseTopic&) const = default;
    template <class T = OffsetDeleteResponseTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  ErrorCode error_code = ErrorCode::none;
  std::int32_t throttle_time_ms = 0;
  std::vector<OffsetDeleteResponseTopic> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetDeleteResponse&) const = default;
  template <class T = OffsetDeleteResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("errorCode", &T::error_code, since(0)),
        field("throttleTimeMs", &T::throttle_time_ms, since(0)).ignorable(),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
