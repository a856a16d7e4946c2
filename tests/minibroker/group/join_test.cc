#include "tests/minibroker/group/group_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using protocol::JoinGroupResponse;
using protocol::SyncGroupResponse;

TEST_CASE("JoinGroup v4 hands out a member id first, v3 does not", "[group][join]") {
  Groups groups;
  const JoinGroupResponse first = groups.ask(Groups::join(), 4);
  CHECK(first.error_code == ErrorCode::member_id_required);
  CHECK(first.member_id.substr(0, 7) == "client-");
  CHECK(first.member_id.size() == 7 + 36);

  Groups older;
  CHECK_FALSE(older.is_answered(older.send(Groups::join(), 3)));
  CHECK(older.state().members.size() == 1);
}

TEST_CASE("The first round waits for the initial rebalance delay and is extended by a newcomer",
          "[group][join]") {
  Groups groups;
  const int first = groups.send(Groups::join(), 3);
  groups.advance(seconds(2));
  const int second = groups.send(Groups::join(), 3);
  groups.advance(seconds(3));
  CHECK_FALSE(groups.is_answered(first));
  groups.advance(seconds(1));
  const auto leader = groups.answer<JoinGroupResponse>(first).value();
  const auto follower = groups.answer<JoinGroupResponse>(second).value();
  CHECK(leader.generation_id == 1);
  CHECK(leader.leader == leader.member_id);
  CHECK(leader.members.size() == 2);
  CHECK(leader.protocol_name == "range");
  CHECK(follower.leader == leader.member_id);
  CHECK(follower.members.empty());
  CHECK(groups.state().state == "CompletingRebalance");
}

TEST_CASE("The initial delay is not extended beyond the rebalance timeout", "[group][join]") {
  Groups groups;
  auto request = Groups::join();
  request.rebalance_timeout_ms = 7'000;
  const int first = groups.send(request, 3);
  for (int i = 0; i < 6; ++i) {
    groups.advance(seconds(1));
    groups.send(request, 3);
  }
  CHECK_FALSE(groups.is_answered(first));
  groups.advance(seconds(1));
  CHECK(groups.is_answered(first));
}

TEST_CASE("A later round ends as soon as everybody has joined", "[group][join]") {
  Groups groups;
  const auto members = groups.stable(1);
  const int newcomer = groups.send(Groups::join(groups.new_member_id()), 9);
  CHECK(groups.heartbeat(members[0]) == ErrorCode::rebalance_in_progress);
  CHECK_FALSE(groups.is_answered(newcomer));
  const auto rejoined = groups.ask(Groups::join(members[0].id), 9);
  CHECK(rejoined.generation_id == 2);
  CHECK(groups.answer<JoinGroupResponse>(newcomer)->leader == members[0].id);
}

TEST_CASE("A member that does not rejoin is removed at the rebalance timeout", "[group][join]") {
  Groups groups;
  const auto members = groups.stable(2);
  const int rejoin = groups.send(Groups::join(members[0].id), 9);
  for (int i = 0; i < 6; ++i) {
    CHECK_FALSE(groups.is_answered(rejoin));
    CHECK(groups.heartbeat(members[1]) == ErrorCode::rebalance_in_progress);
    groups.advance(seconds(10) - milliseconds(1));
  }
  groups.advance(seconds(1));
  CHECK(groups.answer<JoinGroupResponse>(rejoin)->generation_id == 2);
  CHECK(groups.state().members == std::vector<std::string>{members[0].id});
  CHECK(groups.heartbeat(members[1]) == ErrorCode::unknown_member_id);
}

TEST_CASE("A static member that does not rejoin keeps its place", "[group][join]") {
  Groups groups;
  const auto members = groups.stable(2, {"a", "b"});
  const int rejoin = groups.send(Groups::join(members[0].id, "a"), 9);
  for (int i = 0; i < 7; ++i) {
    groups.heartbeat(members[1]);
    groups.advance(seconds(9));
  }
  CHECK(groups.answer<JoinGroupResponse>(rejoin)->generation_id == 2);
  CHECK(groups.state().members.size() == 2);
}

