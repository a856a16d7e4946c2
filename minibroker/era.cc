#include "minibroker/era.h"

#include <algorithm>
#include <array>

namespace fencepost::minibroker {

namespace {

using protocol::ApiKey;
using protocol::Versions;

// The columns of the tables below, oldest first; each stands for the last patch of its line.
constexpr std::array<std::string_view, 8> releases{"2.8", "3.5", "3.9", "4.0",
                                                   "4.1", "4.2", "4.3", "4.4"};

// clang-format off

// The highest version that brokers of each release answer; the lowest is what this project's codec
// still reads (Kafka 4 dropped the oldest ones). -1: the release does not know the API.
struct ApiRow {
  ApiKey key;
  std::array<int, releases.size()> last;
};

constexpr std::array api_rows{
    //                                              2.8 3.5 3.9 4.0 4.1 4.2 4.3 4.4
    ApiRow{ApiKey::produce,                        { 9,  9, 11, 12, 13, 13, 13, 13}},
    ApiRow{ApiKey::fetch,                          {12, 15, 17, 17, 18, 18, 18, 18}},
    ApiRow{ApiKey::list_offsets,                   { 6,  8,  9, 10, 10, 11, 11, 11}},
    ApiRow{ApiKey::metadata,                       {11, 12, 12, 13, 13, 13, 13, 13}},
    ApiRow{ApiKey::offset_commit,                  { 8,  8,  9,  9,  9, 10, 10, 10}},
    ApiRow{ApiKey::offset_fetch,                   { 7,  8,  9,  9,  9, 10, 10, 10}},
    ApiRow{ApiKey::find_coordinator,               { 3,  4,  6,  6,  6,  6,  6,  6}},
    ApiRow{ApiKey::join_group,                     { 7,  9,  9,  9,  9,  9,  9,  9}},
    ApiRow{ApiKey::heartbeat,                      { 4,  4,  4,  4,  4,  4,  4,  4}},
    ApiRow{ApiKey::leave_group,                    { 4,  5,  5,  5,  5,  5,  5,  5}},
    ApiRow{ApiKey::sync_group,                     { 5,  5,  5,  5,  5,  5,  5,  5}},
    ApiRow{ApiKey::describe_groups,                { 5,  5,  5,  6,  6,  6,  6,  6}},
    ApiRow{ApiKey::list_groups,                    { 4,  4,  5,  5,  5,  5,  5,  5}},
    ApiRow{ApiKey::sasl_handshake,                 { 1,  1,  1,  1,  1,  1,  1,  1}},
    ApiRow{ApiKey::api_versions,                   { 3,  3,  4,  4,  4,  4,  4,  5}},
    ApiRow{ApiKey::create_topics,                  { 7,  7,  7,  7,  7,  7,  7,  7}},
    ApiRow{ApiKey::delete_topics,                  { 6,  6,  6,  6,  6,  6,  6,  6}},
    ApiRow{ApiKey::delete_records,                 { 2,  2,  2,  2,  2,  2,  2,  2}},
    ApiRow{ApiKey::init_producer_id,               { 4,  4,  5,  5,  5,  5,  5,  5}},
    ApiRow{ApiKey::offset_for_leader_epoch,        { 4,  4,  4,  4,  4,  4,  4,  4}},
    ApiRow{ApiKey::add_partitions_to_txn,          { 3,  3,  5,  5,  5,  5,  5,  5}},
    ApiRow{ApiKey::add_offsets_to_txn,             { 3,  3,  4,  4,  4,  4,  4,  4}},
    ApiRow{ApiKey::end_txn,                        { 3,  3,  4,  5,  5,  5,  5,  5}},
    ApiRow{ApiKey::write_txn_markers,              { 1,  1,  1,  1,  1,  2,  2,  2}},
    ApiRow{ApiKey::txn_offset_commit,              { 3,  3,  4,  5,  5,  5,  5,  6}},
    ApiRow{ApiKey::describe_acls,                  { 2,  3,  3,  3,  3,  3,  3,  3}},
    ApiRow{ApiKey::create_acls,                    { 2,  3,  3,  3,  3,  3,  3,  3}},
    ApiRow{ApiKey::delete_acls,                    { 2,  3,  3,  3,  3,  3,  3,  3}},
    ApiRow{ApiKey::describe_configs,               { 4,  4,  4,  4,  4,  4,  4,  4}},
    ApiRow{ApiKey::alter_configs,                  { 2,  2,  2,  2,  2,  2,  2,  2}},
    ApiRow{ApiKey::alter_replica_log_dirs,         { 2,  2,  2,  2,  2,  2,  2,  2}},
    ApiRow{ApiKey::describe_log_dirs,              { 2,  4,  4,  4,  4,  4,  5,  5}},
    ApiRow{ApiKey::sasl_authenticate,              { 2,  2,  2,  2,  2,  2,  2,  2}},
    ApiRow{ApiKey::create_partitions,              { 3,  3,  3,  3,  3,  3,  3,  3}},
    ApiRow{ApiKey::delete_groups,                  { 2,  2,  2,  2,  2,  2,  2,  3}},
    ApiRow{ApiKey::elect_leaders,                  { 2,  2,  2,  2,  2,  2,  2,  2}},
    ApiRow{ApiKey::incremental_alter_configs,      { 1,  1,  1,  1,  1,  1,  1,  1}},
    ApiRow{ApiKey::alter_partition_reassignments,  { 0,  0,  0,  0,  1,  1,  1,  1}},
    ApiRow{ApiKey::list_partition_reassignments,   { 0,  0,  0,  0,  0,  0,  0,  0}},
    ApiRow{ApiKey::offset_delete,                  { 0,  0,  0,  0,  0,  0,  0,  0}},
    ApiRow{ApiKey::describe_client_quotas,         { 1,  1,  1,  1,  1,  1,  1,  1}},
    ApiRow{ApiKey::alter_client_quotas,            { 1,  1,  1,  1,  1,  1,  1,  1}},
    ApiRow{ApiKey::describe_user_scram_credentials,{ 0,  0,  0,  0,  0,  0,  0,  0}},
    ApiRow{ApiKey::alter_user_scram_credentials,   { 0,  0,  0,  0,  0,  0,  0,  0}},
    ApiRow{ApiKey::describe_quorum,                { 0,  1,  2,  2,  2,  2,  2,  2}},
    ApiRow{ApiKey::update_features,                { 0,  1,  1,  2,  2,  2,  2,  2}},
    ApiRow{ApiKey::describe_cluster,               { 0,  0,  1,  2,  2,  2,  2,  2}},
    ApiRow{ApiKey::describe_producers,             { 0,  0,  0,  0,  0,  0,  0,  0}},
    ApiRow{ApiKey::describe_transactions,          {-1,  0,  0,  0,  0,  0,  0,  0}},
    ApiRow{ApiKey::list_transactions,              {-1,  0,  1,  1,  2,  2,  2,  2}},
    ApiRow{ApiKey::consumer_group_heartbeat,       {-1, -1,  0,  1,  1,  1,  1,  1}},
    ApiRow{ApiKey::consumer_group_describe,        {-1, -1,  0,  1,  1,  1,  1,  1}},
    ApiRow{ApiKey::list_config_resources,          {-1, -1,  0,  0,  1,  1,  1,  1}},
    ApiRow{ApiKey::describe_topic_partitions,      {-1, -1,  0,  0,  0,  0,  0,  0}},
};

struct BehaviourRow {
  bool Era::*behaviour;
  std::array<bool, releases.size()> holds;
};

constexpr bool no = false, yes = true;

constexpr std::array behaviour_rows{
    //                                                    2.8  3.5  3.9  4.0  4.1  4.2  4.3  4.4
    BehaviourRow{&Era::verifies_partitions,                {no,  no, yes, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::verifies_offset_commits,            {no,  no, yes, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::has_transaction_version,            {no,  no,  no, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::looks_at_pending_before_identity,   {no,  no,  no, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::looks_at_epoch_before_guard,        {no,  no, yes, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::looks_at_epoch_before_verification, {no,  no,  no,  no, yes, yes, yes, yes}},
    BehaviourRow{&Era::holds_back_before_marker,           {no,  no,  no, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::fences_with_one_bump,               {no,  no, yes, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::forgets_start_when_empty,           {no,  no,  no,  no, yes, yes, yes, yes}},
    BehaviourRow{&Era::demands_newer_marker_epoch,         {no,  no,  no,  no,  no, yes, yes, yes}},
    BehaviourRow{&Era::stable_offset_is_of_batch,          {no,  no,  no, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::holds_high_watermark_below_min_in_sync,
                                                           {no,  no, yes, yes, yes, yes, yes, yes}},
    BehaviourRow{&Era::knows_assignment_epochs,            {no,  no,  no,  no,  no,  no, yes, yes}},
    BehaviourRow{&Era::has_new_group_coordinator,          {no,  no,  no, yes, yes, yes, yes, yes}},
};

// A new cluster of a release has every feature at its highest level, but for kraft.version: that
// stays 0 while the controllers' quorum is a fixed list.
struct FeatureRow {
  std::string_view name;
  std::int16_t Era::*level;
  std::array<std::int16_t, releases.size()> level_min;
  std::array<std::int16_t, releases.size()> level_max;  // 0: the release does not know the feature
};

constexpr std::array feature_rows{
    FeatureRow{"group.version", &Era::group_version,
               {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 1, 1}},
    FeatureRow{"kraft.version", &Era::kraft_version,
               {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 1, 1, 1, 1, 1}},
    FeatureRow{"metadata.version", &Era::metadata_version,
               {0, 1, 1, 7, 7, 7, 7, 7}, {0, 11, 21, 25, 27, 29, 30, 33}},
    FeatureRow{"transaction.version", &Era::transaction_version,
               {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 2, 2, 2, 2, 2}},
};

// clang-format on

Era era_of_column(std::size_t column) {
  Era era;
  era.name = releases[column];
  era.release_column = column;
  for (const BehaviourRow& row : behaviour_rows) era.*row.behaviour = row.holds[column];
  for (const FeatureRow& row : feature_rows)
    if (row.level != &Era::kraft_version) era.*row.level = row.level_max[column];
  return era;
}

}  // namespace

Versions Era::versions_of(ApiKey key) const {
  const auto row = std::ranges::find(api_rows, key, &ApiRow::key);
  if (row == api_rows.end() || row->last[release_column] < 0) return protocol::no_versions;
  const Versions known = protocol::find_api(key)->versions();
  return {known.first, std::min(known.last, row->last[release_column])};
}

std::vector<Feature> Era::features() const {
  std::vector<Feature> features;
  for (const FeatureRow& row : feature_rows) {
    const std::int16_t level_max = row.level_max[release_column];
    if (level_max > 0)
      features.push_back({row.name, row.level_min[release_column], level_max, this->*row.level});
  }
  return features;
}

bool Era::set_feature_level(std::string_view feature, std::int16_t level) {
  for (const FeatureRow& row : feature_rows) {
    if (row.name != feature) continue;
    if (level < row.level_min[release_column] || level > row.level_max[release_column])
      return false;
    this->*row.level = level;
    return true;
  }
  return false;
}

Era era_3_5() {
  return find_era("3.5").value();
}
Era era_3_9() {
  return find_era("3.9").value();
}
Era era_4_4() {
  return find_era("4.4").value();
}

std::vector<Era> eras() {
  std::vector<Era> eras;
  for (std::size_t column = 0; column < releases.size(); ++column)
    eras.push_back(era_of_column(column));
  return eras;
}

std::optional<Era> find_era(std::string_view name) {
  for (Era& era : eras())
    if (era.name == name) return era;
  return std::nullopt;
}

}  // namespace fencepost::minibroker
