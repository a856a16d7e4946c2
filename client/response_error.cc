// One line of code a response: where Kafka puts its errors.
#include "client/response_error.h"

#include "protocol/messages/add_offsets_to_txn.h"
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/sync_group.h"
#include "protocol/messages/txn_offset_commit.h"

namespace fencepost::client {

using protocol::ErrorCode;

namespace {

// The first error of a list of things that each have an error_code.
template <class Parts>
ErrorCode first_of(const Parts& parts) {
  for (const auto& part : parts)
    if (part.error_code != ErrorCode::none) return part.error_code;
  return ErrorCode::none;
}

// The first error of topics that each have partitions.
template <class Topics>
ErrorCode first_of_topics(const Topics& topics) {
  for (const auto& topic : topics) {
    const ErrorCode code = first_of(topic.partitions);
    if (code != ErrorCode::none) return code;
  }
  return ErrorCode::none;
}

using AddPartitionsResponse = protocol::AddPartitionsToTxnResponse;

ErrorCode first_of_results(
    const std::vector<AddPartitionsResponse::AddPartitionsToTxnTopicResult>& topics) {
  for (const auto& topic : topics)
    for (const auto& partition : topic.results_by_partition)
      if (partition.partition_error_code != ErrorCode::none) return partition.partition_error_code;
  return ErrorCode::none;
}

}  // namespace

ErrorCode first_error(const protocol::AddOffsetsToTxnResponse& response) {
  return response.error_code;
}

ErrorCode first_error(const AddPartitionsResponse& response) {
  if (response.error_code != ErrorCode::none) return response.error_code;
  for (const auto& transaction : response.results_by_transaction) {
    const ErrorCode code = first_of_results(transaction.topic_results);
    if (code != ErrorCode::none) return code;
  }
  return first_of_results(response.results_by_topic_v3_and_below);
}

ErrorCode first_error(const protocol::EndTxnResponse& response) {
  return response.error_code;
}

ErrorCode first_error(const protocol::FetchResponse& response) {
  if (response.error_code != ErrorCode::none) return response.error_code;
  return first_of_topics(response.responses);
}

ErrorCode first_error(const protocol::HeartbeatResponse& response) {
  return response.error_code;
}

ErrorCode first_error(const protocol::InitProducerIdResponse& response) {
  return response.error_code;
}

ErrorCode first_error(const protocol::JoinGroupResponse& response) {
  return response.error_code;
}

ErrorCode first_error(const protocol::LeaveGroupResponse& response) {
  if (response.error_code != ErrorCode::none) return response.error_code;
  return first_of(response.members);
}

ErrorCode first_error(const protocol::ListOffsetsResponse& response) {
  return first_of_topics(response.topics);
}

ErrorCode first_error(const protocol::OffsetCommitResponse& response) {
  return first_of_topics(response.topics);
}

ErrorCode first_error(const protocol::OffsetFetchResponse& response) {
  if (response.error_code != ErrorCode::none) return response.error_code;
  for (const auto& group : response.groups) {
    if (group.error_code != ErrorCode::none) return group.error_code;
    const ErrorCode code = first_of_topics(group.topics);
    if (code != ErrorCode::none) return code;
  }
  return first_of_topics(response.topics);
}

ErrorCode first_error(const protocol::ProduceResponse& response) {
  for (const auto& topic : response.responses) {
    const ErrorCode code = first_of(topic.partition_responses);
    if (code != ErrorCode::none) return code;
  }
  return ErrorCode::none;
}

ErrorCode first_error(const protocol::SyncGroupResponse& response) {
  return response.error_code;
}

ErrorCode first_error(const protocol::TxnOffsetCommitResponse& response) {
  return first_of_topics(response.topics);
}

}  // namespace fencepost::client
