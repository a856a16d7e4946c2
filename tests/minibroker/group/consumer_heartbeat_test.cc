// ConsumerGroupHeartbeat: epochs, reconciliation, static members, timeouts, and what is refused.
#include "tests/minibroker/group/consumer_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using Partitions = std::set<std::int32_t>;

TEST_CASE("The first member of a consumer group gets everything at once", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a{"a"};
  const auto response = groups.exchange(a, ConsumerGroups::joining(a));
  CHECK(response.error_code == ErrorCode::none);
  CHECK(response.member_id == "a");
  // A group begins at epoch 1, and its first member moves it on.
  CHECK(response.member_epoch == 2);
  CHECK(response.heartbeat_interval_ms == 5000);
  CHECK(ConsumerGroups::partitions_of(a, topic_id(1)) == Partitions{0, 1, 2, 3});
  CHECK(groups.described().group_state == "Stable");
  CHECK(groups.group_type() == "consumer");
}

TEST_CASE("A member gives partitions up before another one gets them", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  ConsumerGroups::Consumer b = groups.join_as("b");
  CHECK(b.epoch == 3);
  CHECK(b.owned.empty());

  // It is told to revoke, in its old epoch, and goes on only when it has.
  const ConsumerGroups::Consumer before = a;
  const auto told = groups.beat_with(a);
  CHECK(told.member_epoch == 2);
  CHECK(ConsumerGroups::partitions_of(a, topic_id(1)).size() == 2);
  CHECK(groups.ask(ConsumerGroups::beating(before), 1).member_epoch == 2);
  CHECK(groups.beat_with(b).assignment == std::nullopt);
  CHECK(groups.beat_with(a).member_epoch == 3);
  groups.beat_with(b);
  CHECK(ConsumerGroups::partitions_of(b, topic_id(1)).size() == 2);
  CHECK(groups.described().group_state == "Stable");
}

TEST_CASE("A heartbeat without news is answered without an assignment", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  const std::size_t records = groups.record_count();
  const auto response = groups.ask(ConsumerGroups::beating(a), 1);
  CHECK(response.error_code == ErrorCode::none);
  CHECK(response.assignment == std::nullopt);
  CHECK(groups.record_count() == records);
}

TEST_CASE("A target is computed no sooner than the interval after the last", "[group][consumer]") {
  ConsumerGroups groups;
  GroupSettings settings;
  settings.offsets_partition_count = 1;
  GroupCoordinator paced(settings, Era{}, 1);
  std::swap(groups.coordinator, paced);
  groups.coordinator.load(0, {}, groups.now);
  groups.add_topic("other", 1);
  ConsumerGroups::Consumer a = groups.join_as("a");
  ConsumerGroups::Consumer b = groups.join_as("b");
  CHECK(b.epoch == a.epoch);
  CHECK(groups.described().group_state == "Assigning");
  groups.advance(seconds(1));
  CHECK(groups.beat_with(b).member_epoch == a.epoch + 1);
}

TEST_CASE("Members that fell behind or ran ahead are fenced", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  a.epoch += 1;
  const auto ahead = groups.ask(ConsumerGroups::beating(a), 1);
  CHECK(ahead.error_code == ErrorCode::fenced_member_epoch);
  CHECK(ahead.error_message ==
        "The consumer group member has a greater member epoch (3) than the one known by the group "
        "coordinator (2). The member must abandon all its partitions and rejoin.");
  a.epoch = 1;
  CHECK(groups.ask(ConsumerGroups::beating(a), 1).error_code == ErrorCode::fenced_member_epoch);
}

TEST_CASE("A member that missed its answer may go on from the epoch before", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  groups.resize_topic("in", 6);
  ConsumerGroups::Consumer same = a;
  CHECK(groups.beat_with(a).member_epoch == 3);
  CHECK(groups.ask(ConsumerGroups::beating(same), 1).member_epoch == 3);
  same.owned[topic_id(9)] = {0};
  CHECK(groups.ask(ConsumerGroups::beating(same), 1).error_code == ErrorCode::fenced_member_epoch);
}

TEST_CASE("New partitions of a topic are given out with the next heartbeat", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  groups.resize_topic("in", 6);
  groups.beat_with(a);
  CHECK(ConsumerGroups::partitions_of(a, topic_id(1)) == Partitions{0, 1, 2, 3, 4, 5});
}

