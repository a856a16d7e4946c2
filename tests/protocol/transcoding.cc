#include "tests/protocol/transcoding.h"

#include <array>

#include "protocol/base/check.h"
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
#include "protocol/messages/headers.h"
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
#include "protocol/records/consumer_group_log.h"
#include "protocol/records/consumer_protocol.h"
#include "protocol/records/control_records.h"
#include "protocol/records/group_log.h"
#include "protocol/records/transaction_log.h"

namespace fencepost::protocol {

namespace {

template <class Message>
Result<Frame> transcode(const SharedBytes& bytes, int from, int to) {
  const Result<Message> message = Codec<Message>::decode(bytes, from);
  if (!message) return message.error();
  return Codec<Message>::encode(*message, to);
}

struct Transcoding {
  std::string_view message;
  Transcode function;
};

template <class... Message>
constexpr std::array<Transcoding, sizeof...(Message)> alone() {
  return {Transcoding{Message::info.name, &transcode<Message>}...};
}
template <class... Request>
constexpr std::array<Transcoding, 2 * sizeof...(Request)> both_sides() {
  std::array<Transcoding, 2 * sizeof...(Request)> out{};
  std::size_t at = 0;
  ((out[at++] = alone<Request>()[0], out[at++] = alone<typename Request::Response>()[0]), ...);
  return out;
}

constexpr auto of_apis = both_sides<
    ProduceRequest, FetchRequest, ListOffsetsRequest, MetadataRequest, OffsetCommitRequest,
    OffsetFetchRequest, FindCoordinatorRequest, JoinGroupRequest, HeartbeatRequest,
    LeaveGroupRequest, SyncGroupRequest, DescribeGroupsRequest, ListGroupsRequest,
    SaslHandshakeRequest, ApiVersionsRequest, CreateTopicsRequest, DeleteTopicsRequest,
    DeleteRecordsRequest, InitProducerIdRequest, OffsetForLeaderEpochRequest,
    AddPartitionsToTxnRequest, AddOffsetsToTxnRequest, EndTxnRequest, WriteTxnMarkersRequest,
    TxnOffsetCommitRequest, DescribeAclsRequest, CreateAclsRequest, DeleteAclsRequest,
    DescribeConfigsRequest, AlterConfigsRequest, SaslAuthenticateRequest, CreatePartitionsRequest,
    DeleteGroupsRequest, ElectLeadersRequest, IncrementalAlterConfigsRequest, OffsetDeleteRequest,
    UpdateFeaturesRequest, DescribeClusterRequest, DescribeProducersRequest,
    DescribeTransactionsRequest, ListTransactionsRequest, ConsumerGroupHeartbeatRequest,
    ConsumerGroupDescribeRequest, DescribeTopicPartitionsRequest,
    AlterPartitionReassignmentsRequest, ListPartitionReassignmentsRequest,
    AlterReplicaLogDirsRequest, DescribeLogDirsRequest, DescribeQuorumRequest,
    ListConfigResourcesRequest, DescribeUserScramCredentialsRequest,
    AlterUserScramCredentialsRequest, DescribeClientQuotasRequest, AlterClientQuotasRequest>();
constexpr auto of_records =
    alone<RequestHeader, ResponseHeader, ConsumerProtocolSubscription, ConsumerProtocolAssignment,
          EndTxnMarker, LeaderChangeMessage, AbortedTxn, ProducerSnapshot, TransactionLogKey,
          TransactionLogValue, LegacyOffsetCommitKey, LegacyOffsetCommitValue, OffsetCommitKey,
          OffsetCommitValue, GroupMetadataKey, GroupMetadataValue, ConsumerGroupMetadataKey,
          ConsumerGroupMetadataValue, ConsumerGroupPartitionMetadataKey,
          ConsumerGroupPartitionMetadataValue, ConsumerGroupMemberMetadataKey,
          ConsumerGroupMemberMetadataValue, ConsumerGroupTargetAssignmentMetadataKey,
          ConsumerGroupTargetAssignmentMetadataValue, ConsumerGroupTargetAssignmentMemberKey,
          ConsumerGroupTargetAssignmentMemberValue, ConsumerGroupCurrentMemberAssignmentKey,
          ConsumerGroupCurrentMemberAssignmentValue, ConsumerGroupRegularExpressionKey,
          ConsumerGroupRegularExpressionValue>();

}  // namespace

Transcode transcoding_of(std::string_view message) {
  for (const Transcoding& each : of_apis)
    if (each.message == message) return each.function;
  for (const Transcoding& each : of_records)
    if (each.message == message) return each.function;
  CHECK(false);
}

}  // namespace fencepost::protocol
