#include "tests/minibroker/group/group_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using protocol::OffsetCommitResponse;
using protocol::OffsetFetchResponse;

TEST_CASE("A committed offset is visible when it is replicated", "[group][offsets]") {
  Groups groups;
  groups.is_log_held = true;
  const int commit = groups.send(Groups::commit({}, 10), 9);
  CHECK_FALSE(groups.is_answered(commit));
  CHECK(groups.committed() == -1);
  groups.replicate();
  CHECK(groups.is_answered(commit));
  CHECK(groups.committed() == 10);
}

TEST_CASE("Offsets survive a fail-over with their metadata and leader epoch", "[group][offsets]") {
  Groups groups;
  auto request = Groups::commit({}, 10);
  request.topics[0].partitions[0].committed_metadata = "note";
  request.topics[0].partitions[0].committed_leader_epoch = 3;
  groups.ask(request, 9);
  groups.fail_over();
  const auto fetched = groups.fetched();
  CHECK(fetched.committed_offset == 10);
  CHECK(fetched.metadata == "note");
  CHECK(fetched.committed_leader_epoch == 3);
}

TEST_CASE("A commit for an unknown group with a generation is refused by version and era",
          "[group][offsets]") {
  Groups newer;
  CHECK(newer.commit_offset({"m", 1}, 10, 9) == ErrorCode::group_id_not_found);
  CHECK(newer.commit_offset({"m", 1}, 10, 8) == ErrorCode::illegal_generation);
  Groups older(old_coordinator());
  CHECK(older.commit_offset({"m", 1}, 10, 9) == ErrorCode::illegal_generation);
  CHECK(newer.coordinator.states().empty());
}

TEST_CASE("A commit without a generation creates a simple group", "[group][offsets]") {
  Groups groups;
  CHECK(groups.commit_offset({"somebody", -1}, 10) == ErrorCode::none);
  CHECK(groups.state().state == "Empty");
  CHECK(groups.state().generation == 0);
}

TEST_CASE("OffsetCommit looks at the member before the generation before the state",
          "[group][offsets]") {
  Groups groups;
  const auto members = groups.joined(1, {"i"});
  CHECK(groups.commit_offset({"m", 9, "j"}, 10) == ErrorCode::unknown_member_id);
  CHECK(groups.commit_offset({"m", 9, "i"}, 10) == ErrorCode::fenced_instance_id);
  CHECK(groups.commit_offset({"m", 9}, 10) == ErrorCode::unknown_member_id);
  CHECK(groups.commit_offset({members[0].id, 9}, 10) == ErrorCode::illegal_generation);
  CHECK(groups.commit_offset({members[0].id, -1}, 10) == ErrorCode::illegal_generation);
  CHECK(groups.commit_offset({"", -1}, 10) == ErrorCode::unknown_member_id);
  CHECK(groups.commit_offset(members[0], 10) == ErrorCode::rebalance_in_progress);
}

TEST_CASE("An Empty group takes plain commits without a generation only", "[group][offsets]") {
  Groups groups;
  const auto members = groups.stable(1);
  groups.advance(seconds(10));
  CHECK(groups.state().state == "Empty");
  CHECK(groups.commit_offset({"", -1}, 10) == ErrorCode::none);
  CHECK(groups.commit_offset(members[0], 10) == ErrorCode::unknown_member_id);
}

TEST_CASE("A member that was thrown out cannot commit", "[group][offsets]") {
  Groups groups;
  const auto members = groups.stable(2);
  groups.advance(seconds(9));
  groups.heartbeat(members[1]);
  groups.advance(seconds(1));
  groups.ask(Groups::join(members[1].id), 9);
  CHECK(groups.commit_offset(members[0], 100) == ErrorCode::unknown_member_id);
  CHECK(groups.commit_offset(members[1], 100) == ErrorCode::illegal_generation);
}

