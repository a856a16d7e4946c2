// The first error code that a response holds, wherever its version keeps it.
#pragma once

#include "protocol/error_code.h"

namespace fencepost::protocol {
struct AddOffsetsToTxnResponse;
struct AddPartitionsToTxnResponse;
struct EndTxnResponse;
struct FetchResponse;
struct HeartbeatResponse;
struct InitProducerIdResponse;
struct JoinGroupResponse;
struct LeaveGroupResponse;
struct ListOffsetsResponse;
struct OffsetCommitResponse;
struct OffsetFetchResponse;
struct ProduceResponse;
struct SyncGroupResponse;
struct TxnOffsetCommitResponse;
}  // namespace fencepost::protocol

namespace fencepost::client {

// The error of the response as a whole if it has one, else the first of its parts in wire order;
// ErrorCode::none if there is none.
protocol::ErrorCode first_error(const protocol::AddOffsetsToTxnResponse& response);
protocol::ErrorCode first_error(const protocol::AddPartitionsToTxnResponse& response);
protocol::ErrorCode first_error(const protocol::EndTxnResponse& response);
protocol::ErrorCode first_error(const protocol::FetchResponse& response);
protocol::ErrorCode first_error(const protocol::HeartbeatResponse& response);
protocol::ErrorCode first_error(const protocol::InitProducerIdResponse& response);
protocol::ErrorCode first_error(const protocol::JoinGroupResponse& response);
protocol::ErrorCode first_error(const protocol::LeaveGroupResponse& response);
protocol::ErrorCode first_error(const protocol::ListOffsetsResponse& response);
protocol::ErrorCode first_error(const protocol::OffsetCommitResponse& response);
protocol::ErrorCode first_error(const protocol::OffsetFetchResponse& response);
protocol::ErrorCode first_error(const protocol::ProduceResponse& response);
protocol::ErrorCode first_error(const protocol::SyncGroupResponse& response);
protocol::ErrorCode first_error(const protocol::TxnOffsetCommitResponse& response);

}  // namespace fencepost::client