TEST_CASE("What a member leaves goes to the others", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  ConsumerGroups::Consumer b = groups.join_as("b");
  groups.reconcile_all({&a, &b});
  CHECK(groups.leave(a) == ErrorCode::none);
  groups.beat_with(b);
  CHECK(ConsumerGroups::partitions_of(b, topic_id(1)) == Partitions{0, 1, 2, 3});
  CHECK(groups.leave(b) == ErrorCode::none);
  CHECK(groups.described().group_state == "Empty");
  CHECK(groups.leave(b) == ErrorCode::unknown_member_id);
}

TEST_CASE("A member that is not heard of for its session is thrown out", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  groups.advance(seconds(44));
  groups.beat_with(a);
  groups.advance(seconds(44));
  CHECK(groups.described().members.size() == 1);
  groups.advance(seconds(1));
  CHECK(groups.described().members.empty());
  CHECK(groups.ask(ConsumerGroups::beating(a), 1).error_code == ErrorCode::unknown_member_id);
}

TEST_CASE("A member that does not revoke in its rebalance timeout is thrown out",
          "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  const ConsumerGroups::Consumer stubborn = a;
  groups.join_as("b");
  groups.beat_with(a);
  for (int i = 0; i < 5; ++i) {
    groups.advance(seconds(11));
    groups.ask(ConsumerGroups::beating(stubborn), 1);
  }
  CHECK(groups.ask(ConsumerGroups::beating(stubborn), 1).error_code == ErrorCode::none);
  groups.advance(seconds(6));
  CHECK(groups.ask(ConsumerGroups::beating(stubborn), 1).error_code ==
        ErrorCode::unknown_member_id);
}

TEST_CASE("A static member that goes for a while finds its partitions again", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a", {"in"}, "instance");
  ConsumerGroups::Consumer thief{"b", 0, {}, "instance"};
  const auto refused = groups.ask(ConsumerGroups::joining(thief), 1);
  CHECK(refused.error_code == ErrorCode::unreleased_instance_id);
  CHECK(groups.leave(a, leaving_static_member_epoch) == ErrorCode::none);
  CHECK(groups.described().members.at(0).member_epoch == leaving_static_member_epoch);
  groups.exchange(thief, ConsumerGroups::joining(thief));
  CHECK(ConsumerGroups::partitions_of(thief, topic_id(1)) == Partitions{0, 1, 2, 3});
  CHECK(thief.epoch == 2);
  CHECK(groups.ask(ConsumerGroups::beating(a), 1).error_code == ErrorCode::fenced_instance_id);
}

TEST_CASE("A full consumer group takes nobody in", "[group][consumer]") {
  GroupSettings settings;
  settings.consumer.max_size = 1;
  ConsumerGroups groups(settings);
  ConsumerGroups::Consumer a = groups.join_as("a");
  const ConsumerGroups::Consumer b{"b"};
  CHECK(groups.ask(ConsumerGroups::joining(b), 1).error_code == ErrorCode::group_max_size_reached);
  CHECK(groups.beat_with(a).error_code == ErrorCode::none);
}

TEST_CASE("Heartbeats that make no sense are refused before anything else", "[group][consumer]") {
  ConsumerGroups groups;
  const ConsumerGroups::Consumer a{"a"};
  const auto refused = [&](auto change) {
    ConsumerGroupHeartbeatRequest request = ConsumerGroups::joining(a);
    change(request);
    const auto response = groups.ask(request, 1);
    CHECK(response.error_code == ErrorCode::invalid_request);
    return response.error_message.value();
  };
  CHECK(refused([](auto& it) { it.member_id = ""; }) == "MemberId can't be empty.");
  CHECK(refused([](auto& it) { it.group_id = " "; }) == "GroupId can't be empty.");
  CHECK(refused([](auto& it) { it.instance_id = ""; }) == "InstanceId can't be empty.");
  CHECK(refused([](auto& it) { it.rack_id = ""; }) == "RackId can't be empty.");
  CHECK(refused([](auto& it) { it.rebalance_timeout_ms = -1; }) ==
        "RebalanceTimeoutMs must be provided in first request.");
  CHECK(refused([](auto& it) { it.topic_partitions.reset(); }) ==
        "TopicPartitions must be empty when (re-)joining.");
  CHECK(refused([](auto& it) { it.subscribed_topic_names.reset(); }) ==
        "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.");
  CHECK(refused([](auto& it) { it.member_epoch = -2; }) == "InstanceId can't be null.");
  CHECK(refused([](auto& it) { it.member_epoch = -3; }) == "MemberEpoch is invalid.");

  ConsumerGroupHeartbeatRequest request = ConsumerGroups::joining(a);
  request.server_assignor = "sticky";
  const auto response = groups.ask(request, 1);
  CHECK(response.error_code == ErrorCode::unsupported_assignor);
  CHECK(response.error_message ==
        "ServerAssignor sticky is not supported. Supported assignors: uniform, range.");
}

