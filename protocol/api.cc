#include "protocol/api.h"

#include <algorithm>
#include <array>

#include "protocol/messages/add_offsets_to_txn.h"
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/alter_client_quotas.h"
#include "protocol/messages/alter_configs.h"
#include "protocol/messages/alter_partition_reassignments.h"
#include "protocol/messages/alter_replica_log_dirs.h"
#include "protocol/messages/alter_user_scram_credentials.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/consumer_group_describe.h"
#include "protocol/messages/consumer_group_heartbeat.h"
#include "protocol/messages/create_acls.h"
#include "protocol/messages/create_partitions.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/delete_acls.h"
#include "protocol/messages/delete_groups.h"
#include "protocol/messages/delete_records.h"
#include "protocol/messages/delete_topics.h"
#include "protocol/messages/describe_acls.h"
#include "protocol/messages/describe_client_quotas.h"
#include "protocol/messages/describe_cluster.h"
#include "protocol/messages/describe_configs.h"
#include "protocol/messages/describe_groups.h"
#include "protocol/messages/describe_log_dirs.h"
#include "protocol/messages/describe_producers.h"
#include "protocol/messages/describe_quorum.h"
#include "protocol/messages/describe_topic_partitions.h"
#include "protocol/messages/describe_transactions.h"
#include "protocol/messages/describe_user_scram_credentials.h"
#include "protocol/messages/elect_leaders.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/incremental_alter_configs.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/list_config_resources.h"
#include "protocol/messages/list_groups.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/list_partition_reassignments.h"
#include "protocol/messages/list_transactions.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_delete.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/offset_for_leader_epoch.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/sasl_authenticate.h"
#include "protocol/messages/sasl_handshake.h"
#include "protocol/messages/sync_group.h"
#include "protocol/messages/txn_offset_commit.h"
#include "protocol/messages/update_features.h"
#include "protocol/messages/write_txn_markers.h"