TEST_CASE("JoinGroup refuses an unknown member id, whatever the group", "[group][join]") {
  Groups groups;
  const auto unknown_group = groups.ask(Groups::join("m"), 9);
  CHECK(unknown_group.error_code == ErrorCode::unknown_member_id);
  CHECK(unknown_group.member_id == "m");
  CHECK(groups.coordinator.states().empty());
  groups.stable(1);
  CHECK(groups.ask(Groups::join("m"), 9).error_code == ErrorCode::unknown_member_id);
}

TEST_CASE("A full group refuses before it looks at the protocols", "[group][join]") {
  GroupSettings settings;
  settings.max_size = 1;
  Groups groups(new_coordinator(), settings);
  const auto members = groups.stable(1);
  const auto refused = groups.ask(Groups::join("", {}, {"other"}), 9);
  CHECK(refused.error_code == ErrorCode::group_max_size_reached);
  CHECK(refused.member_id.empty());
  CHECK(groups.heartbeat(members[0]) == ErrorCode::none);
}

TEST_CASE("A round of a full group lets only those in who wait", "[group][join]") {
  GroupSettings settings;
  settings.max_size = 1;
  Groups groups(new_coordinator(), settings);
  const int first = groups.send(Groups::join(), 3);
  CHECK(groups.ask(Groups::join(), 3).error_code == ErrorCode::group_max_size_reached);
  groups.advance(seconds(4));
  CHECK(groups.answer<JoinGroupResponse>(first)->error_code == ErrorCode::none);
}

TEST_CASE("JoinGroup refuses protocols that not all members share", "[group][join]") {
  Groups groups;
  groups.stable(1);
  const auto code = [&](protocol::JoinGroupRequest request) {
    return groups.ask(request, 9).error_code;
  };
  CHECK(code(Groups::join("", {}, {"sticky"})) == ErrorCode::inconsistent_group_protocol);
  auto connect = Groups::join();
  connect.protocol_type = "connect";
  CHECK(code(connect) == ErrorCode::inconsistent_group_protocol);
  Groups empty;
  CHECK(empty.ask(Groups::join("", {}, {}), 9).error_code ==
        ErrorCode::inconsistent_group_protocol);
}

TEST_CASE("The protocol that most members want is selected", "[group][join]") {
  Groups groups;
  groups.send(Groups::join("", {}, {"range", "sticky"}), 3);
  groups.send(Groups::join("", {}, {"sticky", "range"}), 3);
  const int last = groups.send(Groups::join("", {}, {"sticky", "range", "own"}), 3);
  groups.advance(seconds(10));
  CHECK(groups.answer<JoinGroupResponse>(last)->protocol_name == "sticky");
}

TEST_CASE("A repeated join in CompletingRebalance is answered with the same generation",
          "[group][join]") {
  Groups groups;
  const auto members = groups.joined(2);
  const auto follower = groups.ask(Groups::join(members[1].id), 9);
  CHECK(follower.generation_id == 1);
  CHECK(follower.members.empty());
  CHECK(groups.ask(Groups::join(members[0].id), 9).members.size() == 2);
  const int changed = groups.send(Groups::join(members[1].id, {}, {"range", "sticky"}), 9);
  CHECK_FALSE(groups.is_answered(changed));
  CHECK(groups.state().state == "PreparingRebalance");
}

TEST_CASE("In a stable group the leader's join rebalances, an unchanged follower's does not",
          "[group][join]") {
  Groups groups;
  const auto members = groups.stable(2);
  const auto follower = groups.ask(Groups::join(members[1].id), 9);
  CHECK(follower.error_code == ErrorCode::none);
  CHECK(follower.generation_id == 1);
  CHECK_FALSE(groups.is_answered(groups.send(Groups::join(members[0].id), 9)));
  CHECK(groups.state().state == "PreparingRebalance");
}

TEST_CASE("A member id that was handed out expires with the session timeout", "[group][join]") {
  Groups groups;
  const std::string member_id = groups.new_member_id();
  groups.advance(seconds(10));
  CHECK(groups.ask(Groups::join(member_id), 9).error_code == ErrorCode::unknown_member_id);
}

