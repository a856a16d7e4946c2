#include "tests/minibroker/group/group_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

namespace {
constexpr std::int64_t producer = 1;
constexpr std::int64_t other_producer = 2;
}  // namespace

TEST_CASE("A transactional offset is pending until the marker", "[group][txn_offset_commit]") {
  for (bool is_commit : {true, false}) {
    Groups groups;
    groups.commit_offset({}, 5);
    CHECK(groups.txn_commit_offset({}, 10) == ErrorCode::none);
    CHECK(groups.committed() == 5);
    CHECK(groups.fetched(true).error_code == ErrorCode::unstable_offset_commit);
    CHECK(groups.fetched(true).committed_offset == -1);
    groups.marker(other_producer, true);
    CHECK(groups.fetched(true).error_code == ErrorCode::unstable_offset_commit);
    groups.marker(producer, is_commit);
    CHECK(groups.fetched(true).error_code == ErrorCode::none);
    CHECK(groups.fetched(true).committed_offset == (is_commit ? 10 : 5));
  }
}

TEST_CASE("A pending offset survives a fail-over and is decided by a later marker",
          "[group][txn_offset_commit]") {
  for (bool is_commit : {true, false}) {
    Groups groups;
    groups.txn_commit_offset({}, 10);
    groups.fail_over();
    CHECK(groups.fetched(true).error_code == ErrorCode::unstable_offset_commit);
    groups.marker(producer, is_commit);
    CHECK(groups.committed() == (is_commit ? 10 : -1));
    groups.fail_over();
    CHECK(groups.committed() == (is_commit ? 10 : -1));
    CHECK(groups.fetched(true).error_code == ErrorCode::none);
  }
}

TEST_CASE("A plain commit that came later in the log is not overwritten by the marker",
          "[group][txn_offset_commit]") {
  Groups groups;
  groups.txn_commit_offset({}, 10);
  groups.commit_offset({}, 20);
  groups.marker(producer, true);
  CHECK(groups.committed() == 20);
  groups.fail_over();
  CHECK(groups.committed() == 20);
}

TEST_CASE("Of two transactions the one written later wins, whichever marker comes first",
          "[group][txn_offset_commit]") {
  Groups groups;
  groups.txn_commit_offset({}, 10, producer);
  groups.txn_commit_offset({}, 20, other_producer);
  groups.marker(other_producer, true);
  groups.marker(producer, true);
  CHECK(groups.committed() == 20);
}

TEST_CASE("The next transaction's offsets that are on their way are not decided by the last marker",
          "[group][txn_offset_commit]") {
  Groups groups;
  groups.txn_commit_offset({}, 10);
  groups.is_log_held = true;
  groups.send(Groups::txn_commit({}, 20), 4);
  groups.marker(producer, true);
  CHECK(groups.committed() == 10);
  groups.replicate();
  CHECK(groups.committed() == 10);
  CHECK(groups.fetched(true).error_code == ErrorCode::unstable_offset_commit);
  groups.marker(producer, false);
  CHECK(groups.fetched(true).committed_offset == 10);
}

TEST_CASE("The write carries producer and guard, a plain commit carries neither",
          "[group][txn_offset_commit]") {
  Groups groups;
  groups.is_log_held = true;
  groups.send(Groups::txn_commit({}, 10), 4);
  groups.send(Groups::commit({}, 10), 9);
  const LogWrite& staged = groups.in_flight.at(0);
  CHECK(staged.producer_id == producer);
  CHECK(staged.producer_epoch == 5);
  CHECK(staged.guard == groups.guard);
  CHECK(staged.partition == TopicPartition{"__consumer_offsets", 0});
  CHECK(groups.in_flight.at(1).producer_id == protocol::no_producer_id);
  CHECK(groups.in_flight.at(1).guard == no_guard);
}

TEST_CASE("What the log says of a producer is passed on", "[group][txn_offset_commit]") {
  const std::pair<ErrorCode, ErrorCode> rows[] = {
      {ErrorCode::invalid_producer_epoch, ErrorCode::invalid_producer_epoch},
      {ErrorCode::producer_fenced, ErrorCode::invalid_producer_epoch},
      {ErrorCode::invalid_txn_state, ErrorCode::invalid_txn_state},
      {ErrorCode::not_enough_replicas, ErrorCode::coordinator_not_available},
      {ErrorCode::not_leader_or_follower, ErrorCode::not_coordinator},
  };
  for (const auto& [error, answer] : rows) {
    Groups groups;
    groups.next_write_error = error;
    CHECK(groups.txn_commit_offset({}, 10) == answer);
    CHECK(groups.coordinator.states().empty());
  }
}

TEST_CASE("A transactional commit with a generation needs its group",
          "[group][txn_offset_commit]") {
  Groups newer;
  CHECK(newer.txn_commit_offset({"m", 1}, 10) == ErrorCode::illegal_generation);
  CHECK(newer.coordinator.states().empty());
  Groups older(old_coordinator());
  CHECK(older.txn_commit_offset({"m", 1}, 10) == ErrorCode::unknown_member_id);
  CHECK(older.state().state == "Empty");
}

TEST_CASE("The unknown generation is let through on an Empty group, whoever says it",
          "[group][txn_offset_commit]") {
  Groups groups;
  groups.stable(1);
  groups.advance(seconds(10));
  CHECK(groups.state().state == "Empty");
  CHECK(groups.txn_commit_offset({"m", -1, "i"}, 100) == ErrorCode::none);
  groups.marker(producer, true);
  CHECK(groups.committed() == 100);
}

