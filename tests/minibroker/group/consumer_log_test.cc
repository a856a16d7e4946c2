// What consumer groups leave in the log, and what comes back from it.
#include "minibroker/group/consumer_records.h"
#include "minibroker/group/metadata_hash.h"
#include "tests/minibroker/group/consumer_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

TEST_CASE("A consumer group comes back from the log as it was", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  ConsumerGroups::Consumer b = groups.join_as("b", {"in"}, "instance");
  groups.beat_with(a);
  const auto before = groups.described();
  groups.fail_over();
  CHECK(groups.described() == before);
  groups.reconcile_all({&a, &b});
  CHECK(ConsumerGroups::partitions_of(b, topic_id(1)).size() == 2);
}

TEST_CASE("Members get a fresh session after a fail-over", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  groups.advance(seconds(40));
  groups.fail_over();
  groups.advance(seconds(44));
  CHECK(groups.described().members.size() == 1);
  groups.advance(seconds(1));
  CHECK(groups.described().members.empty());
}

TEST_CASE("Offsets of open transactions come back beside a consumer group", "[group][consumer]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = groups.join_as("a");
  const Member member{"a", a.epoch};
  CHECK(groups.commit_offset(member, 1) == ErrorCode::none);
  CHECK(groups.txn_commit_offset(member, 9) == ErrorCode::none);
  groups.fail_over();
  CHECK(groups.fetched(true).error_code == ErrorCode::unstable_offset_commit);
  CHECK(groups.committed() == 1);
  groups.marker(1, true);
  CHECK(groups.committed() == 9);
}

TEST_CASE("A group that changed its protocol twice comes back in the last one",
          "[group][consumer]") {
  ConsumerGroups groups;
  const ConsumerGroups::Consumer a = groups.join_as("a");
  groups.leave(a);
  groups.ask(Groups::join(), 9);
  groups.fail_over();
  CHECK(groups.group_type() == "classic");
  groups.join_as("a");
  groups.fail_over();
  CHECK(groups.group_type() == "consumer");
}

TEST_CASE("A member is written in four records before it is answered", "[group][consumer]") {
  ConsumerGroups groups;
  groups.join_as("a");
  const std::vector<protocol::Record>& records = groups.log.back().records;
  const auto type_of = [](const protocol::Record& it) {
    return static_cast<int>(it.key->view()[1]);
  };
  REQUIRE(records.size() == 5);
  CHECK(type_of(records[0]) == 5);  // subscription
  CHECK(type_of(records[1]) == 3);  // group epoch
  CHECK(type_of(records[2]) == 7);  // target of the member
  CHECK(type_of(records[3]) == 6);  // epoch of the targets
  CHECK(type_of(records[4]) == 8);  // what the member holds
}

TEST_CASE("The hash of topics is the one that Kafka stores", "[group][consumer]") {
  TopicDirectory topics;
  Uuid id;
  id.bytes[7] = 1;
  id.bytes[15] = 2;
  topics.update({{"topic", {id, 2}}}, 1);
  CHECK(topic_hash("topic", {id, 2}) == 3814827245516331936);
  CHECK(metadata_hash({{"topic", {1, 0}}, {"gone", {1, 0}}}, topics) == 4745039242805930452);
  CHECK(metadata_hash({{"gone", {1, 0}}}, topics) == 0);
}

TEST_CASE("Records that cannot be read are passed over", "[group][consumer]") {
  protocol::Record record;
  record.key = SharedBytes(ByteVector{0, 3});
  CHECK_FALSE(read_consumer_record(record).has_value());
  record.key = SharedBytes(ByteVector{0, 3, 0, 1, 'g'});
  record.value = SharedBytes(ByteVector{0, 9, 0});
  CHECK_FALSE(read_consumer_record(record).has_value());
  record.value = SharedBytes(ByteVector{0, 0, 0});
  CHECK_FALSE(read_consumer_record(record).has_value());
  record.value.reset();
  const auto tombstone = read_consumer_record(record);
  REQUIRE(tombstone.has_value());
  CHECK(ends_group(*tombstone));
  CHECK(group_id_of(*tombstone) == "g");
}

}  // namespace fencepost::minibroker
