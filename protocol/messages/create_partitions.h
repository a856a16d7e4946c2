// CreatePartitions (API key 37): adds partitions to topics.
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

struct CreatePartitionsResponse;

struct CreatePartitionsRequest {
  static constexpr MessageInfo info{"CreatePartitionsRequest", MessageKind::request, 37,
                                    between(0, 3), since(2)};
  using Response = CreatePartitionsResponse;

  struct CreatePartitionsAssignment {
    static constexpr std::string_view type_name = "CreatePartitionsAssignment";

    std::vector<std::int32_t> broker_ids;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const CreatePartitionsAssignment&) const = default;
    template <class T = CreatePartitionsAssignment>
    static constexpr auto fields() {
      return std::tuple{
          field("brokerIds", &T::broker_ids, since(0)),
      };
    }
  };

  struct CreatePartitionsTopic {
    static constexpr std::string_view type_name = "CreatePartitionsTopic";

    std::string name;
    std::int32_t count = 0;
    std::optional<std::vector<CreatePartitionsAssignment>> assignments =
        std::vector<CreatePartitionsAssignment>{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const CreatePartitionsTopic&) const = default;
    template <class T = CreatePartitionsTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("count", &T::count, since(0)),
          field("assignments", &T::assignments, since(0)).nullable(since(0)),
      };
    }
  };

  std::vector<CreatePartitionsTopic> topics;
  std::int32_t timeout_ms = 0;
  bool validate_only = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const CreatePartitionsRequest&) const = default;
  template <class T = CreatePartitionsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
        field("timeoutMs", &T::timeout_ms, since(0)),
        field("validateOnly", &T::validate_only, since(0)),
    };
  }
};

struct CreatePartitionsResponse {
  static constexpr MessageInfo info{"CreatePartitionsResponse", MessageKind::response, 37,
                                    between(0, 3), since(2)};

  struct CreatePartitionsTopicResult {
    static constexpr std::string_view type_name = "CreatePartitionsTopicResult";

    std::string name;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const CreatePartitionsTopicResult&) const = default;
    template <class T = CreatePartitionsTopicResult>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<CreatePartitionsTopicResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const CreatePartitionsResponse&) const = default;
  template <class T = CreatePartitionsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("results", &T::results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
