#include "tests/minibroker/group/group_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using std::chrono::hours;

namespace {

protocol::OffsetDeleteRequest delete_offset(const std::string& topic = "in") {
  protocol::OffsetDeleteRequest request;
  request.group_id = "g";
  request.topics = {{topic, {{0, {}}}, {}}};
  return request;
}

protocol::DeleteGroupsRequest delete_group() {
  protocol::DeleteGroupsRequest request;
  request.groups_names = {"g"};
  return request;
}

}  // namespace

TEST_CASE("Offsets of a simple group expire after the retention, and the group with them",
          "[group][expiration]") {
  Groups groups;
  groups.commit_offset({}, 10);
  groups.advance(hours(24 * 7) - minutes(1));
  CHECK(groups.committed() == 10);
  groups.advance(minutes(11));
  CHECK(groups.coordinator.states().empty());
  CHECK_FALSE(groups.coordinator.next_deadline().has_value());
  groups.fail_over();
  CHECK(groups.coordinator.states().empty());
}

TEST_CASE("Offsets of a group count their retention from when it became Empty",
          "[group][expiration]") {
  Groups groups;
  const auto members = groups.stable(1);
  groups.commit_offset(members[0], 10);
  for (int i = 0; i < 300; ++i) {
    groups.heartbeat(members[0]);
    groups.advance(seconds(9));
  }
  groups.advance(hours(24 * 7) - minutes(1));
  CHECK(groups.state().state == "Empty");
  CHECK(groups.committed() == 10);
  groups.advance(minutes(11));
  CHECK(groups.coordinator.states().empty());
}

TEST_CASE("A retention that an old client asks for goes before the broker's",
          "[group][expiration]") {
  Groups groups;
  auto request = Groups::commit({}, 10);
  request.retention_time_ms = 1'000;
  groups.ask(request, 4);
  groups.fail_over();
  CHECK(groups.committed() == 10);
  groups.advance(minutes(10));
  CHECK(groups.committed() == -1);
}

TEST_CASE("A group with only pending offsets is not taken for an unused one",
          "[group][expiration]") {
  Groups groups;
  groups.txn_commit_offset({}, 10);
  groups.advance(hours(24 * 8));
  groups.marker(1, true);
  CHECK(groups.committed() == 10);
}

TEST_CASE("An offset with a pending one beside it does not expire", "[group][expiration]") {
  Groups groups;
  groups.commit_offset({}, 5);
  groups.txn_commit_offset({}, 10);
  groups.advance(hours(24 * 8));
  CHECK(groups.committed() == 5);
  groups.marker(1, false);
  groups.advance(minutes(10));
  CHECK(groups.coordinator.states().empty());
}

TEST_CASE("After OffsetDelete with an open transaction the group can still go",
          "[group][expiration]") {
  Groups groups;
  groups.txn_commit_offset({}, 10);
  CHECK(groups.ask(delete_offset(), 0).error_code == ErrorCode::none);
  CHECK(groups.fetched(true).error_code == ErrorCode::none);
  groups.marker(1, true);
  CHECK(groups.committed() == -1);
  groups.advance(minutes(10));
  CHECK(groups.coordinator.states().empty());
}

TEST_CASE("A stable group keeps offsets of topics it reads and loses the others",
          "[group][expiration]") {
  Groups groups;
  const auto members = groups.stable(1);
  groups.commit_offset(members[0], 10);
  auto other = Groups::commit(members[0], 20);
  other.topics[0].name = "other";
  groups.ask(other, 9);
  const Instant end = groups.now + hours(24 * 7) + minutes(20);
  while (groups.now < end) {
    groups.heartbeat(members[0]);
    groups.advance(seconds(9));
  }
  const auto offsets = groups.state().offsets;
  CHECK(offsets.size() == 1);
  CHECK(offsets.at(0).topic == "in");
}

TEST_CASE("OffsetDelete refuses topics that the group reads", "[group][offset_delete]") {
  Groups groups;
  const auto members = groups.stable(1);
  groups.commit_offset(members[0], 10);
  CHECK(groups.ask(delete_offset(), 0).topics.at(0).partitions.at(0).error_code ==
        ErrorCode::group_subscribed_to_topic);
  CHECK(groups.committed() == 10);
  CHECK(groups.ask(delete_offset("other"), 0).topics.at(0).partitions.at(0).error_code ==
        ErrorCode::none);
}

TEST_CASE("OffsetDelete needs a group, and one whose topics can be known",
          "[group][offset_delete]") {
  Groups groups;
  CHECK(groups.ask(delete_offset(), 0).error_code == ErrorCode::group_id_not_found);
  auto connect = Groups::join();
  connect.protocol_type = "connect";
  groups.send(connect, 3);
  CHECK(groups.ask(delete_offset(), 0).error_code == ErrorCode::non_empty_group);
  groups.coordinator.begin_loading(0);
  CHECK(groups.ask(delete_offset(), 0).error_code == ErrorCode::coordinator_load_in_progress);
}

TEST_CASE("A deleted offset is gone for good", "[group][offset_delete]") {
  Groups groups;
  groups.commit_offset({}, 10);
  groups.ask(delete_offset(), 0);
  CHECK(groups.committed() == -1);
  groups.fail_over();
  CHECK(groups.committed() == -1);
}

