#include "tests/minibroker/group/group_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

TEST_CASE("Heartbeat looks at the member before the generation", "[group][heartbeat]") {
  Groups groups;
  CHECK(groups.heartbeat({"m", 1}) == ErrorCode::unknown_member_id);
  const auto members = groups.stable(1, {"i"});
  CHECK(groups.heartbeat({"m", 9, "j"}) == ErrorCode::unknown_member_id);
  CHECK(groups.heartbeat({"m", 9, "i"}) == ErrorCode::fenced_instance_id);
  CHECK(groups.heartbeat({"m", 9}) == ErrorCode::unknown_member_id);
  CHECK(groups.heartbeat({members[0].id, 9}) == ErrorCode::illegal_generation);
  CHECK(groups.heartbeat(members[0]) == ErrorCode::none);
}

TEST_CASE("A member that stays silent is removed and the others rebalance", "[group][heartbeat]") {
  Groups groups;
  const auto members = groups.stable(2);
  groups.advance(seconds(6));
  CHECK(groups.heartbeat(members[0]) == ErrorCode::none);
  groups.advance(seconds(4) - milliseconds(1));
  CHECK(groups.state().members.size() == 2);
  groups.advance(milliseconds(1));
  CHECK(groups.heartbeat(members[0]) == ErrorCode::rebalance_in_progress);
  CHECK(groups.heartbeat(members[1]) == ErrorCode::unknown_member_id);
}

TEST_CASE("A heartbeat during a round keeps the session", "[group][heartbeat]") {
  Groups groups;
  const auto members = groups.stable(2);
  groups.send(Groups::join(members[0].id), 9);
  groups.advance(seconds(9));
  CHECK(groups.heartbeat(members[1]) == ErrorCode::rebalance_in_progress);
  groups.advance(seconds(9));
  CHECK(groups.heartbeat(members[1]) == ErrorCode::rebalance_in_progress);
}

TEST_CASE("In CompletingRebalance a heartbeat is answered as usual", "[group][heartbeat]") {
  Groups groups;
  CHECK(groups.heartbeat(groups.joined(1)[0]) == ErrorCode::none);
}

TEST_CASE("A group whose members are all gone is Empty in a new generation", "[group][heartbeat]") {
  Groups groups;
  const auto members = groups.stable(2);
  groups.advance(seconds(20));
  CHECK(groups.state().state == "Empty");
  CHECK(groups.state().generation == 2);
  CHECK(groups.heartbeat(members[0]) == ErrorCode::unknown_member_id);
  groups.fail_over();
  CHECK(groups.state().state == "Empty");
  CHECK(groups.state().generation == 2);
}

TEST_CASE("A loading coordinator answers heartbeats with 0", "[group][heartbeat]") {
  Groups groups;
  groups.coordinator.begin_loading(0);
  CHECK(groups.heartbeat({"m", 1}) == ErrorCode::none);
  auto request = Groups::beat({"m", 1});
  request.group_id = "";
  CHECK(groups.ask(request, 4).error_code == ErrorCode::invalid_group_id);
  groups.coordinator.unload(0, groups.now);
  CHECK(groups.heartbeat({"m", 1}) == ErrorCode::not_coordinator);
}

TEST_CASE("A fail-over gives members a fresh session", "[group][heartbeat]") {
  Groups groups;
  const auto members = groups.stable(1);
  groups.advance(seconds(9));
  groups.fail_over();
  groups.advance(seconds(9));
  CHECK(groups.heartbeat(members[0]) == ErrorCode::none);
  groups.advance(seconds(10));
  CHECK(groups.heartbeat(members[0]) == ErrorCode::unknown_member_id);
}

TEST_CASE("A first join whose client never hears of it is given up after five minutes",
          "[group][heartbeat]") {
  Groups groups;
  const auto members = groups.stable(1, {"i"});
  auto slow = Groups::join();
  slow.rebalance_timeout_ms = 3'600'000;
  const int newcomer = groups.send(slow, 3);
  for (int i = 0; i < 60 && !groups.is_answered(newcomer); ++i) {
    groups.heartbeat(members[0]);
    groups.advance(seconds(6));
  }
  CHECK(groups.answer<protocol::JoinGroupResponse>(newcomer)->error_code ==
        ErrorCode::unknown_member_id);
  CHECK(groups.now - Instant(seconds(1'000'000)) < minutes(6));
}

