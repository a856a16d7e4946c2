// The records of __consumer_offsets that the classic group protocol and every offset commit write.
// The legacy key has versions 0 and 1 of the offset commit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct LegacyOffsetCommitKey {
  static constexpr MessageInfo info{"LegacyOffsetCommitKey", MessageKind::data, 0, only(0),
                                    no_versions};

  std::string group;
  std::string topic;
  std::int32_t partition = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const LegacyOffsetCommitKey&) const = default;
  template <class T = LegacyOffsetCommitKey>
  static constexpr auto fields() {
    return std::tuple{
        field("group", &T::group, only(0)),
        field("topic", &T::topic, only(0)),
        field("partition", &T::partition, only(0)),
    };
  }
};

struct LegacyOffsetCommitValue {
  static constexpr MessageInfo info{"LegacyOffsetCommitValue", MessageKind::data, 0, only(0),
                                    no_versions};

  std::int64_t offset = 0;
  std::string metadata;
  std::int64_t commit_timestamp = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const LegacyOffsetCommitValue&) const = default;
  template <class T = LegacyOffsetCommitValue>
  static constexpr auto fields() {
    return std::tuple{
        field("offset", &T::offset, only(0)),
        field("metadata", &T::metadata, only(0)),
        field("commitTimestamp", &T::commit_timestamp, only(0)),
    };
  }
};

struct OffsetCommitKey {
  static constexpr MessageInfo info{"OffsetCommitKey", MessageKind::data, 1, only(0), no_versions};

  std::string group;
  std::string topic;
  std::int32_t partition = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetCommitKey&) const = default;
  template <class T = OffsetCommitKey>
  static constexpr auto fields() {
    return std::tuple{
        field("group", &T::group, only(0)),
        field("topic", &T::topic, only(0)),
        field("partition", &T::partition, only(0)),
    };
  }
};

struct OffsetCommitValue {
  static constexpr MessageInfo info{"OffsetCommitValue", MessageKind::data, 1, between(0, 4),
                                    since(4)};

  std::int64_t offset = 0;
  std::int32_t leader_epoch = -1;
  std::string metadata;
  std::int64_t commit_timestamp = 0;
  std::int64_t expire_timestamp = -1;
  Uuid topic_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const OffsetCommitValue&) const = default;
  template <class T = OffsetCommitValue>
  static constexpr auto fields() {
    return std::tuple{
        field("offset", &T::offset, since(0)),
        field("leaderEpoch", &T::leader_epoch, since(3)).ignorable(),
        field("metadata", &T::metadata, since(0)),
        field("commitTimestamp", &T::commit_timestamp, since(0)),
        field("expireTimestamp", &T::expire_timestamp, only(1)).ignorable(),
        field("topicId", &T::topic_id, since(4)).tagged(0, since(4)).ignorable(),
    };
  }
};

struct GroupMetadataKey {
  static constexpr MessageInfo info{"GroupMetadataKey", MessageKind::data, 2, only(0), no_versions};

  std::string group;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const GroupMetadataKey&) const = default;
  template <class T = GroupMetadataKey>
  static constexpr auto fields() {
    return std::tuple{
        field("group", &T::group, only(0)),
    };
  }
};

struct GroupMetadataValue {
  static constexpr MessageInfo info{"GroupMetadataValue", MessageKind::data, 2, between(0, 4),
                                    since(4)};

  struct MemberMetadata {
    static constexpr std::string_view type_name = "MemberMetadata";

    std::string member_id;
    std::optional<std::string> group_instance_id;
    std::string client_id;
    std::string client_host;
    std::int32_t rebalance_timeout = -1;
    std::int32_t session_timeout = 0;
    SharedBytes subscription;
    SharedBytes assignment;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const MemberMetadata&) const = default;
    template <class T = MemberMetadata>
    static constexpr auto fields() {
      return std::tuple{
          field("memberId", &T::member_id, since(0)),
          field("groupInstanceId", &T::group_instance_id, since(3)).nullable(since(3)).ignorable(),
          field("clientId", &T::client_id, since(0)),
          field("clientHost", &T::client_host, since(0)),
          field("rebalanceTimeout", &T::rebalance_timeout, since(1)).ignorable(),
          field("sessionTimeout", &T::session_timeout, since(0)),
          field("subscription", &T::subscription, since(0)),
          field("assignment", &T::assignment, since(0)),
      };
    }
  };

  std::string protocol_type;
  std::int32_t generation = 0;
  std::optional<std::string> protocol = std::string{};
  std::optional<std::string> leader = std::string{};
  std::int64_t current_state_timestamp = -1;
  std::vector<MemberMetadata> members;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const GroupMetadataValue&) const = default;
  template <class T = GroupMetadataValue>
  static constexpr auto fields() {
    return std::tuple{
        field("protocolType", &T::protocol_type, since(0)),
        field("generation", &T::generation, since(0)),
        field("protocol", &T::protocol, since(0)).nullable(since(0)),
        field("leader", &T::leader, since(0)).nullable(since(0)),
        field("currentStateTimestamp", &T::current_state_timestamp, since(2)).ignorable(),
        field("members", &T::members, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
