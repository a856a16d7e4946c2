// A member of a classic group: joining, the leader's assignment, and the offsets.
#include "client/group_member.h"

#include "client/response_error.h"
#include "tests/catch.h"
#include "tests/client/world.h"

using namespace fencepost;
using namespace fencepost::client;
using protocol::ApiKey;
using protocol::ErrorCode;
using protocol::HeartbeatRequest;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;
using protocol::LeaveGroupRequest;
using protocol::OffsetCommitRequest;
using protocol::OffsetFetchRequest;
using protocol::SyncGroupRequest;

namespace {

GroupMemberOptions options_of(const std::string& group) {
  GroupMemberOptions options;
  options.group_id = group;
  options.topics = {"in"};
  return options;
}

// The member m-1 joins a group of two and leads its generation 4.
struct GroupWorld : World {
  GroupWorld() {
    serve_topic("in", 3);
    broker.on<JoinGroupRequest>([this](const JoinGroupRequest& request, int) {
      joins.push_back(request);
      JoinGroupResponse response;
      response.member_id = "m-1";
      if (request.member_id.empty()) {
        response.error_code = ErrorCode::member_id_required;
        return std::optional(response);
      }
      response.generation_id = 4;
      response.leader = leader;
      response.protocol_name = "range";
      for (const char* id : {"m-1", "m-2"}) {
        auto& joined = response.members.emplace_back();
        joined.member_id = id;
        joined.metadata = encode_subscription({"in"});
      }
      return std::optional(response);
    });
    broker.on<SyncGroupRequest>([this](const SyncGroupRequest& request, int) {
      syncs.push_back(request);
      protocol::SyncGroupResponse response;
      for (const auto& it : request.assignments)
        if (it.member_id == request.member_id) response.assignment = it.assignment;
      return std::optional(response);
    });
  }
  void join_and_sync() {
    REQUIRE(run(member.join_group()).value().error_code == ErrorCode::none);
    REQUIRE(run(member.sync_group()).value().error_code == ErrorCode::none);
  }

  std::string leader = "m-1";
  std::vector<JoinGroupRequest> joins;
  std::vector<SyncGroupRequest> syncs;
  GroupMember member{cluster, options_of("g")};
};

}  // namespace

TEST_CASE("A new member joins again with the id that it is given", "[client]") {
  GroupWorld world;
  CHECK(world.run(world.member.join_group()).value().generation_id == 4);
  REQUIRE(world.joins.size() == 2);
  CHECK(world.joins.at(0).member_id == "");
  CHECK(world.joins.at(1).member_id == "m-1");
  CHECK(world.member.metadata() == GroupMetadata{"g", 4, "m-1"});
  REQUIRE(world.run(world.member.join_group()).ok());
  CHECK(world.joins.size() == 3);
}

TEST_CASE("The leader of a generation assigns by range", "[client]") {
  GroupWorld world;
  world.join_and_sync();
  CHECK(world.member.is_leader());
  REQUIRE(world.syncs.at(0).assignments.size() == 2);
  CHECK(world.member.assignment() == std::vector<TopicPartition>{{"in", 0}, {"in", 1}});
  CHECK(decode_assignment(world.syncs.at(0).assignments.at(1).assignment).value() ==
        std::vector<TopicPartition>{{"in", 2}});
}

TEST_CASE("A follower sends no assignment", "[client]") {
  GroupWorld world;
  world.leader = "m-2";
  world.join_and_sync();
  CHECK_FALSE(world.member.is_leader());
  CHECK(world.syncs.at(0).assignments.empty());
  CHECK(world.member.assignment().empty());
}

TEST_CASE("A join round may last as long as the rebalance timeout", "[client]") {
  GroupWorld world;
  world.broker.on<JoinGroupRequest>(
      [](const JoinGroupRequest&, int) { return std::optional<JoinGroupResponse>(); });
  const Instant begin = world.clock.now();
  CHECK(world.run(world.member.join_group()).error().kind == ErrorKind::unknown_outcome);
  CHECK(world.clock.now() - begin == std::chrono::minutes(5) + std::chrono::seconds(5));
}

TEST_CASE("A heartbeat shows generation and member id, or what is put in their place", "[client]") {
  GroupWorld world;
  world.join_and_sync();
  std::vector<HeartbeatRequest> heartbeats;
  world.broker.on<HeartbeatRequest>([&heartbeats](const HeartbeatRequest& request, int) {
    heartbeats.push_back(request);
    protocol::HeartbeatResponse response;
    if (request.generation_id < 4) response.error_code = ErrorCode::illegal_generation;
    return std::optional(response);
  });
  CHECK(world.run(world.member.heartbeat())->error_code == ErrorCode::none);
  MemberOverrides stale;
  stale.generation = 3;
  CHECK(world.run(world.member.heartbeat(stale))->error_code == ErrorCode::illegal_generation);
  CHECK(heartbeats.at(1).member_id == "m-1");
  CHECK(world.member.generation() == 4);
}

