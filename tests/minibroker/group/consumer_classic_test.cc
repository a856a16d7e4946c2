// Groups that change their protocol under way: classic groups that are upgraded, consumer groups
// with classic members, and the way back.
#include "protocol/records/consumer_protocol.h"
#include "tests/minibroker/group/consumer_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

namespace {

// A classic member that holds the partition of its number.
SharedBytes assignment_of(std::vector<std::int32_t> partitions) {
  protocol::ConsumerProtocolAssignment message;
  message.assigned_partitions = {{"in", std::move(partitions), {}}};
  protocol::Writer writer;
  writer.int16(0);
  CHECK(protocol::Codec<protocol::ConsumerProtocolAssignment>::encode(writer, message, 0).ok());
  return writer.finish().flatten();
}

Member classic_group(ConsumerGroups& groups, std::vector<std::int32_t> partitions) {
  const int joining = groups.send(Groups::join(groups.new_member_id()), 9);
  groups.advance(Duration{});
  const auto joined = groups.answer<JoinGroupResponse>(joining).value();
  const Member member{joined.member_id, joined.generation_id};
  protocol::SyncGroupRequest sync = Groups::sync(member);
  sync.assignments.push_back({member.id, assignment_of(std::move(partitions)), {}});
  CHECK(groups.ask(sync, 5).error_code == ErrorCode::none);
  return member;
}

std::vector<std::int32_t> partitions_in(const SharedBytes& bytes) {
  protocol::Reader reader(bytes);
  reader.int16();
  protocol::ConsumerProtocolAssignment message;
  CHECK(protocol::Codec<protocol::ConsumerProtocolAssignment>::decode(reader, 0, message));
  return message.assigned_partitions.empty() ? std::vector<std::int32_t>{}
                                             : message.assigned_partitions[0].partitions;
}

}  // namespace

TEST_CASE("The first consumer member upgrades a classic group", "[group][consumer]") {
  ConsumerGroups groups;
  const Member old = classic_group(groups, {0, 1, 2, 3});
  CHECK(groups.group_type() == "classic");
  ConsumerGroups::Consumer fresh = groups.join_as("fresh");
  CHECK(groups.group_type() == "consumer");
  CHECK(fresh.epoch == 2);
  CHECK(fresh.owned.empty());
  CHECK(groups.described().members.size() == 2);

  // The classic member learns of it, gives up two partitions and joins again.
  CHECK(groups.heartbeat(old) == ErrorCode::rebalance_in_progress);
  const auto rejoined = groups.ask(Groups::join(old.id), 9);
  CHECK(rejoined.error_code == ErrorCode::none);
  CHECK(rejoined.protocol_type == "consumer");
  CHECK(rejoined.protocol_name == "range");
  const Member again{old.id, rejoined.generation_id};
  const auto synced = groups.ask(Groups::sync(again), 5);
  CHECK(synced.error_code == ErrorCode::none);
  CHECK(partitions_in(synced.assignment).size() == 2);
  groups.beat_with(fresh);
  CHECK(ConsumerGroups::partitions_of(fresh, topic_id(1)).size() == 2);
}

TEST_CASE("The last consumer member that leaves brings the classic group back",
          "[group][consumer]") {
  ConsumerGroups groups;
  const Member old = classic_group(groups, {0, 1, 2, 3});
  const ConsumerGroups::Consumer fresh = groups.join_as("fresh");
  CHECK(groups.leave(fresh) == ErrorCode::none);
  CHECK(groups.group_type() == "classic");
  CHECK(groups.state().state == "PreparingRebalance");
  // And so has the log.
  groups.fail_over();
  CHECK(groups.group_type() == "classic");
  CHECK(groups.state().members == std::vector<std::string>{old.id});
}

TEST_CASE("Members that wait in the classic round are told to come again at an upgrade",
          "[group][consumer]") {
  ConsumerGroups groups;
  const Member old = classic_group(groups, {0});
  const int waiting = groups.send(Groups::join(groups.new_member_id()), 9);
  CHECK_FALSE(groups.is_answered(waiting));
  groups.join_as("fresh");
  CHECK(groups.answer<JoinGroupResponse>(waiting)->error_code == ErrorCode::rebalance_in_progress);
}

