// What a cluster is made of: brokers, topics, Kafka's configuration keys and the era.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "minibroker/era.h"
#include "minibroker/security/authorizer.h"
#include "minibroker/security/credentials.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker {

struct TopicSettings {
  std::string name;
  int partition_count = 1;
  int replication_factor = 1;
  std::map<std::string, std::string> config = {};  // Kafka's topic configuration
};

struct ClusterSettings {
  int broker_count = 1;
  Era era = era_4_4();
  std::uint64_t seed = 1;
  Instant start{};
  // One way, between any two; 0 delivers at once (a served cluster).
  Duration latency{};
  std::vector<TopicSettings> topics = {};

  // Kafka's broker configuration as it was given, keys without effect here included.
  std::map<std::string, std::string> broker_config = {};
  // What of it takes effect, by Kafka's names and with Kafka's defaults.
  int num_partitions = 1;
  bool auto_create_topics_enable = true;
  int default_replication_factor = 1;
  int offsets_topic_num_partitions = 50;
  int offsets_topic_replication_factor = 3;  // the number of brokers, if that is smaller
  int transaction_state_log_num_partitions = 50;
  int transaction_state_log_replication_factor = 3;  // likewise
  int transaction_state_log_min_isr = 2;             // likewise
  int min_insync_replicas = 1;
  bool unclean_leader_election_enable = false;
  Duration transaction_max_timeout = std::chrono::minutes(15);
  Duration transaction_abort_timed_out_transaction_cleanup_interval = std::chrono::seconds(10);
  Duration transactional_id_expiration = std::chrono::hours(24 * 7);
  Duration producer_id_expiration = std::chrono::hours(24);
  Duration group_initial_rebalance_delay = std::chrono::seconds(3);
  Duration group_min_session_timeout = std::chrono::seconds(6);
  Duration group_max_session_timeout = std::chrono::minutes(30);
  int group_max_size = 2147483647;
  // Of the consumer protocol (KIP-848).
  Duration group_consumer_session_timeout = std::chrono::seconds(45);
  Duration group_consumer_heartbeat_interval = std::chrono::seconds(5);
  Duration group_consumer_assignment_interval = std::chrono::seconds(1);
  Duration group_consumer_regex_refresh_interval = std::chrono::minutes(10);
  int group_consumer_max_size = 2147483647;
  std::string group_consumer_assignors = "uniform,range";
  std::string group_consumer_migration_policy = "bidirectional";
  int offset_metadata_max_bytes = 4096;
  int message_max_bytes = 1048588;
  Duration log_retention_check_interval = std::chrono::minutes(5);
  Duration log_cleaner_backoff = std::chrono::seconds(15);
  int fetch_max_bytes = 55 * 1024 * 1024;
  int max_incremental_fetch_session_cache_slots = 1000;
  Duration replica_fetch_wait_max = milliseconds(500);
  Duration replica_fetch_backoff = milliseconds(1000);
  Duration replica_lag_time_max = std::chrono::seconds(30);
  Duration broker_session_timeout = std::chrono::seconds(9);
  Duration request_timeout = std::chrono::seconds(30);  // of requests between brokers
  // How long a coordinator reads its log before it answers anything else than
  // COORDINATOR_LOAD_IN_PROGRESS; Kafka has no key for it.
  Duration coordinator_load_time{};
  // What a new transactional.id begins with; Kafka has no key for it, and always begins with 0.
  int first_producer_epoch = 0;
  security::AuthorizerSettings authorizer = {};
  security::SaslSettings sasl = {};
  int sasl_server_max_receive_size = 524288;  // of a request before authentication
  // Only the TCP server looks at these.
  int socket_request_max_bytes = 100 * 1024 * 1024;
  Duration connections_max_idle = std::chrono::minutes(10);
  int max_connections = 2147483647;
  int max_connections_per_ip = 2147483647;
  // Bytes of all requests that have arrived in part; above it no further one is read. -1: no limit.
  std::int64_t queued_max_request_bytes = -1;
};

}  // namespace fencepost::minibroker
