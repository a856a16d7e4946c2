// A consumer group over topics of its own: members that send heartbeats and remember what came
// back.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/minibroker/group/group_fixture.h"

namespace fencepost::minibroker {

using protocol::ConsumerGroupHeartbeatRequest;
using protocol::ConsumerGroupHeartbeatResponse;
using protocol::JoinGroupResponse;

inline Uuid topic_id(std::uint8_t number) {
  Uuid uuid;
  uuid.bytes[15] = number;
  return uuid;
}

class ConsumerGroups : public Groups {
 public:
  explicit ConsumerGroups(GroupSettings settings = {}, Era era = {})
      : Groups(std::move(era), at_once(std::move(settings))) {
    add_topic("in", 4);
  }
  // Targets are computed with each change.
  static GroupSettings at_once(GroupSettings settings) {
    settings.consumer.assignment_interval = Duration{};
    settings.initial_rebalance_delay = Duration{};
    return settings;
  }

  void add_topic(const std::string& name, std::int32_t partition_count) {
    const Uuid id = topic_id(static_cast<std::uint8_t>(topics_.size() + 1));
    topics_[name] = {id, partition_count};
    coordinator.update_topics(topics_, ++version_);
  }
  void resize_topic(const std::string& name, std::int32_t partition_count) {
    topics_[name].partition_count = partition_count;
    coordinator.update_topics(topics_, ++version_);
  }

  struct Consumer {
    std::string id;
    std::int32_t epoch = 0;
    std::map<Uuid, std::set<std::int32_t>> owned = {};
    std::optional<std::string> instance = std::nullopt;
  };

  static ConsumerGroupHeartbeatRequest joining(const Consumer& consumer,
                                               std::vector<std::string> names = {"in"}) {
    ConsumerGroupHeartbeatRequest request;
    request.group_id = "g";
    request.member_id = consumer.id;
    request.instance_id = consumer.instance;
    request.rebalance_timeout_ms = 60'000;
    request.subscribed_topic_names = std::move(names);
    request.topic_partitions.emplace();
    return request;
  }
  static ConsumerGroupHeartbeatRequest beating(const Consumer& consumer) {
    ConsumerGroupHeartbeatRequest request;
    request.group_id = "g";
    request.member_id = consumer.id;
    request.member_epoch = consumer.epoch;
    request.instance_id = consumer.instance;
    request.topic_partitions.emplace();
    for (const auto& [id, partitions] : consumer.owned)
      request.topic_partitions->push_back({id, {partitions.begin(), partitions.end()}, {}});
    return request;
  }
  // Sends it and takes over what came back, as a client does that revokes at once.
  ConsumerGroupHeartbeatResponse exchange(Consumer& consumer,
                                          const ConsumerGroupHeartbeatRequest& request) {
    const ConsumerGroupHeartbeatResponse response = ask(request, 1);
    if (response.error_code != ErrorCode::none) return response;
    consumer.epoch = response.member_epoch;
    if (response.assignment.has_value()) {
      consumer.owned.clear();
      for (const auto& it : response.assignment->topic_partitions)
        consumer.owned[it.topic_id] = {it.partitions.begin(), it.partitions.end()};
    }
    return response;
  }
  Consumer join_as(const std::string& id, std::vector<std::string> names = {"in"},
                   std::optional<std::string> instance = std::nullopt) {
    Consumer consumer{id, 0, {}, std::move(instance)};
    exchange(consumer, joining(consumer, std::move(names)));
    return consumer;
  }
  ConsumerGroupHeartbeatResponse beat_with(Consumer& consumer) {
    return exchange(consumer, beating(consumer));
  }
  ErrorCode leave(const Consumer& consumer, std::int32_t epoch = leaving_member_epoch) {
    ConsumerGroupHeartbeatRequest request = beating(consumer);
    request.member_epoch = epoch;
    return ask(request, 1).error_code;
  }
  // Heartbeats of all until nothing moves any more.
  void reconcile_all(std::vector<Consumer*> consumers) {
    for (int round = 0; round < 4; ++round)
      for (Consumer* it : consumers) beat_with(*it);
  }
  protocol::ConsumerGroupDescribeResponse::DescribedGroup described() {
    protocol::ConsumerGroupDescribeRequest request;
    request.group_ids = {"g"};
    return ask(request, 1).groups.at(0);
  }
  std::string group_type() {
    const auto listed = ask(protocol::ListGroupsRequest{}, 5);
    return listed.groups.empty() ? "" : listed.groups[0].group_type;
  }
  static std::set<std::int32_t> partitions_of(const Consumer& consumer, const Uuid& topic) {
    const auto found = consumer.owned.find(topic);
    return found == consumer.owned.end() ? std::set<std::int32_t>{} : found->second;
  }

 private:
  std::map<std::string, TopicFacts> topics_;
  std::int64_t version_ = 0;
};

}  // namespace fencepost::minibroker