TEST_CASE("DeleteGroups deletes groups without members, with their offsets",
          "[group][delete_groups]") {
  Groups groups;
  const auto code = [&] { return groups.ask(delete_group(), 2).results.at(0).error_code; };
  CHECK(code() == ErrorCode::group_id_not_found);
  const auto members = groups.stable(1);
  groups.commit_offset(members[0], 10);
  groups.txn_commit_offset(members[0], 20);
  CHECK(code() == ErrorCode::non_empty_group);
  groups.advance(seconds(10));
  CHECK(code() == ErrorCode::none);
  groups.marker(1, true);
  CHECK(groups.coordinator.states().empty());
  groups.fail_over();
  CHECK(groups.coordinator.states().empty());
}

TEST_CASE("A group whose tombstones are on their way is Dead", "[group][delete_groups]") {
  Groups groups;
  groups.commit_offset({}, 10);
  groups.is_log_held = true;
  const int deletion = groups.send(delete_group(), 2);
  CHECK(groups.ask(Groups::join(), 3).error_code == ErrorCode::coordinator_not_available);
  CHECK(groups.heartbeat({"m", 1}) == ErrorCode::coordinator_not_available);
  CHECK(groups.commit_offset({}, 11) == ErrorCode::coordinator_not_available);
  CHECK(groups.txn_commit_offset({}, 11) == ErrorCode::coordinator_not_available);
  CHECK(groups.committed() == -1);
  groups.replicate(ErrorCode::not_enough_replicas);
  CHECK(groups.answer<protocol::DeleteGroupsResponse>(deletion)->results.at(0).error_code ==
        ErrorCode::coordinator_not_available);
  CHECK(groups.committed() == 10);
}

TEST_CASE("DescribeGroups shows members with their assignments when the group is stable",
          "[group][describe]") {
  protocol::DescribeGroupsRequest request;
  request.groups = {"g"};
  Groups groups;
  groups.joined(1);
  const auto before = groups.ask(request, 5).groups.at(0);
  CHECK(before.group_state == "CompletingRebalance");
  CHECK(before.protocol_data.empty());
  CHECK(before.members.at(0).member_metadata.empty());

  Groups stable;
  stable.stable(1, {"i"});
  const auto described = stable.ask(request, 5).groups.at(0);
  CHECK(described.group_state == "Stable");
  CHECK(described.protocol_type == "consumer");
  CHECK(described.protocol_data == "range");
  CHECK(described.members.at(0).group_instance_id == "i");
  CHECK(described.members.at(0).client_host == "/127.0.0.1");
  CHECK(described.members.at(0).member_assignment == SharedBytes::copy_of("0"));
  CHECK(described.members.at(0).member_metadata == Groups::subscription_to("in"));
}

TEST_CASE("DescribeGroups of an unknown group is Dead, and an error from v6 on",
          "[group][describe]") {
  protocol::DescribeGroupsRequest request;
  request.groups = {"g"};
  Groups groups;
  const auto older = groups.ask(request, 5).groups.at(0);
  CHECK(older.group_state == "Dead");
  CHECK(older.error_code == ErrorCode::none);
  const auto newer = groups.ask(request, 6).groups.at(0);
  CHECK(newer.error_code == ErrorCode::group_id_not_found);
  CHECK(newer.error_message == "Group g not found.");
  groups.coordinator.unload(0, groups.now);
  CHECK(groups.ask(request, 5).groups.at(0).error_code == ErrorCode::not_coordinator);
}

TEST_CASE("ListGroups lists by state and type", "[group][describe]") {
  Groups groups;
  groups.stable(1);
  protocol::ListGroupsRequest request;
  const auto listed = groups.ask(request, 5).groups;
  CHECK(listed.at(0).group_id == "g");
  CHECK(listed.at(0).protocol_type == "consumer");
  CHECK(listed.at(0).group_state == "Stable");
  CHECK(listed.at(0).group_type == "classic");
  request.states_filter = {"stable"};
  CHECK(groups.ask(request, 5).groups.size() == 1);
  request.states_filter = {"Empty"};
  CHECK(groups.ask(request, 5).groups.empty());
  request.states_filter.clear();
  request.types_filter = {"consumer"};
  CHECK(groups.ask(request, 5).groups.empty());
  groups.coordinator.begin_loading(0);
  CHECK(groups.ask(protocol::ListGroupsRequest{}, 5).error_code ==
        ErrorCode::coordinator_load_in_progress);
}

TEST_CASE("A coordinator is a value: a copy goes on by itself", "[group]") {
  Groups groups;
  const auto members = groups.stable(1);
  GroupCoordinator copy = groups.coordinator;
  const auto digest_of = [](const GroupCoordinator& it) {
    Digest digest;
    it.add_to(digest);
    return digest.value();
  };
  CHECK(digest_of(copy) == digest_of(groups.coordinator));
  copy.advance_to(groups.now + seconds(10));
  CHECK(digest_of(copy) != digest_of(groups.coordinator));
  CHECK(copy.states().at(0).state == "Empty");
  CHECK(groups.heartbeat(members[0]) == ErrorCode::none);
}

}  // namespace fencepost::minibroker