TEST_CASE("A member id that was handed out holds the round open until it joins or expires",
          "[group][join]") {
  Groups groups;
  const auto members = groups.stable(1);
  groups.new_member_id();
  const int rejoin = groups.send(Groups::join(members[0].id), 9);
  CHECK_FALSE(groups.is_answered(rejoin));
  groups.advance(seconds(10));
  CHECK(groups.answer<JoinGroupResponse>(rejoin)->generation_id == 2);
}

TEST_CASE("A pending member id does not go with an instance id", "[group][join]") {
  Groups groups;
  CHECK(groups.ask(Groups::join(groups.new_member_id(), "i"), 9).error_code ==
        ErrorCode::unknown_server_error);
}

TEST_CASE("The session timeout has to be within the broker's limits", "[group][join]") {
  for (const Era& era : {new_coordinator(), old_coordinator()}) {
    Groups groups(era);
    auto request = Groups::join();
    request.session_timeout_ms = 5'999;
    CHECK(groups.ask(request, 9).error_code == ErrorCode::invalid_session_timeout);
    request.session_timeout_ms = 1'800'001;
    CHECK(groups.ask(request, 9).error_code == ErrorCode::invalid_session_timeout);
  }
}

TEST_CASE("Who is loading or not the owner says so before the session timeout only in old eras",
          "[group][join]") {
  auto request = Groups::join();
  request.session_timeout_ms = 1;
  for (const Era& era : {new_coordinator(), old_coordinator()}) {
    Groups groups(era);
    const bool is_new = era.has_new_group_coordinator;
    groups.coordinator.unload(0, groups.now);
    CHECK(groups.ask(request, 9).error_code ==
          (is_new ? ErrorCode::invalid_session_timeout : ErrorCode::not_coordinator));
    CHECK(groups.ask(Groups::join(), 9).error_code == ErrorCode::not_coordinator);
    groups.coordinator.begin_loading(0);
    CHECK(groups.ask(request, 9).error_code ==
          (is_new ? ErrorCode::invalid_session_timeout : ErrorCode::coordinator_load_in_progress));
    request.group_id = "";
    CHECK(groups.ask(request, 9).error_code == ErrorCode::invalid_group_id);
    request.group_id = "g";
  }
}

TEST_CASE("A refused join names no protocol: null from v7 on, empty before", "[group][join]") {
  Groups groups;
  CHECK(groups.ask(Groups::join("m"), 7).protocol_name == std::nullopt);
  CHECK(groups.ask(Groups::join("m"), 6).protocol_name == "");
}

TEST_CASE("Only the new coordinator writes a group down when it is created", "[group][join]") {
  Groups newer;
  newer.ask(Groups::join(), 9);
  CHECK(newer.record_count() == 1);
  newer.fail_over();
  CHECK(newer.state().state == "Empty");
  Groups older(old_coordinator());
  older.ask(Groups::join(), 9);
  CHECK(older.record_count() == 0);
}

TEST_CASE("A group that cannot be written down answers the join with the error", "[group][join]") {
  Groups groups;
  groups.next_write_error = ErrorCode::not_enough_replicas;
  const int join = groups.send(Groups::join(), 3);
  CHECK(groups.answer<JoinGroupResponse>(join)->error_code == ErrorCode::coordinator_not_available);
  CHECK(groups.coordinator.states().empty());
}

TEST_CASE("A static member that comes back keeps generation and assignment", "[group][static]") {
  Groups groups;
  const auto members = groups.stable(2, {"a", "b"});
  const auto back = groups.ask(Groups::join("", "b"), 9);
  CHECK(back.error_code == ErrorCode::none);
  CHECK(back.generation_id == 1);
  CHECK(back.member_id != members[1].id);
  CHECK_FALSE(back.skip_assignment);
  CHECK(groups.state().state == "Stable");
  const Member renamed{back.member_id, 1, "b"};
  CHECK(groups.ask(Groups::sync(renamed), 5).assignment == SharedBytes::copy_of("1"));
  CHECK(groups.heartbeat(members[1]) == ErrorCode::fenced_instance_id);
}

