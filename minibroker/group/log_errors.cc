#include "minibroker/group/log_errors.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

ErrorCode group_write_error(ErrorCode error) {
  switch (error) {
    case ErrorCode::unknown_topic_or_partition:
    case ErrorCode::not_enough_replicas:
    case ErrorCode::not_enough_replicas_after_append:
    case ErrorCode::request_timed_out:
      return ErrorCode::coordinator_not_available;
    case ErrorCode::not_leader_or_follower:
    case ErrorCode::kafka_storage_error:
      return ErrorCode::not_coordinator;
    case ErrorCode::message_too_large:
    case ErrorCode::record_list_too_large:
    case ErrorCode::invalid_fetch_size:
      return ErrorCode::unknown_server_error;
    default:
      return error;
  }
}

ErrorCode offset_write_error(const Era& era, ErrorCode error) {
  // A fenced producer is told so by the leader's word for it, in every version.
  if (error == ErrorCode::producer_fenced) return ErrorCode::invalid_producer_epoch;
  const ErrorCode mapped = group_write_error(error);
  if (era.has_new_group_coordinator) return mapped;
  if (mapped == ErrorCode::unknown_server_error) return ErrorCode::invalid_commit_offset_size;
  return error == ErrorCode::request_timed_out ? error : mapped;
}

bool is_still_in_log(ErrorCode error) {
  return error == ErrorCode::request_timed_out ||
         error == ErrorCode::not_enough_replicas_after_append;
}

}  // namespace fencepost::minibroker