TEST_CASE("A commit keeps the session, a transactional one does not", "[group][offsets]") {
  for (bool is_transactional : {false, true}) {
    Groups groups;
    const auto members = groups.stable(1);
    groups.advance(seconds(9));
    if (is_transactional) {
      CHECK(groups.txn_commit_offset(members[0], 10) == ErrorCode::none);
    } else {
      CHECK(groups.commit_offset(members[0], 10) == ErrorCode::none);
    }
    groups.advance(seconds(9));
    CHECK(groups.heartbeat(members[0]) ==
          (is_transactional ? ErrorCode::unknown_member_id : ErrorCode::none));
  }
}

TEST_CASE("Metadata that is too long fails its partition only", "[group][offsets]") {
  Groups groups;
  auto request = Groups::commit({}, 10);
  auto& partitions = request.topics[0].partitions;
  partitions.push_back({1, 11, -1, std::string(4097, 'x'), {}});
  partitions.push_back({2, 12, -1, std::string(4096, 'x'), {}});
  std::string umlauts;
  for (int i = 0; i < 4096; ++i) umlauts += "\xc3\xbc";  // one unit each for Java
  partitions.push_back({3, 13, -1, umlauts, {}});
  const auto answer = groups.ask(request, 9).topics.at(0).partitions;
  CHECK(answer.at(0).error_code == ErrorCode::none);
  CHECK(answer.at(1).error_code == ErrorCode::offset_metadata_too_large);
  CHECK(answer.at(2).error_code == ErrorCode::none);
  CHECK(answer.at(3).error_code == ErrorCode::none);
  CHECK(groups.state().offsets.size() == 3);
}

TEST_CASE("A commit that cannot be written is answered by era", "[group][offsets]") {
  struct Row {
    ErrorCode error;
    ErrorCode newer;
    ErrorCode older;
  };
  const Row rows[] = {
      {ErrorCode::unknown_topic_or_partition, ErrorCode::coordinator_not_available,
       ErrorCode::coordinator_not_available},
      {ErrorCode::not_enough_replicas, ErrorCode::coordinator_not_available,
       ErrorCode::coordinator_not_available},
      {ErrorCode::request_timed_out, ErrorCode::coordinator_not_available,
       ErrorCode::request_timed_out},
      {ErrorCode::not_leader_or_follower, ErrorCode::not_coordinator, ErrorCode::not_coordinator},
      {ErrorCode::kafka_storage_error, ErrorCode::not_coordinator, ErrorCode::not_coordinator},
      {ErrorCode::message_too_large, ErrorCode::unknown_server_error,
       ErrorCode::invalid_commit_offset_size},
      {ErrorCode::record_list_too_large, ErrorCode::unknown_server_error,
       ErrorCode::invalid_commit_offset_size},
      {ErrorCode::invalid_fetch_size, ErrorCode::unknown_server_error,
       ErrorCode::invalid_commit_offset_size},
  };
  for (const Row& row : rows) {
    for (const Era& era : {new_coordinator(), old_coordinator()}) {
      Groups groups(era);
      groups.next_write_error = row.error;
      CHECK(groups.commit_offset({}, 10) ==
            (era.has_new_group_coordinator ? row.newer : row.older));
      CHECK(groups.committed() == -1);
      CHECK(groups.coordinator.states().empty());
    }
  }
}

TEST_CASE("A failed commit leaves what was refused before as it is", "[group][offsets]") {
  Groups groups;
  groups.is_log_held = true;
  OffsetCommitResponse refused;
  auto request = Groups::commit({}, 10);
  request.topics[0].topic_id.bytes[0] = 1;  // of the topic that the client has named
  refused.topics = {{"in", {}, {{7, ErrorCode::unknown_topic_or_partition, {}}}, {}},
                    {"gone", {}, {{0, ErrorCode::topic_authorization_failed, {}}}, {}}};
  RequestContext context;
  context.api_version = 9;
  groups.coordinator.offset_commit(context, request, refused, groups.now);
  const LogWrite write = groups.coordinator.take_log_writes().at(0);
  groups.coordinator.on_log_write({write.id, ErrorCode::not_enough_replicas, -1}, groups.now);
  const auto answer = protocol::Codec<OffsetCommitResponse>::decode(
                          groups.coordinator.take_replies().at(0).body.flatten(), 9)
                          .value();
  CHECK(answer.topics.at(0).partitions.at(0).error_code == ErrorCode::unknown_topic_or_partition);
  CHECK(answer.topics.at(0).partitions.at(1).error_code == ErrorCode::coordinator_not_available);
  CHECK(answer.topics.at(1).partitions.at(0).error_code == ErrorCode::topic_authorization_failed);
}

