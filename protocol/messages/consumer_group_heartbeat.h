// ConsumerGroupHeartbeat (API key 68): the one call of the consumer group protocol (KIP-848): join,
// keep alive, report, receive an assignment, leave.
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

struct ConsumerGroupHeartbeatResponse;

struct ConsumerGroupHeartbeatRequest {
  static constexpr MessageInfo info{"ConsumerGroupHeartbeatRequest", MessageKind::request, 68,
                                    between(0, 1), since(0)};
  using Response = ConsumerGroupHeartbeatResponse;

  struct TopicPartitions {
    static constexpr std::string_view type_name = "TopicPartitions";

    Uuid topic_id;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicPartitions&) const = default;
    template <class T = TopicPartitions>
    static constexpr auto fields() {
      return std::tuple{
          field("topicId", &T::topic_id, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::string group_id;
  std::string member_id;
  std::int32_t member_epoch = 0;
  std::optional<std::string> instance_id;
  std::optional<std::string> rack_id;
  std::int32_t rebalance_timeout_ms = -1;
  std::optional<std::vector<std::string>> subscribed_topic_names;
  std::optional<std::string> subscribed_topic_regex;
  std::optional<std::string> server_assignor;
  std::optional<std::vector<TopicPartitions>> topic_partitions;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupHeartbeatRequest&) const = default;
  template <class T = ConsumerGroupHeartbeatRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupId", &T::group_id, since(0)),
        field("memberId", &T::member_id, since(0)),
        field("memberEpoch", &T::member_epoch, since(0)),
        field("instanceId", &T::instance_id, since(0)).nullable(since(0)),
        field("rackId", &T::rack_id, since(0)).nullable(since(0)),
        field("rebalanceTimeoutMs", &T::rebalance_timeout_ms, since(0)),
        field("subscribedTopicNames", &T::subscribed_topic_names, since(0)).nullable(since(0)),
        field("subscribedTopicRegex", &T::subscribed_topic_regex, since(1)).nullable(since(1)),
        field("serverAssignor", &T::server_assignor, since(0)).nullable(since(0)),
        field("topicPartitions", &T::topic_partitions, since(0)).nullable(since(0)),
    };
  }
};

struct ConsumerGroupHeartbeatResponse {
  static constexpr MessageInfo info{"ConsumerGroupHeartbeatResponse", MessageKind::response, 68,
                                    between(0, 1), since(0)};

  struct TopicPartitions {
    static constexpr std::string_view type_name = "TopicPartitions";

    Uuid topic_id;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicPartitions&) const = default;
    template <class T = TopicPartitions>
    static constexpr auto fields() {
      return std::tuple{
          field("topicId", &T::topic_id, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  struct Assignment {
    static constexpr std::string_view type_name = "Assignment";

    std::vector<TopicPartitions> topic_partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const Assignment&) const = default;
    template <class T = Assignment>
    static constexpr auto fields() {
      return std::tuple{
          field("topicPartitions", &T::topic_partitions, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message;
  std::optional<std::string> member_id;
  std::int32_t member_epoch = 0;
  std::int32_t heartbeat_interval_ms = 0;
  std::optional<Assignment> assignment;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupHeartbeatResponse&) const = default;
  template <class T = ConsumerGroupHeartbeatResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("memberId", &T::member_id, since(0)).nullable(since(0)),
        field("memberEpoch", &T::member_epoch, since(0)),
        field("heartbeatIntervalMs", &T::heartbeat_interval_ms, since(0)),
        field("assignment", &T::assignment, since(0)).nullable(since(0)),
    };
  }
};

}  // namespace fencepost::protocol