TEST_CASE("An empty classic group is given to the consumer protocol", "[group][consumer]") {
  ConsumerGroups groups;
  CHECK(groups.commit_offset({"", -1}, 5) == ErrorCode::none);
  ConsumerGroups::Consumer a = groups.join_as("a");
  CHECK(a.epoch == 2);
  CHECK(groups.committed() == 5);
}

TEST_CASE("An empty consumer group is given to the classic protocol", "[group][consumer]") {
  ConsumerGroups groups;
  const ConsumerGroups::Consumer a = groups.join_as("a");
  groups.leave(a);
  CHECK(groups.ask(Groups::join("a"), 9).error_code == ErrorCode::unknown_member_id);
  CHECK(groups.ask(Groups::join(), 9).error_code == ErrorCode::member_id_required);
  CHECK(groups.group_type() == "classic");
}

TEST_CASE("No group is converted when the policy forbids it", "[group][consumer]") {
  GroupSettings settings;
  settings.consumer.migration_policy = MigrationPolicy::disabled;
  ConsumerGroups groups(settings);
  classic_group(groups, {0});
  const auto refused = groups.ask(ConsumerGroups::joining({"fresh"}), 1);
  CHECK(refused.error_code == ErrorCode::group_id_not_found);
  CHECK(refused.error_message ==
        "Cannot upgrade classic group g to consumer group because online upgrade is disabled.");
  CHECK(groups.group_type() == "classic");
}

TEST_CASE("Classic members of a consumer group are checked as Kafka checks them",
          "[group][consumer]") {
  ConsumerGroups groups;
  groups.join_as("fresh");
  const auto needs_id = groups.ask(Groups::join(), 9);
  CHECK(needs_id.error_code == ErrorCode::member_id_required);
  const auto joined = groups.ask(Groups::join(needs_id.member_id), 9);
  CHECK(joined.error_code == ErrorCode::none);
  const Member old{joined.member_id, joined.generation_id};
  CHECK(groups.heartbeat({"fresh", 2}) == ErrorCode::unknown_member_id);
  CHECK(groups.heartbeat({old.id, old.generation + 1}) == ErrorCode::illegal_generation);
  CHECK(groups.heartbeat({old.id, old.generation, "nobody"}) == ErrorCode::unknown_member_id);
  protocol::SyncGroupRequest sync = Groups::sync(old);
  sync.protocol_name = "other";
  CHECK(groups.ask(sync, 5).error_code == ErrorCode::inconsistent_group_protocol);
  protocol::JoinGroupRequest wrong = Groups::join(old.id);
  wrong.protocol_type = "connect";
  CHECK(groups.ask(wrong, 9).error_code == ErrorCode::inconsistent_group_protocol);
}

TEST_CASE("A classic member that does not come to sync is thrown out", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer fresh = groups.join_as("fresh");
  protocol::JoinGroupRequest request = Groups::join(groups.ask(Groups::join(), 9).member_id);
  request.rebalance_timeout_ms = 5'000;
  CHECK(groups.ask(request, 9).error_code == ErrorCode::none);
  CHECK(groups.described().members.size() == 2);
  groups.advance(seconds(5));
  CHECK(groups.described().members.size() == 1);
}

TEST_CASE("A member that joins with version 0 is not thrown out at once", "[group][consumer]") {
  ConsumerGroups groups;
  groups.join_as("fresh");
  protocol::JoinGroupRequest request = Groups::join("old");
  request.rebalance_timeout_ms = -1;
  const auto joined = groups.ask(request, 0);
  CHECK(joined.error_code == ErrorCode::none);
  groups.advance(seconds(1));
  CHECK(groups.heartbeat({"old", joined.generation_id}) == ErrorCode::none);
}

}  // namespace fencepost::minibroker