TEST_CASE("The record of an offset is version 4 with the topic id, 3 in old eras, 1 if it expires",
          "[group][offsets]") {
  const auto value_of = [](const Era& era, std::int64_t retention_ms) {
    Groups groups(era);
    auto request = Groups::commit({}, 5);
    request.topics[0].topic_id.bytes.fill(0xee);
    request.retention_time_ms = retention_ms;
    groups.ask(request, 4);
    return to_hex(groups.last_record().value->view());
  };
  const std::string time = "000000003b9aca00";
  CHECK(value_of(new_coordinator(), -1) ==
        "00040000000000000005ffffffff01" + time + "010010" + std::string(32, 'e'));
  CHECK(value_of(old_coordinator(), -1) == "00030000000000000005ffffffff0000" + time);
  CHECK(value_of(new_coordinator(), 1'000) ==
        "000100000000000000050000" + time + "000000003b9acde8");
}

TEST_CASE("The records of a group are those of Kafka 4.4.0", "[group][offsets]") {
  Groups groups;
  const std::string key = "0002000167";
  const std::string member_id = groups.new_member_id();
  CHECK(to_hex(groups.last_record().key->view()) == key);
  CHECK(to_hex(groups.last_record().value->view()) ==
        "0003000000000000ffffffff000000003b9aca0000000000");
  groups.send(Groups::join(member_id), 9);
  groups.advance(seconds(3));
  groups.send(Groups::sync({member_id, 1}, {{member_id, "A"}}), 5);
  const std::string id = "002b" + to_hex(as_bytes(member_id));
  CHECK(to_hex(groups.last_record().value->view()) ==
        "00030008636f6e73756d657200000001000572616e6765" + id + "000000003b9ad5b800000001" + id +
            "ffff0006636c69656e74000a" + to_hex(as_bytes("/127.0.0.1")) +
            "0000ea60000027100000000e0000000000010002696effffffff0000000141");
  groups.advance(seconds(10));
  CHECK(to_hex(groups.last_record().key->view()) == key);
  CHECK(to_hex(groups.last_record().value->view()) ==
        "00030008636f6e73756d657200000002ffffffff000000003b9afcc800000000");
}

TEST_CASE("A commit whose write timed out still counts for the new coordinator",
          "[group][offsets]") {
  for (const Era& era : {new_coordinator(), old_coordinator()}) {
    Groups groups(era);
    groups.is_log_held = true;
    groups.send(Groups::commit({}, 10), 9);
    groups.coordinator.on_log_write({groups.in_flight.at(0).id, ErrorCode::request_timed_out, 0},
                                    groups.now);
    CHECK(groups.committed() == (era.has_new_group_coordinator ? 10 : -1));
  }
}

TEST_CASE("Commits that wait are told when the coordinator moves", "[group][offsets]") {
  Groups groups;
  groups.is_log_held = true;
  const int commit = groups.send(Groups::commit({}, 10), 9);
  groups.fail_over();
  CHECK(groups.answer<OffsetCommitResponse>(commit)->topics.at(0).partitions.at(0).error_code ==
        ErrorCode::not_coordinator);
  CHECK(groups.committed() == -1);
}

TEST_CASE("A coordinator that loads or is another's refuses commits", "[group][offsets]") {
  Groups groups;
  groups.coordinator.begin_loading(0);
  CHECK(groups.commit_offset({}, 10) == ErrorCode::coordinator_load_in_progress);
  groups.coordinator.unload(0, groups.now);
  CHECK(groups.commit_offset({}, 10) == ErrorCode::not_coordinator);
}

TEST_CASE("OffsetFetch of an unknown group is no error", "[group][offset_fetch]") {
  Groups groups;
  const auto fetched = groups.fetched();
  CHECK(fetched.committed_offset == -1);
  CHECK(fetched.error_code == ErrorCode::none);
  CHECK(fetched.metadata == "");
}

TEST_CASE("OffsetFetch without topics gives all offsets of the group", "[group][offset_fetch]") {
  Groups groups;
  groups.commit_offset({}, 10);
  auto request = Groups::fetch();
  request.groups[0].topics.reset();
  const auto answer = groups.ask(request, 9).groups.at(0);
  CHECK(answer.topics.at(0).name == "in");
  CHECK(answer.topics.at(0).partitions.at(0).committed_offset == 10);
  request.groups[0].group_id = "other";
  CHECK(groups.ask(request, 9).groups.at(0).topics.empty());
}

TEST_CASE("OffsetFetch v10 names topics by id and leaves out those without",
          "[group][offset_fetch]") {
  Groups groups;
  groups.commit_offset({}, 10);
  auto request = Groups::fetch();
  request.groups[0].topics.reset();
  CHECK(groups.ask(request, 10).groups.at(0).topics.empty());
  Uuid id;
  id.bytes[15] = 7;
  groups.topic_ids["in"] = id;
  CHECK(groups.ask(request, 10).groups.at(0).topics.at(0).topic_id == id);
}

TEST_CASE("Offsets of a topic that was deleted and created again do not count",
          "[group][offset_fetch]") {
  Groups groups;
  auto commit = Groups::commit({}, 10);
  commit.topics[0].topic_id.bytes[0] = 1;
  groups.ask(commit, 10);
  auto request = Groups::fetch();
  const auto fetched = [&] {
    return groups.ask(request, 10).groups.at(0).topics.at(0).partitions.at(0).committed_offset;
  };
  CHECK(fetched() == 10);
  (*request.groups[0].topics)[0].topic_id.bytes[0] = 2;
  CHECK(fetched() == -1);
  groups.fail_over();
  CHECK(fetched() == -1);
}

TEST_CASE("OffsetFetch before v8 answers for its one group", "[group][offset_fetch]") {
  Groups groups;
  groups.commit_offset({}, 10);
  protocol::OffsetFetchRequest request;
  request.group_id = "g";
  request.topics = {{"in", {0, 1}, {}}};
  for (int version : {1, 2, 5, 7}) {
    const auto answer = groups.ask(request, version);
    CHECK(answer.error_code == ErrorCode::none);
    CHECK(answer.topics.at(0).partitions.at(0).committed_offset == 10);
    CHECK(answer.topics.at(0).partitions.at(1).committed_offset == -1);
  }
  groups.coordinator.begin_loading(0);
  CHECK(groups.ask(request, 2).error_code == ErrorCode::coordinator_load_in_progress);
  CHECK(groups.ask(request, 2).topics.empty());
  CHECK(groups.ask(request, 1).topics.at(0).partitions.at(0).error_code ==
        ErrorCode::coordinator_load_in_progress);
}

TEST_CASE("A stable fetch waits for commits on their way, in old eras it is told to come back",
          "[group][offset_fetch]") {
  Groups newer;
  newer.is_log_held = true;
  newer.send(Groups::commit({}, 10), 9);
  const int fetch = newer.send(Groups::fetch(true), 9);
  CHECK_FALSE(newer.is_answered(fetch));
  newer.replicate();
  CHECK(newer.answer<OffsetFetchResponse>(fetch)
            ->groups.at(0)
            .topics.at(0)
            .partitions.at(0)
            .committed_offset == 10);

  Groups older(old_coordinator());
  older.is_log_held = true;
  older.send(Groups::commit({}, 10), 9);
  CHECK(older.fetched(true).error_code == ErrorCode::unstable_offset_commit);
  older.replicate();
  CHECK(older.fetched(true).committed_offset == 10);
}

TEST_CASE("A stable fetch that waits is told when the coordinator moves", "[group][offset_fetch]") {
  Groups groups;
  groups.is_log_held = true;
  groups.send(Groups::commit({}, 10), 9);
  const int fetch = groups.send(Groups::fetch(true), 9);
  groups.fail_over();
  CHECK(groups.answer<OffsetFetchResponse>(fetch)->groups.at(0).error_code ==
        ErrorCode::not_coordinator);
}

}  // namespace fencepost::minibroker
