// From a frame to its handler. The table below is the list of what a broker answers; an API that is
// not in it is not advertised either.
#include <algorithm>
#include <array>

#include "minibroker/handlers/handlers.h"
#include "protocol/messages/headers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Handle = bool (*)(Broker&, Turn&, const RequestContext&, const SharedBytes& body);

template <class Request, void (*handler)(Broker&, Turn&, const RequestContext&, const Request&)>
bool decode_and_handle(Broker& broker, Turn& turn, const RequestContext& context,
                       const SharedBytes& body) {
  // As in Kafka, bytes behind the request are not looked at: librdkafka has sent some.
  Reader reader(body);
  Request request;
  if (!Codec<Request>::decode(reader, context.api_version, request)) return false;
  handler(broker, turn, context, request);
  return true;
}

struct Row {
  ApiKey key;
  Handle handle;
};

constexpr std::array rows{
    Row{ApiKey::produce, decode_and_handle<ProduceRequest, produce>},
    Row{ApiKey::fetch, decode_and_handle<FetchRequest, fetch>},
    Row{ApiKey::list_offsets, decode_and_handle<ListOffsetsRequest, list_offsets>},
    Row{ApiKey::metadata, decode_and_handle<MetadataRequest, metadata>},
    Row{ApiKey::offset_commit, decode_and_handle<OffsetCommitRequest, offset_commit>},
    Row{ApiKey::offset_fetch, decode_and_handle<OffsetFetchRequest, offset_fetch>},
    Row{ApiKey::find_coordinator, decode_and_handle<FindCoordinatorRequest, find_coordinator>},
    Row{ApiKey::join_group, decode_and_handle<JoinGroupRequest, join_group>},
    Row{ApiKey::heartbeat, decode_and_handle<HeartbeatRequest, heartbeat>},
    Row{ApiKey::leave_group, decode_and_handle<LeaveGroupRequest, leave_group>},
    Row{ApiKey::sync_group, decode_and_handle<SyncGroupRequest, sync_group>},
    Row{ApiKey::consumer_group_heartbeat,
        decode_and_handle<ConsumerGroupHeartbeatRequest, consumer_group_heartbeat>},
    Row{ApiKey::consumer_group_describe,
        decode_and_handle<ConsumerGroupDescribeRequest, consumer_group_describe>},
    Row{ApiKey::describe_groups, decode_and_handle<DescribeGroupsRequest, describe_groups>},
    Row{ApiKey::list_groups, decode_and_handle<ListGroupsRequest, list_groups>},
    Row{ApiKey::sasl_handshake, decode_and_handle<SaslHandshakeRequest, sasl_handshake>},
    Row{ApiKey::api_versions, decode_and_handle<ApiVersionsRequest, api_versions>},
    Row{ApiKey::create_topics, decode_and_handle<CreateTopicsRequest, create_topics>},
    Row{ApiKey::delete_topics, decode_and_handle<DeleteTopicsRequest, delete_topics>},
    Row{ApiKey::delete_records, decode_and_handle<DeleteRecordsRequest, delete_records>},
    Row{ApiKey::init_producer_id, decode_and_handle<InitProducerIdRequest, init_producer_id>},
    Row{ApiKey::offset_for_leader_epoch,
        decode_and_handle<OffsetForLeaderEpochRequest, offset_for_leader_epoch>},
    Row{ApiKey::add_partitions_to_txn,
        decode_and_handle<AddPartitionsToTxnRequest, add_partitions_to_txn>},
    Row{ApiKey::add_offsets_to_txn, decode_and_handle<AddOffsetsToTxnRequest, add_offsets_to_txn>},
    Row{ApiKey::end_txn, decode_and_handle<EndTxnRequest, end_txn>},
    Row{ApiKey::write_txn_markers, decode_and_handle<WriteTxnMarkersRequest, write_txn_markers>},
    Row{ApiKey::txn_offset_commit, decode_and_handle<TxnOffsetCommitRequest, txn_offset_commit>},
    Row{ApiKey::describe_acls, decode_and_handle<DescribeAclsRequest, describe_acls>},
    Row{ApiKey::create_acls, decode_and_handle<CreateAclsRequest, create_acls>},
    Row{ApiKey::delete_acls, decode_and_handle<DeleteAclsRequest, delete_acls>},
    Row{ApiKey::describe_configs, decode_and_handle<DescribeConfigsRequest, describe_configs>},
    Row{ApiKey::sasl_authenticate, decode_and_handle<SaslAuthenticateRequest, sasl_authenticate>},
    Row{ApiKey::create_partitions, decode_and_handle<CreatePartitionsRequest, create_partitions>},
    Row{ApiKey::delete_groups, decode_and_handle<DeleteGroupsRequest, delete_groups>},
    Row{ApiKey::offset_delete, decode_and_handle<OffsetDeleteRequest, offset_delete>},
    Row{ApiKey::describe_cluster, decode_and_handle<DescribeClusterRequest, describe_cluster>},
    Row{ApiKey::describe_producers,
        decode_and_handle<DescribeProducersRequest, describe_producers>},
    Row{ApiKey::describe_transactions,
        decode_and_handle<DescribeTransactionsRequest, describe_transactions>},
    Row{ApiKey::list_transactions, decode_and_handle<ListTransactionsRequest, list_transactions>},
    Row{ApiKey::alter_configs, decode_and_handle<AlterConfigsRequest, alter_configs>},
    Row{ApiKey::alter_partition_reassignments,
        decode_and_handle<AlterPartitionReassignmentsRequest, alter_partition_reassignments>},
    Row{ApiKey::alter_replica_log_dirs,
        decode_and_handle<AlterReplicaLogDirsRequest, alter_replica_log_dirs>},
    Row{ApiKey::describe_log_dirs, decode_and_handle<DescribeLogDirsRequest, describe_log_dirs>},
    Row{ApiKey::describe_client_quotas,
        decode_and_handle<DescribeClientQuotasRequest, describe_client_quotas>},
    Row{ApiKey::alter_client_quotas,
        decode_and_handle<AlterClientQuotasRequest, alter_client_quotas>},
    Row{ApiKey::describe_user_scram_credentials,
        decode_and_handle<DescribeUserScramCredentialsRequest, describe_user_scram_credentials>},
    Row{ApiKey::alter_user_scram_credentials,
        decode_and_handle<AlterUserScramCredentialsRequest, alter_user_scram_credentials>},
    Row{ApiKey::describe_quorum, decode_and_handle<DescribeQuorumRequest, describe_quorum>},
    Row{ApiKey::describe_topic_partitions,
        decode_and_handle<DescribeTopicPartitionsRequest, describe_topic_partitions>},
    Row{ApiKey::elect_leaders, decode_and_handle<ElectLeadersRequest, elect_leaders>},
    Row{ApiKey::incremental_alter_configs,
        decode_and_handle<IncrementalAlterConfigsRequest, incremental_alter_configs>},
    Row{ApiKey::list_config_resources,
        decode_and_handle<ListConfigResourcesRequest, list_config_resources>},
    Row{ApiKey::list_partition_reassignments,
        decode_and_handle<ListPartitionReassignmentsRequest, list_partition_reassignments>},
    Row{ApiKey::update_features, decode_and_handle<UpdateFeaturesRequest, update_features>},
};