TEST_CASE("LeaveGroup removes the member and starts a round", "[group][leave]") {
  Groups groups;
  const auto members = groups.stable(2);
  protocol::LeaveGroupRequest request;
  request.group_id = "g";
  request.members = {{members[1].id, {}, {}, {}}, {"m", {}, {}, {}}};
  const auto answer = groups.ask(request, 5);
  CHECK(answer.error_code == ErrorCode::none);
  CHECK(answer.members.at(0).error_code == ErrorCode::none);
  CHECK(answer.members.at(1).error_code == ErrorCode::unknown_member_id);
  CHECK(groups.heartbeat(members[0]) == ErrorCode::rebalance_in_progress);
}

TEST_CASE("LeaveGroup before v3 answers for the one member", "[group][leave]") {
  Groups groups;
  const auto members = groups.stable(1);
  protocol::LeaveGroupRequest request;
  request.group_id = "g";
  request.member_id = "m";
  CHECK(groups.ask(request, 2).error_code == ErrorCode::unknown_member_id);
  request.member_id = members[0].id;
  CHECK(groups.ask(request, 2).error_code == ErrorCode::none);
  CHECK(groups.state().state == "Empty");
}

TEST_CASE("An administrator removes a static member by its instance id", "[group][leave]") {
  Groups groups;
  groups.stable(2, {"a", "b"});
  protocol::LeaveGroupRequest request;
  request.group_id = "g";
  request.members = {{"", "b", {}, {}}, {"", "c", {}, {}}, {"m", "a", {}, {}}};
  const auto answer = groups.ask(request, 5);
  CHECK(answer.members.at(0).error_code == ErrorCode::none);
  CHECK(answer.members.at(0).member_id.empty());
  CHECK(answer.members.at(1).error_code == ErrorCode::unknown_member_id);
  CHECK(answer.members.at(2).error_code == ErrorCode::fenced_instance_id);
  CHECK(groups.state().members.size() == 1);
}

TEST_CASE("Leaving an unknown group fails for each member, an unavailable one as a whole",
          "[group][leave]") {
  Groups groups;
  protocol::LeaveGroupRequest request;
  request.group_id = "g";
  request.members = {{"m", {}, {}, {}}};
  const auto unknown = groups.ask(request, 5);
  CHECK(unknown.error_code == ErrorCode::none);
  CHECK(unknown.members.at(0).error_code == ErrorCode::unknown_member_id);
  groups.coordinator.begin_loading(0);
  CHECK(groups.ask(request, 5).error_code == ErrorCode::coordinator_load_in_progress);
  request.group_id = "";
  CHECK(groups.ask(request, 5).error_code == ErrorCode::invalid_group_id);
}

TEST_CASE("A member id that was handed out can leave", "[group][leave]") {
  Groups groups;
  const auto members = groups.stable(1);
  const std::string pending = groups.new_member_id();
  const int rejoin = groups.send(Groups::join(members[0].id), 9);
  CHECK_FALSE(groups.is_answered(rejoin));
  protocol::LeaveGroupRequest request;
  request.group_id = "g";
  request.members = {{pending, {}, {}, {}}};
  CHECK(groups.ask(request, 5).members.at(0).error_code == ErrorCode::none);
  CHECK(groups.is_answered(rejoin));
}

TEST_CASE("The lead passes on when the leader leaves", "[group][leave]") {
  Groups groups;
  const auto members = groups.stable(2);
  protocol::LeaveGroupRequest request;
  request.group_id = "g";
  request.members = {{members[0].id, {}, {}, {}}};
  groups.ask(request, 5);
  CHECK(groups.ask(Groups::join(members[1].id), 9).leader == members[1].id);
}

}  // namespace fencepost::minibroker
