// ConsumerGroupDescribe (API key 69): state, members, epochs and assignments of KIP-848 groups.
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

struct ConsumerGroupDescribeResponse;

struct ConsumerGroupDescribeRequest {
  static constexpr MessageInfo info{"ConsumerGroupDescribeRequest", MessageKind::request, 69,
                                    between(0, 1), since(0)};
  using Response = ConsumerGroupDescribeResponse;

  std::vector<std::string> group_ids;
  bool include_authorized_operations = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupDescribeRequest&) const = default;
  template <class T = ConsumerGroupDescribeRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("groupIds", &T::group_ids, since(0)),
        field("includeAuthorizedOperations", &T::include_authorized_operations, since(0)),
    };
  }
};

struct ConsumerGroupDescribeResponse {
  static constexpr MessageInfo info{"ConsumerGroupDescribeResponse", MessageKind::response, 69,
                                    between(0, 1), since(0)};

  struct TopicPartitions {
    static constexpr std::string_view type_name = "TopicPartitions";

    Uuid topic_id;
    std::string topic_name;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicPartitions&) const = default;
    template <class T = TopicPartitions>
    static constexpr auto fields() {
      return std::tuple{
          field("topicId", &T::topic_id, since(0)),
          field("topicName", &T::topic_name, since(0)),
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

  struct Member {
    static constexpr std::string_view type_name = "Member";

    std::string member_id;
    std::optional<std::string> instance_id;
    std::optional<std::string> rack_id;
    std::int32_t member_epoch = 0;
    std::string client_id;
    std::string client_host;
    std::vector<std::string> subscribed_topic_names;
    std::optional<std::string> subscribed_topic_regex;
    Assignment assignment;
    Assignment target_assignment;
    std::int8_t member_type = -1;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const Member&) const = default;
    template <class T = Member>
    static constexpr auto fields() {
      return std::tuple{
          field("memberId", &T::member_id, since(0)),
          field("instanceId", &T::instance_id, since(0)).nullable(since(0)),
          field("rackId", &T::rack_id, since(0)).nullable(since(0)),
          field("memberEpoch", &T::member_epoch, since(0)),
          field("clientId", &T::client_id, since(0)),
          field("clientHost", &T::client_host, since(0)),
          field("subscribedTopicNames", &T::subscribed_topic_names, since(0)),
          field("subscribedTopicRegex", &T::subscribed_topic_regex, since(0)).nullable(since(0)),
          field("assignment", &T::assignment, since(0)),
          field("targetAssignment", &T::target_assignment, since(0)),
          field("memberType", &T::member_type, since(1)).ignorable(),
      };
    }
  };

  struct DescribedGroup {
    static constexpr std::string_view type_name = "DescribedGroup";

    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    std::string group_id;
    std::string group_state;
    std::int32_t group_epoch = 0;
    std::int32_t assignment_epoch = 0;
    std::string assignor_name;
    std::vector<Member> members;
    std::int32_t authorized_operations = -2147483648;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribedGroup&) const = default;
    template <class T = DescribedGroup>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
          field("groupId", &T::group_id, since(0)),
          field("groupState", &T::group_state, since(0)),
          field("groupEpoch", &T::group_epoch, since(0)),
          field("assignmentEpoch", &T::assignment_epoch, since(0)),
          field("assignorName", &T::assignor_name, since(0)),
          field("members", &T::members, since(0)),
          field("authorizedOperations", &T::authorized_operations, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<DescribedGroup> groups;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerGroupDescribeResponse&) const = default;
  template <class T = ConsumerGroupDescribeResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("groups", &T::groups, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
