// What the members of a classic consumer group embed in JoinGroup and SyncGroup: subscription and
// assignment. On the wire each stands behind its int16 version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct ConsumerProtocolSubscription {
  static constexpr MessageInfo info{"ConsumerProtocolSubscription", MessageKind::data, -1,
                                    between(0, 3), no_versions};

  struct TopicPartition {
    static constexpr std::string_view type_name = "TopicPartition";

    std::string topic;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicPartition&) const = default;
    template <class T = TopicPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(1)),
          field("partitions", &T::partitions, since(1)),
      };
    }
  };

  std::vector<std::string> topics;
  std::optional<SharedBytes> user_data;
  std::vector<TopicPartition> owned_partitions;
  std::int32_t generation_id = -1;
  std::optional<std::string> rack_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerProtocolSubscription&) const = default;
  template <class T = ConsumerProtocolSubscription>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)),
        field("userData", &T::user_data, since(0)).nullable(since(0)),
        field("ownedPartitions", &T::owned_partitions, since(1)).ignorable(),
        field("generationId", &T::generation_id, since(2)).ignorable(),
        field("rackId", &T::rack_id, since(3)).nullable(since(3)).ignorable(),
    };
  }
};

struct ConsumerProtocolAssignment {
  static constexpr MessageInfo info{"ConsumerProtocolAssignment", MessageKind::data, -1,
                                    between(0, 3), no_versions};

  struct TopicPartition {
    static constexpr std::string_view type_name = "TopicPartition";

    std::string topic;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicPartition&) const = default;
    template <class T = TopicPartition>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::vector<TopicPartition> assigned_partitions;
  std::optional<SharedBytes> user_data;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ConsumerProtocolAssignment&) const = default;
  template <class T = ConsumerProtocolAssignment>
  static constexpr auto fields() {
    return std::tuple{
        field("assignedPartitions", &T::assigned_partitions, since(0)),
        field("userData", &T::user_data, since(0)).nullable(since(0)),
    };
  }
};

}  // namespace fencepost::protocol
