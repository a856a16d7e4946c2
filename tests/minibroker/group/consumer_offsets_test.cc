// Offsets of consumer groups: member epochs fence commits and fetches, and an older epoch may
// commit what the member has held ever since (KIP-1251).
#include "tests/minibroker/group/consumer_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

namespace {

ErrorCode commit_in(ConsumerGroups& groups, const Member& member, std::int32_t partition,
                    int version = 9) {
  protocol::OffsetCommitRequest request = Groups::commit(member, 1);
  request.topics[0].topic_id = topic_id(1);
  request.topics[0].partitions[0].partition_index = partition;
  return groups.ask(request, version).topics.at(0).partitions.at(0).error_code;
}

ErrorCode fetch_as(ConsumerGroups& groups, const std::optional<std::string>& member_id,
                   std::int32_t epoch) {
  protocol::OffsetFetchRequest request = Groups::fetch();
  request.groups[0].member_id = member_id;
  request.groups[0].member_epoch = epoch;
  return groups.ask(request, 9).groups.at(0).error_code;
}

}  // namespace

TEST_CASE("A commit in another epoch than the member's is stale", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  CHECK(commit_in(groups, {"a", a.epoch}, 0) == ErrorCode::none);
  CHECK(commit_in(groups, {"a", a.epoch + 1}, 0) == ErrorCode::stale_member_epoch);
  CHECK(commit_in(groups, {"a", a.epoch - 1}, 0) == ErrorCode::stale_member_epoch);
  CHECK(commit_in(groups, {"b", a.epoch}, 0) == ErrorCode::unknown_member_id);
  CHECK(commit_in(groups, {"", -1}, 0) == ErrorCode::unknown_member_id);
  CHECK(commit_in(groups, {"a", a.epoch}, 0, 8) == ErrorCode::unsupported_version);
}

TEST_CASE("An older epoch commits what the member has held since", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  const std::int32_t older = a.epoch;
  groups.resize_topic("in", 5);
  groups.beat_with(a);
  CHECK(a.epoch == older + 1);
  CHECK(commit_in(groups, {"a", older}, 0) == ErrorCode::none);
  CHECK(commit_in(groups, {"a", older}, 4) == ErrorCode::stale_member_epoch);
}

TEST_CASE("Before KIP-1251 every older epoch is stale", "[group][consumer]") {
  Era era;
  era.knows_assignment_epochs = false;
  ConsumerGroups groups({}, era);
  ConsumerGroups::Consumer a = groups.join_as("a");
  groups.resize_topic("in", 5);
  groups.beat_with(a);
  CHECK(commit_in(groups, {"a", a.epoch - 1}, 0) == ErrorCode::stale_member_epoch);
}

TEST_CASE("A transactional commit of a stale member says so in version 6 only",
          "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  CHECK(groups.txn_commit_offset({"a", a.epoch}, 1) == ErrorCode::none);
  CHECK(groups.txn_commit_offset({"a", a.epoch + 1}, 1, 1, 5) == ErrorCode::illegal_generation);
  CHECK(groups.txn_commit_offset({"", -1}, 1) == ErrorCode::none);
  CHECK(groups.txn_commit_offset({"b", 1}, 1) == ErrorCode::unknown_member_id);
}

TEST_CASE("Anybody commits for a consumer group without members", "[group][consumer]") {
  ConsumerGroups groups;
  const ConsumerGroups::Consumer a = groups.join_as("a");
  groups.leave(a);
  CHECK(commit_in(groups, {"", -1}, 0, 2) == ErrorCode::none);
  CHECK(commit_in(groups, {"a", 2}, 0) == ErrorCode::unknown_member_id);
}

TEST_CASE("Offsets are fetched by members in their epoch, and by administrators",
          "[group][consumer]") {
  ConsumerGroups groups;
  const ConsumerGroups::Consumer a = groups.join_as("a");
  CHECK(fetch_as(groups, "a", a.epoch) == ErrorCode::none);
  CHECK(fetch_as(groups, "a", a.epoch + 1) == ErrorCode::stale_member_epoch);
  CHECK(fetch_as(groups, "b", a.epoch) == ErrorCode::unknown_member_id);
  CHECK(fetch_as(groups, std::nullopt, -1) == ErrorCode::none);
}

TEST_CASE("A group that is named twice is answered twice", "[group][consumer]") {
  ConsumerGroups groups;
  protocol::OffsetFetchRequest request = Groups::fetch();
  request.groups.push_back(request.groups[0]);
  const std::size_t asked = request.groups[0].topics->at(0).partition_indexes.size();
  for (const int version : {8, 10}) {
    const auto answer = groups.ask(request, version);
    REQUIRE(answer.groups.size() == 2);
    for (const auto& group : answer.groups) {
      REQUIRE(group.topics.size() == 1);
      CHECK(group.topics[0].partitions.size() == asked);
    }
  }
}

TEST_CASE("Offsets of a consumer group expire when nobody subscribes to their topic",
          "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  CHECK(commit_in(groups, {"a", a.epoch}, 0) == ErrorCode::none);
  for (int i = 0; i < 24 * 60 * 8; ++i) {
    groups.advance(minutes(1) / 2);
    groups.beat_with(a);
    groups.advance(minutes(1) / 2);
    groups.beat_with(a);
  }
  CHECK(groups.committed() == 1);
  groups.leave(a);
  groups.advance(std::chrono::hours(24 * 7));
  CHECK(groups.coordinator.states().empty());
}

}  // namespace fencepost::minibroker
