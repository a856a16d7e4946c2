// ListPartitionReassignments (API key 46): the reassignments under way (KIP-455).
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

struct ListPartitionReassignmentsResponse;

struct ListPartitionReassignmentsRequest {
  static constexpr MessageInfo info{"ListPartitionReassignmentsRequest", MessageKind::request, 46,
                                    only(0), since(0)};
  using Response = ListPartitionReassignmentsResponse;

  struct ListPartitionReassignmentsTopics {
    static constexpr std::string_view type_name = "ListPartitionReassignmentsTopics";

    std::string name;
    std::vector<std::int32_t> partition_indexes;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ListPartitionReassignmentsTopics&) const = default;
    template <class T = ListPartitionReassignmentsTopics>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitionIndexes", &T::partition_indexes, since(0)),
      };
    }
  };

  std::int32_t timeout_ms = 60000;
  std::optional<std::vector<ListPartitionReassignmentsTopics>> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListPartitionReassignmentsRequest&) const = default;
  template <class T = ListPartitionReassignmentsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("timeoutMs", &T::timeout_ms, since(0)),
        field("topics", &T::topics, since(0)).nullable(since(0)),
    };
  }
};

struct ListPartitionReassignmentsResponse {
  static constexpr MessageInfo info{"ListPartitionReassignmentsResponse", MessageKind::response, 46,
                                    only(0), since(0)};

  struct OngoingTopicReassignment {
    static constexpr std::string_view type_name = "OngoingTopicReassignment";

    struct OngoingPartitionReassignment {
      static constexpr std::string_view type_name = "OngoingPartitionReassignment";

      std::int32_t partition_index = 0;
      std::vector<std::int32_t> replicas;
      std::vector<std::int32_t> adding_replicas;
      std::vector<std::int32_t> removing_replicas;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const OngoingPartitionReassignment&) const = default;
      template <class T = OngoingPartitionReassignment>
      static constexpr auto fields() {
        return std::tuple{
            field("partitionIndex", &T::partition_index, since(0)),
            field("replicas", &T::replicas, since(0)),
            field("addingReplicas", &T::adding_replicas, since(0)),
            field("removingReplicas", &T::removing_replicas, since(0)),
        };
      }
    };

    std::string name;
    std::vector<OngoingPartitionReassignment> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const OngoingTopicReassignment&) const = default;
    template <class T = OngoingTopicReassignment>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  std::vector<OngoingTopicReassignment> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListPartitionReassignmentsResponse&) const = default;
  template <class T = ListPartitionReassignmentsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