// The part of a request header that is the same in every version.
RequestContext context_of(Reader& reader, std::int64_t connection,
                          std::shared_ptr<const security::Identity> identity) {
  RequestContext context;
  context.connection = connection;
  context.client_host = "/" + identity->host;
  context.identity = std::move(identity);
  context.api_key = static_cast<ApiKey>(reader.int16());
  context.api_version = reader.int16();
  context.correlation_id = reader.int32();
  return context;
}

}  // namespace

bool is_served(ApiKey key) {
  return std::ranges::find(rows, key, &Row::key) != rows.end();
}

void dispatch(Broker& broker, Turn& turn, std::int64_t connection,
              std::shared_ptr<const security::Identity> identity, const SharedBytes& frame) {
  Reader prefix(frame);
  RequestContext context = context_of(prefix, connection, std::move(identity));
  if (authenticate(broker, turn, context, frame)) return;
  const auto row = std::ranges::find(rows, context.api_key, &Row::key);
  if (prefix.failed() || row == rows.end()) return broker.close(context);
  if (!broker.era().versions_of(context.api_key).contains(context.api_version)) {
    if (context.api_key != ApiKey::api_versions) return broker.close(context);
    context.api_version = 0;
    return refuse_api_versions(broker, context, ErrorCode::unsupported_version);
  }
  Reader reader(frame);
  RequestHeader header;
  const int header_version =
      request_header_version(*find_api(context.api_key), context.api_version);
  if (!Codec<RequestHeader>::decode(reader, header_version, header)) return broker.close(context);
  context.client_id = header.client_id.value_or("");
  const SharedBytes body = frame.slice(reader.offset(), reader.remaining());
  if (!row->handle(broker, turn, context, body)) broker.close(context);
}

}  // namespace fencepost::minibroker::handlers