namespace fencepost::protocol {

namespace {

template <class Request>
constexpr Api api(ApiKey key, std::string_view name) {
  return {key, name, message_type<Request>(), message_type<typename Request::Response>()};
}

constexpr std::array all_apis{
    api<ProduceRequest>(ApiKey::produce, "Produce"),
    api<FetchRequest>(ApiKey::fetch, "Fetch"),
    api<ListOffsetsRequest>(ApiKey::list_offsets, "ListOffsets"),
    api<MetadataRequest>(ApiKey::metadata, "Metadata"),
    api<OffsetCommitRequest>(ApiKey::offset_commit, "OffsetCommit"),
    api<OffsetFetchRequest>(ApiKey::offset_fetch, "OffsetFetch"),
    api<FindCoordinatorRequest>(ApiKey::find_coordinator, "FindCoordinator"),
    api<JoinGroupRequest>(ApiKey::join_group, "JoinGroup"),
    api<HeartbeatRequest>(ApiKey::heartbeat, "Heartbeat"),
    api<LeaveGroupRequest>(ApiKey::leave_group, "LeaveGroup"),
    api<SyncGroupRequest>(ApiKey::sync_group, "SyncGroup"),
    api<DescribeGroupsRequest>(ApiKey::describe_groups, "DescribeGroups"),
    api<ListGroupsRequest>(ApiKey::list_groups, "ListGroups"),
    api<SaslHandshakeRequest>(ApiKey::sasl_handshake, "SaslHandshake"),
    api<ApiVersionsRequest>(ApiKey::api_versions, "ApiVersions"),
    api<CreateTopicsRequest>(ApiKey::create_topics, "CreateTopics"),
    api<DeleteTopicsRequest>(ApiKey::delete_topics, "DeleteTopics"),
    api<DeleteRecordsRequest>(ApiKey::delete_records, "DeleteRecords"),
    api<InitProducerIdRequest>(ApiKey::init_producer_id, "InitProducerId"),
    api<OffsetForLeaderEpochRequest>(ApiKey::offset_for_leader_epoch, "OffsetForLeaderEpoch"),
    api<AddPartitionsToTxnRequest>(ApiKey::add_partitions_to_txn, "AddPartitionsToTxn"),
    api<AddOffsetsToTxnRequest>(ApiKey::add_offsets_to_txn, "AddOffsetsToTxn"),
    api<EndTxnRequest>(ApiKey::end_txn, "EndTxn"),
    api<WriteTxnMarkersRequest>(ApiKey::write_txn_markers, "WriteTxnMarkers"),
    api<TxnOffsetCommitRequest>(ApiKey::txn_offset_commit, "TxnOffsetCommit"),
    api<DescribeAclsRequest>(ApiKey::describe_acls, "DescribeAcls"),
    api<CreateAclsRequest>(ApiKey::create_acls, "CreateAcls"),
    api<DeleteAclsRequest>(ApiKey::delete_acls, "DeleteAcls"),
    api<DescribeConfigsRequest>(ApiKey::describe_configs, "DescribeConfigs"),
    api<AlterConfigsRequest>(ApiKey::alter_configs, "AlterConfigs"),
    api<AlterReplicaLogDirsRequest>(ApiKey::alter_replica_log_dirs, "AlterReplicaLogDirs"),
    api<DescribeLogDirsRequest>(ApiKey::describe_log_dirs, "DescribeLogDirs"),
    api<SaslAuthenticateRequest>(ApiKey::sasl_authenticate, "SaslAuthenticate"),
    api<CreatePartitionsRequest>(ApiKey::create_partitions, "CreatePartitions"),
    api<DeleteGroupsRequest>(ApiKey::delete_groups, "DeleteGroups"),
    api<ElectLeadersRequest>(ApiKey::elect_leaders, "ElectLeaders"),
    api<IncrementalAlterConfigsRequest>(ApiKey::incremental_alter_configs,
                                        "IncrementalAlterConfigs"),
    api<AlterPartitionReassignmentsRequest>(ApiKey::alter_partition_reassignments,
                                            "AlterPartitionReassignments"),
    api<ListPartitionReassignmentsRequest>(ApiKey::list_partition_reassignments,
                                           "ListPartitionReassignments"),
    api<OffsetDeleteRequest>(ApiKey::offset_delete, "OffsetDelete"),
    api<DescribeClientQuotasRequest>(ApiKey::describe_client_quotas, "DescribeClientQuotas"),
    api<AlterClientQuotasRequest>(ApiKey::alter_client_quotas, "AlterClientQuotas"),
    api<DescribeUserScramCredentialsRequest>(ApiKey::describe_user_scram_credentials,
                                             "DescribeUserScramCredentials"),
    api<AlterUserScramCredentialsRequest>(ApiKey::alter_user_scram_credentials,
                                          "AlterUserScramCredentials"),
    api<DescribeQuorumRequest>(ApiKey::describe_quorum, "DescribeQuorum"),
    api<UpdateFeaturesRequest>(ApiKey::update_features, "UpdateFeatures"),
    api<DescribeClusterRequest>(ApiKey::describe_cluster, "DescribeCluster"),
    api<DescribeProducersRequest>(ApiKey::describe_producers, "DescribeProducers"),
    api<DescribeTransactionsRequest>(ApiKey::describe_transactions, "DescribeTransactions"),
    api<ListTransactionsRequest>(ApiKey::list_transactions, "ListTransactions"),
    api<ConsumerGroupHeartbeatRequest>(ApiKey::consumer_group_heartbeat, "ConsumerGroupHeartbeat"),
    api<ConsumerGroupDescribeRequest>(ApiKey::consumer_group_describe, "ConsumerGroupDescribe"),
    api<ListConfigResourcesRequest>(ApiKey::list_config_resources, "ListConfigResources"),
    api<DescribeTopicPartitionsRequest>(ApiKey::describe_topic_partitions,
                                        "DescribeTopicPartitions"),
};

}  // namespace

std::span<const Api> apis() {
  return all_apis;
}

const Api* find_api(ApiKey key) {
  const auto found = std::ranges::find(all_apis, key, &Api::key);
  return found == all_apis.end() ? nullptr : &*found;
}

const Api* find_api(std::string_view name) {
  const auto found = std::ranges::find(all_apis, name, &Api::name);
  return found == all_apis.end() ? nullptr : &*found;
}

std::string_view to_string(ApiKey key) {
  const Api* api = find_api(key);
  return api != nullptr ? api->name : "unknown";
}

std::string snake_case(std::string_view name) {
  std::string out;
  for (char letter : name) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    if (is_upper && !out.empty()) out += '_';
    out += is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return out;
}

int request_header_version(const Api& api, int version) {
  return api.request.info->flexible_versions.contains(version) ? 2 : 1;
}

int response_header_version(const Api& api, int version) {
  if (api.key == ApiKey::api_versions) return 0;
  return api.response.info->flexible_versions.contains(version) ? 1 : 0;
}

}  // namespace fencepost::protocol
