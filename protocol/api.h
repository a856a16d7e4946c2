// Kafka's API keys: every API this project speaks, with the versions of Kafka 4.4.0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/message_type.h"

namespace fencepost::protocol {

enum class ApiKey : std::int16_t {
  produce = 0,
  fetch = 1,
  list_offsets = 2,
  metadata = 3,
  offset_commit = 8,
  offset_fetch = 9,
  find_coordinator = 10,
  join_group = 11,
  heartbeat = 12,
  leave_group = 13,
  sync_group = 14,
  describe_groups = 15,
  list_groups = 16,
  sasl_handshake = 17,
  api_versions = 18,
  create_topics = 19,
  delete_topics = 20,
  delete_records = 21,
  init_producer_id = 22,
  offset_for_leader_epoch = 23,
  add_partitions_to_txn = 24,
  add_offsets_to_txn = 25,
  end_txn = 26,
  write_txn_markers = 27,
  txn_offset_commit = 28,
  describe_acls = 29,
  create_acls = 30,
  delete_acls = 31,
  describe_configs = 32,
  alter_configs = 33,
  alter_replica_log_dirs = 34,
  describe_log_dirs = 35,
  sasl_authenticate = 36,
  create_partitions = 37,
  delete_groups = 42,
  elect_leaders = 43,
  incremental_alter_configs = 44,
  alter_partition_reassignments = 45,
  list_partition_reassignments = 46,
  offset_delete = 47,
  describe_client_quotas = 48,
  alter_client_quotas = 49,
  describe_user_scram_credentials = 50,
  alter_user_scram_credentials = 51,
  describe_quorum = 55,
  update_features = 57,
  describe_cluster = 60,
  describe_producers = 61,
  describe_transactions = 65,
  list_transactions = 66,
  consumer_group_heartbeat = 68,
  consumer_group_describe = 69,
  list_config_resources = 74,
  describe_topic_partitions = 75,
};

struct Api {
  ApiKey key;
  std::string_view name;  // "EndTxn"
  MessageType request;
  MessageType response;

  Versions versions() const { return request.info->valid_versions; }
};

// All APIs, by key.
std::span<const Api> apis();
const Api* find_api(ApiKey key);
const Api* find_api(std::string_view name);

std::string_view to_string(ApiKey key);
// "end_txn": the name in scenario files.
std::string snake_case(std::string_view name);

// The header version that belongs to a request or response of that version. The response to
// ApiVersions always has header 0, so that a client of any age can read it (KIP-511).
int request_header_version(const Api& api, int version);
int response_header_version(const Api& api, int version);

}  // namespace fencepost::protocol
