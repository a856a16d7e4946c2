#include "minibroker/era.h"

#include <algorithm>
#include <array>

namespace fencepost::minibroker {

namespace {

using protocol::ApiKey;
using protocol::Versions;

// The highest version that brokers of each release answer; the lowest is what this project's codec
// still reads (Kafka 4 dropped the oldest ones). -1: the release does not know the API.
struct ApiRow {
  ApiKey key;
  std::array<int, 3> last;  // 3.5, 3.9, 4.4
};

constexpr std::array api_rows{
    ApiRow{ApiKey::produce, {9, 11, 13}},
    ApiRow{ApiKey::fetch, {15, 17, 18}},
    ApiRow{ApiKey::list_offsets, {8, 9, 11}},
    ApiRow{ApiKey::metadata, {12, 12, 13}},
    ApiRow{ApiKey::offset_commit, {8, 9, 10}},
    ApiRow{ApiKey::offset_fetch, {8, 9, 10}},
    ApiRow{ApiKey::find_coordinator, {4, 6, 6}},
    ApiRow{ApiKey::join_group, {9, 9, 9}},
    ApiRow{ApiKey::heartbeat, {4, 4, 4}},
    ApiRow{ApiKey::leave_group, {5, 5, 5}},
    ApiRow{ApiKey::sync_group, {5, 5, 5}},
    ApiRow{ApiKey::describe_groups, {5, 5, 6}},
    ApiRow{ApiKey::list_groups, {4, 5, 5}},
    ApiRow{ApiKey::api_versions, {3, 4, 5}},
    ApiRow{ApiKey::create_topics, {7, 7, 7}},
    ApiRow{ApiKey::delete_topics, {6, 6, 6}},
    ApiRow{ApiKey::delete_records, {2, 2, 2}},
    ApiRow{ApiKey::init_producer_id, {4, 5, 5}},
    ApiRow{ApiKey::offset_for_leader_epoch, {4, 4, 4}},
    ApiRow{ApiKey::add_partitions_to_txn, {4, 5, 5}},
    ApiRow{ApiKey::add_offsets_to_txn, {3, 4, 4}},
    ApiRow{ApiKey::end_txn, {3, 4, 5}},
    ApiRow{ApiKey::write_txn_markers, {1, 1, 2}},
    ApiRow{ApiKey::txn_offset_commit, {3, 4, 6}},
    ApiRow{ApiKey::describe_configs, {4, 4, 4}},
    ApiRow{ApiKey::create_partitions, {3, 3, 3}},
    ApiRow{ApiKey::delete_groups, {2, 2, 3}},
    ApiRow{ApiKey::offset_delete, {0, 0, 0}},
    ApiRow{ApiKey::describe_cluster, {0, 1, 2}},
    ApiRow{ApiKey::describe_producers, {0, 0, 0}},
    ApiRow{ApiKey::describe_transactions, {0, 0, 0}},
    ApiRow{ApiKey::list_transactions, {0, 1, 2}},
};

}  // namespace

Versions Era::versions_of(ApiKey key) const {
  const auto row = std::ranges::find(api_rows, key, &ApiRow::key);
  if (row == api_rows.end() || row->last[release_column] < 0) return protocol::no_versions;
  const Versions known = protocol::find_api(key)->versions();
  return {known.first, std::min(known.last, row->last[release_column])};
}

Era era_4_4() {
  Era era;
  era.name = "4.4";
  era.release_column = 2;
  return era;
}

Era era_3_9() {
  Era era;
  era.name = "3.9";
  era.release_column = 1;
  era.has_transaction_version = false;
  era.bumps_epoch_at_end = false;
  era.looks_at_pending_before_identity = false;
  era.looks_at_epoch_before_verification = false;
  era.holds_back_before_marker = false;
  era.demands_newer_marker_epoch = false;
  era.knows_assignment_epochs = false;
  era.has_new_group_coordinator = false;
  return era;
}

Era era_3_5() {
  Era era = era_3_9();
  era.name = "3.5";
  era.release_column = 0;
  era.verifies_partitions = false;
  era.verifies_offset_commits = false;
  era.looks_at_epoch_before_guard = false;
  era.fences_with_one_bump = false;
  return era;
}

std::vector<Era> eras() {
  return {era_3_5(), era_3_9(), era_4_4()};
}

std::optional<Era> find_era(std::string_view name) {
  for (Era& era : eras())
    if (era.name == name) return era;
  return std::nullopt;
}

}  // namespace fencepost::minibroker