TEST_CASE("A group with members lets through only who says nothing at all",
          "[group][txn_offset_commit]") {
  Groups groups;
  const auto members = groups.stable(1, {"i"});
  CHECK(groups.txn_commit_offset({"", -1}, 10) == ErrorCode::none);
  CHECK(groups.txn_commit_offset({"", -1}, 10, producer, 2) == ErrorCode::none);
  CHECK(groups.txn_commit_offset({"m", -1}, 10) == ErrorCode::unknown_member_id);
  CHECK(groups.txn_commit_offset({members[0].id, -1}, 10) == ErrorCode::illegal_generation);
  CHECK(groups.txn_commit_offset({"", -1, "i"}, 10) == ErrorCode::fenced_instance_id);
  CHECK(groups.txn_commit_offset({"m", 9, "j"}, 10) == ErrorCode::unknown_member_id);
  CHECK(groups.txn_commit_offset({members[0].id, 9}, 10) == ErrorCode::illegal_generation);
  CHECK(groups.txn_commit_offset(members[0], 10) == ErrorCode::none);
}

TEST_CASE("A rebalance does not stop transactional commits of the generation",
          "[group][txn_offset_commit]") {
  Groups groups;
  const auto members = groups.joined(2);
  CHECK(groups.txn_commit_offset(members[1], 10) == ErrorCode::none);
  groups.send(Groups::sync(members[0]), 5);
  groups.send(Groups::join(members[0].id), 9);
  CHECK(groups.state().state == "PreparingRebalance");
  CHECK(groups.txn_commit_offset(members[1], 11) == ErrorCode::none);
}

TEST_CASE("A valid owner is refused when another member's join has raised the generation",
          "[group][txn_offset_commit]") {
  Groups groups;
  const auto members = groups.stable(1);
  groups.send(Groups::join(groups.new_member_id()), 9);
  CHECK(groups.ask(Groups::join(members[0].id), 9).generation_id == 2);
  CHECK(groups.txn_commit_offset(members[0], 10) == ErrorCode::illegal_generation);
  CHECK(groups.txn_commit_offset({members[0].id, 2}, 10) == ErrorCode::none);
}

TEST_CASE("Whose session has ended cannot commit in a transaction", "[group][txn_offset_commit]") {
  Groups groups;
  const auto members = groups.stable(2);
  groups.advance(seconds(9));
  groups.heartbeat(members[1]);
  groups.advance(seconds(1));
  CHECK(groups.txn_commit_offset(members[0], 100) == ErrorCode::unknown_member_id);
}

TEST_CASE("A loading coordinator is spelled by version", "[group][txn_offset_commit]") {
  Groups groups;
  groups.coordinator.begin_loading(0);
  CHECK(groups.txn_commit_offset({}, 10, producer, 1) == ErrorCode::coordinator_not_available);
  CHECK(groups.txn_commit_offset({}, 10, producer, 2) == ErrorCode::coordinator_load_in_progress);
  groups.coordinator.unload(0, groups.now);
  CHECK(groups.txn_commit_offset({}, 10) == ErrorCode::not_coordinator);
}

TEST_CASE("Only the old coordinator looks at itself before the verification",
          "[group][txn_offset_commit]") {
  for (const Era& era : {new_coordinator(), old_coordinator()}) {
    Groups groups(era);
    const bool is_new = era.has_new_group_coordinator;
    CHECK(groups.coordinator.before_verification("", Instant()) == ErrorCode::invalid_group_id);
    CHECK(groups.coordinator.before_verification("g", Instant()) == ErrorCode::none);
    groups.coordinator.begin_loading(0);
    CHECK(groups.coordinator.before_verification("g", Instant()) ==
          (is_new ? ErrorCode::none : ErrorCode::coordinator_load_in_progress));
    groups.coordinator.unload(0, groups.now);
    CHECK(groups.coordinator.before_verification("g", Instant()) ==
          (is_new ? ErrorCode::none : ErrorCode::not_coordinator));
  }
}

TEST_CASE("Metadata that is too long fails its partition of a transaction only",
          "[group][txn_offset_commit]") {
  Groups groups;
  auto request = Groups::txn_commit({}, 10);
  request.topics[0].partitions.push_back({1, 11, -1, std::string(4097, 'x'), {}});
  const auto answer = groups.ask(request, 4).topics.at(0).partitions;
  CHECK(answer.at(0).error_code == ErrorCode::none);
  CHECK(answer.at(1).error_code == ErrorCode::offset_metadata_too_large);
}

TEST_CASE("An epoch that no batch can have fails the whole request", "[group][txn_offset_commit]") {
  Groups groups;
  auto request = Groups::txn_commit({}, 5);
  request.producer_epoch = -1;
  CHECK(groups.ask(request, 3).topics.at(0).partitions.at(0).error_code ==
        ErrorCode::unknown_server_error);
  CHECK(groups.committed() == -1);
}

TEST_CASE("An old id's open transaction blocks stable fetches until it is aborted",
          "[group][txn_offset_commit]") {
  Groups groups;
  groups.commit_offset({}, 5);
  groups.txn_commit_offset({}, 10, producer);
  groups.advance(minutes(1));
  CHECK(groups.fetched(true).error_code == ErrorCode::unstable_offset_commit);
  groups.marker(producer, false);
  CHECK(groups.fetched(true).committed_offset == 5);
}

}  // namespace fencepost::minibroker