TEST_CASE("A static leader that comes back skips the assignment from v9 on", "[group][static]") {
  Groups groups;
  const auto members = groups.stable(2, {"a", "b"});
  const auto back = groups.ask(Groups::join("", "a"), 9);
  CHECK(back.skip_assignment);
  CHECK(back.leader == back.member_id);
  CHECK(back.members.size() == 2);

  const auto older = groups.ask(Groups::join("", "a"), 8);
  CHECK(older.leader == back.member_id);
  CHECK(older.leader != older.member_id);
  CHECK(older.members.empty());
  CHECK(members[0].generation == older.generation_id);
}

TEST_CASE("The new name of a static member survives a fail-over", "[group][static]") {
  Groups groups;
  const auto members = groups.stable(1, {"i"});
  const auto back = groups.ask(Groups::join("", "i"), 9);
  groups.fail_over();
  CHECK(groups.heartbeat({back.member_id, back.generation_id, "i"}) == ErrorCode::none);
  CHECK(groups.heartbeat(members[0]) == ErrorCode::fenced_instance_id);
}

TEST_CASE("A new name that cannot be written down is taken back", "[group][static]") {
  Groups groups;
  const auto members = groups.stable(1, {"i"});
  groups.is_log_held = true;
  const int back = groups.send(Groups::join("", "i"), 9);
  CHECK_FALSE(groups.is_answered(back));
  groups.replicate(ErrorCode::not_leader_or_follower);
  const auto answer = groups.answer<JoinGroupResponse>(back).value();
  CHECK(answer.error_code == ErrorCode::not_coordinator);
  CHECK(answer.member_id.empty());
  CHECK(groups.heartbeat(members[0]) == ErrorCode::none);
}

TEST_CASE("A static member that comes back in CompletingRebalance starts a round",
          "[group][static]") {
  Groups groups;
  const auto members = groups.joined(2, {"a", "b"});
  const int waiting = groups.send(Groups::sync(members[1]), 5);
  groups.send(Groups::join("", "b"), 9);
  CHECK(groups.answer<SyncGroupResponse>(waiting)->error_code == ErrorCode::fenced_instance_id);
  CHECK(groups.state().state == "PreparingRebalance");
}

TEST_CASE("A static member's own delayed join fences its newer one", "[group][static]") {
  Groups groups;
  const auto members = groups.stable(3, {"i", "b", "c"});
  groups.send(Groups::join(members[1].id, "b", {"range", "sticky"}), 9);  // a round is open
  const int newer = groups.send(Groups::join("", "i"), 9);
  CHECK_FALSE(groups.is_answered(newer));
  const int delayed = groups.send(Groups::join("", "i"), 9);
  CHECK(groups.answer<JoinGroupResponse>(newer)->error_code == ErrorCode::fenced_instance_id);
  CHECK_FALSE(groups.is_answered(delayed));
}

TEST_CASE("A fenced static member sees that it is fenced, a stranger that it is unknown",
          "[group][static]") {
  Groups groups;
  const auto members = groups.stable(1, {"i"});
  CHECK(groups.ask(Groups::join("m", "i"), 9).error_code == ErrorCode::fenced_instance_id);
  CHECK(groups.ask(Groups::join(members[0].id, "j"), 9).error_code == ErrorCode::unknown_member_id);
}

TEST_CASE("The same seed hands out the same member ids", "[group][join]") {
  Groups one;
  Groups two;
  CHECK(one.new_member_id() == two.new_member_id());
  CHECK(one.new_member_id() != one.new_member_id());
}

TEST_CASE("Joins that wait are told when the coordinator moves", "[group][join]") {
  Groups groups;
  const int join = groups.send(Groups::join(), 3);
  groups.fail_over();
  CHECK(groups.answer<JoinGroupResponse>(join)->error_code == ErrorCode::not_coordinator);
}

}  // namespace fencepost::minibroker
