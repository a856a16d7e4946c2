// The handlers of requests: one file per API key. A handler checks in Kafka's order, has the
// broker's parts do the work, and answers at once or leaves an operation behind that is answered
// later.
#pragma once

#include <string>

#include "minibroker/broker.h"
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
#include "protocol/messages/delete_records.h"
#include "protocol/messages/delete_topics.h"
#include "protocol/messages/describe_acls.h"
#include "protocol/messages/describe_client_quotas.h"
#include "protocol/messages/describe_cluster.h"
#include "protocol/messages/describe_configs.h"
#include "protocol/messages/describe_log_dirs.h"
#include "protocol/messages/describe_producers.h"
#include "protocol/messages/describe_quorum.h"
#include "protocol/messages/describe_topic_partitions.h"
#include "protocol/messages/describe_user_scram_credentials.h"
#include "protocol/messages/elect_leaders.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/incremental_alter_configs.h"
#include "protocol/messages/list_config_resources.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/list_partition_reassignments.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/offset_for_leader_epoch.h"
#include "protocol/messages/sasl_authenticate.h"
#include "protocol/messages/sasl_handshake.h"
#include "protocol/messages/update_features.h"

namespace fencepost::minibroker::handlers {

// Takes a frame apart and calls the handler of its API. What cannot be read, or is not served,
// closes the connection; only ApiVersions is answered in any version.
void dispatch(Broker& broker, Turn& turn, std::int64_t connection,
              std::shared_ptr<const security::Identity> identity, const SharedBytes& frame);
// Whether there is a handler for it; what has none is not advertised.
bool is_served(protocol::ApiKey key);

// ---- cluster.cc and friends: metadata and topics

void api_versions(Broker&, Turn&, const RequestContext&, const protocol::ApiVersionsRequest&);
void refuse_api_versions(Broker&, const RequestContext&, protocol::ErrorCode);
void metadata(Broker&, Turn&, const RequestContext&, const protocol::MetadataRequest&);
void describe_cluster(Broker&, Turn&, const RequestContext&,
                      const protocol::DescribeClusterRequest&);
void find_coordinator(Broker&, Turn&, const RequestContext&,
                      const protocol::FindCoordinatorRequest&);
void create_topics(Broker&, Turn&, const RequestContext&, const protocol::CreateTopicsRequest&);
void delete_topics(Broker&, Turn&, const RequestContext&, const protocol::DeleteTopicsRequest&);
void create_partitions(Broker&, Turn&, const RequestContext&,
                       const protocol::CreatePartitionsRequest&);
void describe_configs(Broker&, Turn&, const RequestContext&,
                      const protocol::DescribeConfigsRequest&);

// ---- administration

void alter_configs(Broker&, Turn&, const RequestContext&, const protocol::AlterConfigsRequest&);
void alter_partition_reassignments(Broker&, Turn&, const RequestContext&,
                                   const protocol::AlterPartitionReassignmentsRequest&);
void alter_replica_log_dirs(Broker&, Turn&, const RequestContext&,
                            const protocol::AlterReplicaLogDirsRequest&);
void describe_log_dirs(Broker&, Turn&, const RequestContext&,
                       const protocol::DescribeLogDirsRequest&);
void describe_quorum(Broker&, Turn&, const RequestContext&, const protocol::DescribeQuorumRequest&);
void describe_topic_partitions(Broker&, Turn&, const RequestContext&,
                               const protocol::DescribeTopicPartitionsRequest&);
void elect_leaders(Broker&, Turn&, const RequestContext&, const protocol::ElectLeadersRequest&);
void incremental_alter_configs(Broker&, Turn&, const RequestContext&,
                               const protocol::IncrementalAlterConfigsRequest&);
void list_config_resources(Broker&, Turn&, const RequestContext&,
                           const protocol::ListConfigResourcesRequest&);
void list_partition_reassignments(Broker&, Turn&, const RequestContext&,
                                  const protocol::ListPartitionReassignmentsRequest&);
void update_features(Broker&, Turn&, const RequestContext&, const protocol::UpdateFeaturesRequest&);
// ---- security

// Takes out of a coordinator's answer what the client may not see, and the operations that it may
// not do.
void finish_for_reader(const Turn&, Reply&);
// A frame of a connection that has to authenticate first, or wants to authenticate again: takes it
// and is true, or leaves it to dispatch().
bool authenticate(Broker&, Turn&, RequestContext, const SharedBytes& frame);
void sasl_handshake(Broker&, Turn&, const RequestContext&, const protocol::SaslHandshakeRequest&);
void sasl_authenticate(Broker&, Turn&, const RequestContext&,
                       const protocol::SaslAuthenticateRequest&);
void describe_acls(Broker&, Turn&, const RequestContext&, const protocol::DescribeAclsRequest&);
void create_acls(Broker&, Turn&, const RequestContext&, const protocol::CreateAclsRequest&);
void delete_acls(Broker&, Turn&, const RequestContext&, const protocol::DeleteAclsRequest&);
void describe_client_quotas(Broker&, Turn&, const RequestContext&,
                            const protocol::DescribeClientQuotasRequest&);
void alter_client_quotas(Broker&, Turn&, const RequestContext&,
                         const protocol::AlterClientQuotasRequest&);
void describe_user_scram_credentials(Broker&, Turn&, const RequestContext&,
                                     const protocol::DescribeUserScramCredentialsRequest&);
void alter_user_scram_credentials(Broker&, Turn&, const RequestContext&,
                                  const protocol::AlterUserScramCredentialsRequest&);

// ---- partitions

void produce(Broker&, Turn&, const RequestContext&, const protocol::ProduceRequest&);
void resume_produce(Broker&, Turn&, OperationId);
// `answer` is the body of an AddPartitionsToTxn response; null when it was lost.
void on_produce_verified(Broker&, Turn&, OperationId, const SharedBytes* answer);
void on_produce_replicated(Broker&, const ProduceWait&, protocol::ErrorCode);

void fetch(Broker&, Turn&, const RequestContext&, const protocol::FetchRequest&);
enum class FetchMoment { on_arrival, on_change, at_deadline };
// Answers if there is enough to answer with, or it is time. False: it goes on waiting.
bool answer_fetch(Broker&, Turn&, const FetchOperation&, FetchMoment);

void list_offsets(Broker&, Turn&, const RequestContext&, const protocol::ListOffsetsRequest&);
void offset_for_leader_epoch(Broker&, Turn&, const RequestContext&,
                             const protocol::OffsetForLeaderEpochRequest&);
void delete_records(Broker&, Turn&, const RequestContext&, const protocol::DeleteRecordsRequest&);
void describe_producers(Broker&, Turn&, const RequestContext&,
                        const protocol::DescribeProducersRequest&);
void write_txn_markers(Broker&, Turn&, const RequestContext&,
                       const protocol::WriteTxnMarkersRequest&);
void on_marker_replicated(Broker&, Turn&, const MarkerWait&, const TopicPartition&,
                          protocol::ErrorCode);

// ---- transactions

void init_producer_id(Broker&, Turn&, const RequestContext&,
                      const protocol::InitProducerIdRequest&);
void add_partitions_to_txn(Broker&, Turn&, const RequestContext&,
                           const protocol::AddPartitionsToTxnRequest&);
void add_offsets_to_txn(Broker&, Turn&, const RequestContext&,
                        const protocol::AddOffsetsToTxnRequest&);
void end_txn(Broker&, Turn&, const RequestContext&, const protocol::EndTxnRequest&);
void describe_transactions(Broker&, Turn&, const RequestContext&,
                           const protocol::DescribeTransactionsRequest&);
void list_transactions(Broker&, Turn&, const RequestContext&,
                       const protocol::ListTransactionsRequest&);

// ---- groups

void join_group(Broker&, Turn&, const RequestContext&, const protocol::JoinGroupRequest&);
void sync_group(Broker&, Turn&, const RequestContext&, const protocol::SyncGroupRequest&);
void heartbeat(Broker&, Turn&, const RequestContext&, const protocol::HeartbeatRequest&);
void leave_group(Broker&, Turn&, const RequestContext&, const protocol::LeaveGroupRequest&);
void offset_commit(Broker&, Turn&, const RequestContext&, const protocol::OffsetCommitRequest&);
void txn_offset_commit(Broker&, Turn&, const RequestContext&,
                       const protocol::TxnOffsetCommitRequest&);
void resume_offset_commit(Broker&, Turn&, OperationId);
void on_offset_commit_verified(Broker&, Turn&, OperationId, const SharedBytes* answer);
void offset_fetch(Broker&, Turn&, const RequestContext&, const protocol::OffsetFetchRequest&);
void offset_delete(Broker&, Turn&, const RequestContext&, const protocol::OffsetDeleteRequest&);
void consumer_group_heartbeat(Broker&, Turn&, const RequestContext&,
                              const protocol::ConsumerGroupHeartbeatRequest&);
void consumer_group_describe(Broker&, Turn&, const RequestContext&,
                             const protocol::ConsumerGroupDescribeRequest&);
void describe_groups(Broker&, Turn&, const RequestContext&, const protocol::DescribeGroupsRequest&);
void list_groups(Broker&, Turn&, const RequestContext&, const protocol::ListGroupsRequest&);
void delete_groups(Broker&, Turn&, const RequestContext&, const protocol::DeleteGroupsRequest&);

}  // namespace fencepost::minibroker::handlers