TEST_CASE("Unknown groups and members are told apart", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a{"a", 1};
  const auto no_group = groups.ask(ConsumerGroups::beating(a), 1);
  CHECK(no_group.error_code == ErrorCode::group_id_not_found);
  CHECK(no_group.error_message == "Consumer group g not found.");
  CHECK(groups.leave(a) == ErrorCode::group_id_not_found);
  groups.join_as("b");
  const auto no_member = groups.ask(ConsumerGroups::beating(a), 1);
  CHECK(no_member.error_code == ErrorCode::unknown_member_id);
  CHECK(no_member.error_message == "Member a is not a member of group g.");
}

TEST_CASE("Version 0 of the heartbeat hands out member ids", "[group][consumer]") {
  ConsumerGroups groups;
  const auto response = groups.ask(ConsumerGroups::joining({""}), 0);
  CHECK(response.error_code == ErrorCode::none);
  CHECK(response.member_id.value().size() == 22);
}

TEST_CASE("Most members choose the assignor", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a{"a"};
  ConsumerGroupHeartbeatRequest request = ConsumerGroups::joining(a);
  request.server_assignor = "range";
  groups.exchange(a, request);
  CHECK(groups.described().assignor_name == "range");
  CHECK(groups.leave(a) == ErrorCode::none);
  CHECK(groups.described().assignor_name == "uniform");
}

TEST_CASE("A change that cannot be written never happened", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  groups.next_write_error = ErrorCode::not_enough_replicas;
  const ConsumerGroups::Consumer b{"b"};
  const auto refused = groups.ask(ConsumerGroups::joining(b), 1);
  CHECK(refused.error_code == ErrorCode::coordinator_not_available);
  CHECK(groups.described().members.size() == 1);
  CHECK(groups.described().group_epoch == 2);
  CHECK(groups.beat_with(a).member_epoch == 2);
}

TEST_CASE("A group that could not be written is not there", "[group][consumer]") {
  ConsumerGroups groups;
  groups.next_write_error = ErrorCode::not_enough_replicas;
  CHECK(groups.ask(ConsumerGroups::joining({"a"}), 1).error_code ==
        ErrorCode::coordinator_not_available);
  CHECK(groups.described().error_code == ErrorCode::group_id_not_found);
  CHECK(groups.coordinator.states().empty());
}

TEST_CASE("An answer waits for the write that it tells of", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  groups.is_log_held = true;
  const int joining = groups.send(ConsumerGroups::joining({"b"}), 1);
  const int beating = groups.send(ConsumerGroups::beating({"b", 3}), 1);
  CHECK_FALSE(groups.is_answered(joining));
  CHECK_FALSE(groups.is_answered(beating));
  // Who looks at the group sees what is in the log.
  CHECK(groups.described().members.size() == 1);
  groups.replicate();
  CHECK(groups.is_answered(joining));
  CHECK(groups.is_answered(beating));
  CHECK(groups.described().members.size() == 2);
}

TEST_CASE("Consumer groups are deleted only when they are empty", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  protocol::DeleteGroupsRequest request;
  request.groups_names = {"g"};
  CHECK(groups.ask(request, 2).results.at(0).error_code == ErrorCode::non_empty_group);
  groups.leave(a);
  CHECK(groups.ask(request, 2).results.at(0).error_code == ErrorCode::none);
  CHECK(groups.described().error_code == ErrorCode::group_id_not_found);
  groups.fail_over();
  CHECK(groups.coordinator.states().empty());
}

TEST_CASE("DescribeGroups does not know consumer groups", "[group][consumer]") {
  ConsumerGroups groups;
  groups.join_as("a");
  protocol::DescribeGroupsRequest request;
  request.groups = {"g"};
  const auto now = groups.ask(request, 6).groups.at(0);
  CHECK(now.error_code == ErrorCode::group_id_not_found);
  CHECK(now.error_message == "Group g is not a classic group.");
  const auto old = groups.ask(request, 5).groups.at(0);
  CHECK(old.error_code == ErrorCode::none);
  CHECK(old.group_state == "Dead");
}

}  // namespace fencepost::minibroker