TEST_CASE("A member that has left knows no generation; one that could not leave does", "[client]") {
  GroupWorld world;
  world.join_and_sync();
  ErrorCode code = ErrorCode::unknown_member_id;
  world.broker.on<LeaveGroupRequest>([&code](const LeaveGroupRequest& request, int version) {
    protocol::LeaveGroupResponse response;
    if (version < 3) {
      CHECK(request.member_id == "m-1");
    } else {
      auto& member = response.members.emplace_back();
      member.member_id = request.members.at(0).member_id;
      member.error_code = code;
    }
    return std::optional(response);
  });
  CHECK(first_error(world.run(world.member.leave_group()).value()) == code);
  CHECK(world.member.generation() == 4);
  code = ErrorCode::none;
  CHECK(world.run(world.member.leave_group()).ok());
  CHECK(world.member.metadata() == GroupMetadata{"g"});

  world.join_and_sync();
  MemberOverrides old;
  old.call.version_max = 1;
  CHECK(world.run(world.member.leave_group(old)).ok());
  CHECK(world.member.generation() == unknown_generation);
}

TEST_CASE("An offset commit carries the generation, and the topic id once it is known",
          "[client]") {
  GroupWorld world;
  world.join_and_sync();
  OffsetCommitRequest seen;
  world.broker.on<OffsetCommitRequest>([&seen](const OffsetCommitRequest& request, int) {
    seen = request;
    protocol::OffsetCommitResponse response;
    auto& topic = response.topics.emplace_back();
    topic.topic_id = request.topics.at(0).topic_id;
    topic.name = request.topics.at(0).name;
    topic.partitions.emplace_back();
    return std::optional(response);
  });
  std::vector<CommittedOffset> known{{{"in", 1}, 17}};
  const auto response = world.run(world.member.offset_commit(known));
  CHECK(response.value().topics.at(0).name == "in");
  CHECK(world.broker.received.back().version == 10);
  CHECK(seen.generation_id_or_member_epoch == 4);
  CHECK(seen.topics.at(0).partitions.at(0).committed_offset == 17);
  std::vector<CommittedOffset> unknown{{{"elsewhere", 1}, 17}};
  CHECK(world.run(world.member.offset_commit(unknown)).ok());
  CHECK(world.broker.received.back().version == 9);
}

TEST_CASE("Offsets are fetched in the old and the new shape", "[client]") {
  GroupWorld world;
  world.broker.on<OffsetFetchRequest>([](const OffsetFetchRequest& request, int version) {
    CHECK(request.require_stable);
    protocol::OffsetFetchResponse response;
    if (version < 8) {
      auto& topic = response.topics.emplace_back();
      topic.name = request.topics->at(0).name;
      topic.partitions.emplace_back().committed_offset = 7;
    } else {
      auto& group = response.groups.emplace_back();
      auto& topic = group.topics.emplace_back();
      topic.name = request.groups.at(0).topics->at(0).name;
      topic.partitions.emplace_back().error_code = ErrorCode::unstable_offset_commit;
    }
    return std::optional(response);
  });
  const std::vector<TopicPartition> partitions{{"in", 0}};
  MemberOverrides old;
  old.call.version_max = 7;
  const auto flat = world.run(world.member.offset_fetch(partitions, true, old)).value();
  CHECK(fetched_offsets(flat).at(0).offset == 7);
  CHECK(fetched_offsets(flat).at(0).partition == TopicPartition{"in", 0});
  const auto grouped = world.run(world.member.offset_fetch(partitions, true)).value();
  CHECK(fetched_offsets(grouped).at(0).error_code == ErrorCode::unstable_offset_commit);
  CHECK(first_error(grouped) == ErrorCode::unstable_offset_commit);
}

TEST_CASE("Ranges are consecutive and the first members get one more", "[client]") {
  const auto assignment = assign_ranges(
      {{"b", std::nullopt, {"t", "u"}}, {"a", std::nullopt, {"t"}}, {"z", "first", {"t"}}},
      {{"t", 5}, {"u", 1}});
  CHECK(assignment.at("z") == std::vector<TopicPartition>{{"t", 0}, {"t", 1}});
  CHECK(assignment.at("a") == std::vector<TopicPartition>{{"t", 2}, {"t", 3}});
  CHECK(assignment.at("b") == std::vector<TopicPartition>{{"t", 4}, {"u", 0}});
}

TEST_CASE("Members without a partition get an empty assignment", "[client]") {
  const auto assignment =
      assign_ranges({{"a", std::nullopt, {"t"}}, {"b", std::nullopt, {"t"}}}, {{"t", 1}});
  CHECK(assignment.at("b").empty());
}

TEST_CASE("An assignment that cannot be read is an error", "[client]") {
  CHECK(decode_assignment(SharedBytes()).value().empty());
  CHECK_FALSE(decode_assignment(SharedBytes::copy_of("x")).ok());
  CHECK_FALSE(decode_subscription(SharedBytes::copy_of("\xff\xff    ")).ok());
}
