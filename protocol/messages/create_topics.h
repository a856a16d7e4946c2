// CreateTopics (API key 19): creates topics, by partition count or by explicit replica assignment.
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

struct CreateTopicsResponse;

struct CreateTopicsRequest {
  static constexpr MessageInfo info{"CreateTopicsRequest", MessageKind::request, 19, between(2, 7),
                                    since(5)};
  using Response = CreateTopicsResponse;

  struct CreatableReplicaAssignment {
    static constexpr std::string_view type_name = "CreatableReplicaAssignment";

    std::int32_t partition_index = 0;
    std::vector<std::int32_t> broker_ids;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const CreatableReplicaAssignment&) const = default;
    template <class T = CreatableReplicaAssignment>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("brokerIds", &T::broker_ids, since(0)),
      };
    }
  };

  struct CreatableTopicConfig {
    static constexpr std::string_view type_name = "CreatableTopicConfig";

    std::string name;
    std::optional<std::string> value = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const CreatableTopicConfig&) const = default;
    template <class T = CreatableTopicConfig>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("value", &T::value, since(0)).nullable(since(0)),
      };
    }
  };

  struct CreatableTopic {
    static constexpr std::string_view type_name = "CreatableTopic";

    std::string name;
    std::int32_t num_partitions = 0;
    std::int16_t replication_factor = 0;
    std::vector<CreatableReplicaAssignment> assignments;
    std::vector<CreatableTopicConfig> configs;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const CreatableTopic&) const = default;
    template <class T = CreatableTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("numPartitions", &T::num_partitions, since(0)),
          field("replicationFactor", &T::replication_factor, since(0)),
          field("assignments", &T::assignments, since(0)),
          field("configs", &T::configs, since(0)),
      };
    }
  };

  std::vector<CreatableTopic> topics;
  std::int32_t timeout_ms = 60000;
  bool validate_only = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const CreateTopicsRequest&) const = default;
  template <class T = CreateTopicsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
        field("timeoutMs", &T::timeout_ms, since(0)),
        field("validateOnly", &T::validate_only, since(1)),
    };
  }
};

struct CreateTopicsResponse {
  static constexpr MessageInfo info{"CreateTopicsResponse", MessageKind::response, 19,
                                    between(2, 7), since(5)};

  struct CreatableTopicConfigs {
    static constexpr std::string_view type_name = "CreatableTopicConfigs";

    std::string name;
    std::optional<std::string> value = std::string{};
    bool read_only = false;
    std::int8_t config_source = -1;
    bool is_sensitive = false;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const CreatableTopicConfigs&) const = default;
    template <class T = CreatableTopicConfigs>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(5)),
          field("value", &T::value, since(5)).nullable(since(5)),
          field("readOnly", &T::read_only, since(5)),
          field("configSource", &T::config_source, since(5)).ignorable(),
          field("isSensitive", &T::is_sensitive, since(5)),
      };
    }
  };

  struct CreatableTopicResult {
    static constexpr std::string_view type_name = "CreatableTopicResult";

    std::string name;
    Uuid topic_id;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    ErrorCode topic_config_error_code = ErrorCode::none;
    std::int32_t num_partitions = -1;
    std::int16_t replication_factor = -1;
    std::optional<std::vector<CreatableTopicConfigs>> configs =
        std::vector<CreatableTopicConfigs>{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const CreatableTopicResult&) const = default;
    template <class T = CreatableTopicResult>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("topicId", &T::topic_id, since(7)).ignorable(),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(1)).nullable(since(0)).ignorable(),
          field("topicConfigErrorCode", &T::topic_config_error_code, since(5))
              .tagged(0, since(5))
              .ignorable(),
          field("numPartitions", &T::num_partitions, since(5)).ignorable(),
          field("replicationFactor", &T::replication_factor, since(5)).ignorable(),
          field("configs", &T::configs, since(5)).nullable(since(5)).ignorable(),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<CreatableTopicResult> topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const CreateTopicsResponse&) const = default;
  template <class T = CreateTopicsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(2)).ignorable(),
        field("topics", &T::topics, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
