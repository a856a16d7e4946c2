#include "tests/minibroker/group/group_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using protocol::SyncGroupResponse;

TEST_CASE("The assignment is given out when its record is replicated", "[group][sync]") {
  Groups groups;
  const auto members = groups.joined(2);
  groups.is_log_held = true;
  const int follower = groups.send(Groups::sync(members[1]), 5);
  CHECK(groups.in_flight.empty());
  const int leader = groups.send(Groups::sync(members[0], {{members[1].id, "one"}}), 5);
  CHECK_FALSE(groups.is_answered(follower));
  CHECK_FALSE(groups.is_answered(leader));
  groups.replicate();
  const auto answer = groups.answer<SyncGroupResponse>(follower).value();
  CHECK(answer.assignment == SharedBytes::copy_of("one"));
  CHECK(answer.protocol_type == "consumer");
  CHECK(answer.protocol_name == "range");
  CHECK(groups.answer<SyncGroupResponse>(leader)->assignment.empty());
  CHECK(groups.state().state == "Stable");
}

TEST_CASE("An assignment that cannot be written fails everybody and starts a new round",
          "[group][sync]") {
  const std::pair<ErrorCode, ErrorCode> rows[] = {
      {ErrorCode::unknown_topic_or_partition, ErrorCode::coordinator_not_available},
      {ErrorCode::not_enough_replicas, ErrorCode::coordinator_not_available},
      {ErrorCode::request_timed_out, ErrorCode::coordinator_not_available},
      {ErrorCode::not_leader_or_follower, ErrorCode::not_coordinator},
      {ErrorCode::kafka_storage_error, ErrorCode::not_coordinator},
      {ErrorCode::message_too_large, ErrorCode::unknown_server_error},
      {ErrorCode::record_list_too_large, ErrorCode::unknown_server_error},
      {ErrorCode::invalid_fetch_size, ErrorCode::unknown_server_error},
  };
  for (const auto& [error, answer] : rows) {
    Groups groups;
    const auto members = groups.joined(2);
    const int follower = groups.send(Groups::sync(members[1]), 5);
    groups.next_write_error = error;
    CHECK(groups.ask(Groups::sync(members[0]), 5).error_code == answer);
    CHECK(groups.answer<SyncGroupResponse>(follower)->error_code == answer);
    CHECK(groups.state().state == "PreparingRebalance");
  }
}

TEST_CASE("SyncGroup looks at the member before the generation before the protocol",
          "[group][sync]") {
  Groups groups;
  const auto members = groups.stable(1, {"i"});
  auto request = Groups::sync({"m", 9, "i"});
  request.protocol_name = "other";
  const auto code = [&] { return groups.ask(request, 5).error_code; };
  CHECK(code() == ErrorCode::fenced_instance_id);
  request.group_instance_id = "j";
  CHECK(code() == ErrorCode::unknown_member_id);
  request.group_instance_id.reset();
  CHECK(code() == ErrorCode::unknown_member_id);
  request.member_id = members[0].id;
  CHECK(code() == ErrorCode::illegal_generation);
  request.generation_id = members[0].generation;
  CHECK(code() == ErrorCode::inconsistent_group_protocol);
  request.protocol_name = "range";
  request.protocol_type = "connect";
  CHECK(code() == ErrorCode::inconsistent_group_protocol);
  request.protocol_type = "consumer";
  CHECK(code() == ErrorCode::none);
}

TEST_CASE("SyncGroup of an unknown group is refused", "[group][sync]") {
  Groups groups;
  CHECK(groups.ask(Groups::sync({"m", 1}), 5).error_code == ErrorCode::unknown_member_id);
}

TEST_CASE("SyncGroup while a round is open says so", "[group][sync]") {
  Groups groups;
  const auto members = groups.stable(2);
  groups.send(Groups::join(members[0].id), 9);
  CHECK(groups.ask(Groups::sync(members[1]), 5).error_code == ErrorCode::rebalance_in_progress);
}

TEST_CASE("A round that starts while members wait for the assignment sends them into it",
          "[group][sync]") {
  Groups groups;
  const auto members = groups.joined(2);
  const int waiting = groups.send(Groups::sync(members[1]), 5);
  groups.send(Groups::join(groups.new_member_id()), 9);
  CHECK(groups.answer<SyncGroupResponse>(waiting)->error_code == ErrorCode::rebalance_in_progress);
}

TEST_CASE("An assignment that is replicated after its round is over changes nothing",
          "[group][sync]") {
  Groups groups;
  const auto members = groups.joined(2);
  groups.is_log_held = true;
  groups.send(Groups::sync(members[0]), 5);
  groups.send(Groups::join(members[1].id, {}, {"range", "sticky"}), 9);
  groups.replicate();
  CHECK(groups.state().state == "PreparingRebalance");
}

TEST_CASE("A loading coordinator answers SyncGroup by its era", "[group][sync]") {
  for (const Era& era : {new_coordinator(), old_coordinator()}) {
    Groups groups(era);
    groups.coordinator.begin_loading(0);
    CHECK(groups.ask(Groups::sync({"m", 1}), 5).error_code ==
          (era.has_new_group_coordinator ? ErrorCode::coordinator_load_in_progress
                                         : ErrorCode::rebalance_in_progress));
  }
}

TEST_CASE("Members that never ask for their assignment are removed", "[group][sync]") {
  Groups groups;
  const auto members = groups.joined(2);
  const int leader = groups.send(Groups::sync(members[0]), 5);
  CHECK(groups.answer<SyncGroupResponse>(leader)->error_code == ErrorCode::none);
  for (int i = 0; i < 6; ++i) {
    groups.heartbeat(members[0]);
    groups.heartbeat(members[1]);
    groups.advance(seconds(9));
  }
  CHECK(groups.state().members.size() == 2);
  groups.heartbeat(members[0]);
  groups.heartbeat(members[1]);
  groups.advance(seconds(7));
  CHECK(groups.state().members == std::vector<std::string>{members[0].id});
  CHECK(groups.heartbeat(members[0]) == ErrorCode::rebalance_in_progress);
}

TEST_CASE("A stable group answers SyncGroup again and again", "[group][sync]") {
  Groups groups;
  const auto members = groups.stable(2);
  for (int i = 0; i < 2; ++i)
    CHECK(groups.ask(Groups::sync(members[1]), 5).assignment == SharedBytes::copy_of("1"));
}

}  // namespace fencepost::minibroker
