#include "protocol/error_code.h"

#include <algorithm>
#include <array>

namespace fencepost::protocol {

namespace {

constexpr std::array all_error_codes{
    ErrorCodeInfo{ErrorCode::unknown_server_error, "UNKNOWN_SERVER_ERROR", false},
    ErrorCodeInfo{ErrorCode::none, "NONE", false},
    ErrorCodeInfo{ErrorCode::offset_out_of_range, "OFFSET_OUT_OF_RANGE", false},
    ErrorCodeInfo{ErrorCode::corrupt_message, "CORRUPT_MESSAGE", true},
    ErrorCodeInfo{ErrorCode::unknown_topic_or_partition, "UNKNOWN_TOPIC_OR_PARTITION", true},
    ErrorCodeInfo{ErrorCode::invalid_fetch_size, "INVALID_FETCH_SIZE", false},
    ErrorCodeInfo{ErrorCode::leader_not_available, "LEADER_NOT_AVAILABLE", true},
    ErrorCodeInfo{ErrorCode::not_leader_or_follower, "NOT_LEADER_OR_FOLLOWER", true},
    ErrorCodeInfo{ErrorCode::request_timed_out, "REQUEST_TIMED_OUT", true},
    ErrorCodeInfo{ErrorCode::broker_not_available, "BROKER_NOT_AVAILABLE", false},
    ErrorCodeInfo{ErrorCode::replica_not_available, "REPLICA_NOT_AVAILABLE", true},
    ErrorCodeInfo{ErrorCode::message_too_large, "MESSAGE_TOO_LARGE", false},
    ErrorCodeInfo{ErrorCode::stale_controller_epoch, "STALE_CONTROLLER_EPOCH", false},
    ErrorCodeInfo{ErrorCode::offset_metadata_too_large, "OFFSET_METADATA_TOO_LARGE", false},
    ErrorCodeInfo{ErrorCode::network_exception, "NETWORK_EXCEPTION", true},
    ErrorCodeInfo{ErrorCode::coordinator_load_in_progress, "COORDINATOR_LOAD_IN_PROGRESS", true},
    ErrorCodeInfo{ErrorCode::coordinator_not_available, "COORDINATOR_NOT_AVAILABLE", true},
    ErrorCodeInfo{ErrorCode::not_coordinator, "NOT_COORDINATOR", true},
    ErrorCodeInfo{ErrorCode::invalid_topic_exception, "INVALID_TOPIC_EXCEPTION", false},
    ErrorCodeInfo{ErrorCode::record_list_too_large, "RECORD_LIST_TOO_LARGE", false},
    ErrorCodeInfo{ErrorCode::not_enough_replicas, "NOT_ENOUGH_REPLICAS", true},
    ErrorCodeInfo{ErrorCode::not_enough_replicas_after_append, "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
                  true},
    ErrorCodeInfo{ErrorCode::invalid_required_acks, "INVALID_REQUIRED_ACKS", false},
    ErrorCodeInfo{ErrorCode::illegal_generation, "ILLEGAL_GENERATION", false},
    ErrorCodeInfo{ErrorCode::inconsistent_group_protocol, "INCONSISTENT_GROUP_PROTOCOL", false},
    ErrorCodeInfo{ErrorCode::invalid_group_id, "INVALID_GROUP_ID", false},
    ErrorCodeInfo{ErrorCode::unknown_member_id, "UNKNOWN_MEMBER_ID", false},
    ErrorCodeInfo{ErrorCode::invalid_session_timeout, "INVALID_SESSION_TIMEOUT", false},
    ErrorCodeInfo{ErrorCode::rebalance_in_progress, "REBALANCE_IN_PROGRESS", false},
    ErrorCodeInfo{ErrorCode::invalid_commit_offset_size, "INVALID_COMMIT_OFFSET_SIZE", false},
    ErrorCodeInfo{ErrorCode::topic_authorization_failed, "TOPIC_AUTHORIZATION_FAILED", false},
    ErrorCodeInfo{ErrorCode::group_authorization_failed, "GROUP_AUTHORIZATION_FAILED", false},
    ErrorCodeInfo{ErrorCode::cluster_authorization_failed, "CLUSTER_AUTHORIZATION_FAILED", false},
    ErrorCodeInfo{ErrorCode::invalid_timestamp, "INVALID_TIMESTAMP", false},
    ErrorCodeInfo{ErrorCode::unsupported_sasl_mechanism, "UNSUPPORTED_SASL_MECHANISM", false},
    ErrorCodeInfo{ErrorCode::illegal_sasl_state, "ILLEGAL_SASL_STATE", false},
    ErrorCodeInfo{ErrorCode::unsupported_version, "UNSUPPORTED_VERSION", false},
    ErrorCodeInfo{ErrorCode::topic_already_exists, "TOPIC_ALREADY_EXISTS", false},
    ErrorCodeInfo{ErrorCode::invalid_partitions, "INVALID_PARTITIONS", false},
    ErrorCodeInfo{ErrorCode::invalid_replication_factor, "INVALID_REPLICATION_FACTOR", false},
    ErrorCodeInfo{ErrorCode::invalid_replica_assignment, "INVALID_REPLICA_ASSIGNMENT", false},
    ErrorCodeInfo{ErrorCode::invalid_config, "INVALID_CONFIG", false},
    ErrorCodeInfo{ErrorCode::not_controller, "NOT_CONTROLLER", true},
    ErrorCodeInfo{ErrorCode::invalid_request, "INVALID_REQUEST", false},
    ErrorCodeInfo{ErrorCode::unsupported_for_message_format, "UNSUPPORTED_FOR_MESSAGE_FORMAT",
                  false},
    ErrorCodeInfo{ErrorCode::policy_violation, "POLICY_VIOLATION", false},
    ErrorCodeInfo{ErrorCode::out_of_order_sequence_number, "OUT_OF_ORDER_SEQUENCE_NUMBER", false},
    ErrorCodeInfo{ErrorCode::duplicate_sequence_number, "DUPLICATE_SEQUENCE_NUMBER", false},
    ErrorCodeInfo{ErrorCode::invalid_producer_epoch, "INVALID_PRODUCER_EPOCH", false},
    ErrorCodeInfo{ErrorCode::invalid_txn_state, "INVALID_TXN_STATE", false},
    ErrorCodeInfo{ErrorCode::invalid_producer_id_mapping, "INVALID_PRODUCER_ID_MAPPING", false},
    ErrorCodeInfo{ErrorCode::invalid_transaction_timeout, "INVALID_TRANSACTION_TIMEOUT", false},
    ErrorCodeInfo{ErrorCode::concurrent_transactions, "CONCURRENT_TRANSACTIONS", true},
    ErrorCodeInfo{ErrorCode::transaction_coordinator_fenced, "TRANSACTION_COORDINATOR_FENCED",
                  false},
    ErrorCodeInfo{ErrorCode::transactional_id_authorization_failed,
                  "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", false},
    ErrorCodeInfo{ErrorCode::security_disabled, "SECURITY_DISABLED", false},
    ErrorCodeInfo{ErrorCode::operation_not_attempted, "OPERATION_NOT_ATTEMPTED", false},
    ErrorCodeInfo{ErrorCode::kafka_storage_error, "KAFKA_STORAGE_ERROR", true},
    ErrorCodeInfo{ErrorCode::log_dir_not_found, "LOG_DIR_NOT_FOUND", false},
    ErrorCodeInfo{ErrorCode::sasl_authentication_failed, "SASL_AUTHENTICATION_FAILED", false},
    ErrorCodeInfo{ErrorCode::unknown_producer_id, "UNKNOWN_PRODUCER_ID", false},
    ErrorCodeInfo{ErrorCode::reassignment_in_progress, "REASSIGNMENT_IN_PROGRESS", false},
    ErrorCodeInfo{ErrorCode::delegation_token_auth_disabled, "DELEGATION_TOKEN_AUTH_DISABLED",
                  false},
    ErrorCodeInfo{ErrorCode::delegation_token_not_found, "DELEGATION_TOKEN_NOT_FOUND", false},
    ErrorCodeInfo{ErrorCode::delegation_token_owner_mismatch, "DELEGATION_TOKEN_OWNER_MISMATCH",
                  false},
    ErrorCodeInfo{ErrorCode::delegation_token_request_not_allowed,
                  "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", false},
    ErrorCodeInfo{ErrorCode::delegation_token_authorization_failed,
                  "DELEGATION_TOKEN_AUTHORIZATION_FAILED", false},
    ErrorCodeInfo{ErrorCode::delegation_token_expired, "DELEGATION_TOKEN_EXPIRED", false},
    ErrorCodeInfo{ErrorCode::invalid_principal_type, "INVALID_PRINCIPAL_TYPE", false},
    ErrorCodeInfo{ErrorCode::non_empty_group, "NON_EMPTY_GROUP", false},
    ErrorCodeInfo{ErrorCode::group_id_not_found, "GROUP_ID_NOT_FOUND", false},
    ErrorCodeInfo{ErrorCode::fetch_session_id_not_found, "FETCH_SESSION_ID_NOT_FOUND", true},
    ErrorCodeInfo{ErrorCode::invalid_fetch_session_epoch, "INVALID_FETCH_SESSION_EPOCH", true},
    ErrorCodeInfo{ErrorCode::listener_not_found, "LISTENER_NOT_FOUND", true},
    ErrorCodeInfo{ErrorCode::topic_deletion_disabled, "TOPIC_DELETION_DISABLED", false},
    ErrorCodeInfo{ErrorCode::fenced_leader_epoch, "FENCED_LEADER_EPOCH", true},
    ErrorCodeInfo{ErrorCode::unknown_leader_epoch, "UNKNOWN_LEADER_EPOCH", true},
    ErrorCodeInfo{ErrorCode::unsupported_compression_type, "UNSUPPORTED_COMPRESSION_TYPE", false},
    ErrorCodeInfo{ErrorCode::stale_broker_epoch, "STALE_BROKER_EPOCH", false},
    ErrorCodeInfo{ErrorCode::offset_not_available, "OFFSET_NOT_AVAILABLE", true},
    ErrorCodeInfo{ErrorCode::member_id_required, "MEMBER_ID_REQUIRED", false},
    ErrorCodeInfo{ErrorCode::preferred_leader_not_available, "PREFERRED_LEADER_NOT_AVAILABLE",
                  true},
    ErrorCodeInfo{ErrorCode::group_max_size_reached, "GROUP_MAX_SIZE_REACHED", false},
    ErrorCodeInfo{ErrorCode::fenced_instance_id, "FENCED_INSTANCE_ID", false},
    ErrorCodeInfo{ErrorCode::eligible_leaders_not_available, "ELIGIBLE_LEADERS_NOT_AVAILABLE",
                  true},
    ErrorCodeInfo{ErrorCode::election_not_needed, "ELECTION_NOT_NEEDED", true},
    ErrorCodeInfo{ErrorCode::no_reassignment_in_progress, "NO_REASSIGNMENT_IN_PROGRESS", false},
    ErrorCodeInfo{ErrorCode::group_subscribed_to_topic, "GROUP_SUBSCRIBED_TO_TOPIC", false},
    ErrorCodeInfo{ErrorCode::invalid_record, "INVALID_RECORD", false},
    ErrorCodeInfo{ErrorCode::unstable_offset_commit, "UNSTABLE_OFFSET_COMMIT", true},
    ErrorCodeInfo{ErrorCode::throttling_quota_exceeded, "THROTTLING_QUOTA_EXCEEDED", true},
    ErrorCodeInfo{ErrorCode::producer_fenced, "PRODUCER_FENCED", false},
    ErrorCodeInfo{ErrorCode::resource_not_found, "RESOURCE_NOT_FOUND", false},
    ErrorCodeInfo{ErrorCode::duplicate_resource, "DUPLICATE_RESOURCE", false},
    ErrorCodeInfo{ErrorCode::unacceptable_credential, "UNACCEPTABLE_CREDENTIAL", false},
    ErrorCodeInfo{ErrorCode::inconsistent_voter_set, "INCONSISTENT_VOTER_SET", false},
    ErrorCodeInfo{ErrorCode::invalid_update_version, "INVALID_UPDATE_VERSION", false},
    ErrorCodeInfo{ErrorCode::feature_update_failed, "FEATURE_UPDATE_FAILED", false},
    ErrorCodeInfo{ErrorCode::principal_deserialization_failure, "PRINCIPAL_DESERIALIZATION_FAILURE",
                  false},
    ErrorCodeInfo{ErrorCode::snapshot_not_found, "SNAPSHOT_NOT_FOUND", false},
    ErrorCodeInfo{ErrorCode::position_out_of_range, "POSITION_OUT_OF_RANGE", false},
    ErrorCodeInfo{ErrorCode::unknown_topic_id, "UNKNOWN_TOPIC_ID", true},
    ErrorCodeInfo{ErrorCode::duplicate_broker_registration, "DUPLICATE_BROKER_REGISTRATION", false},
    ErrorCodeInfo{ErrorCode::broker_id_not_registered, "BROKER_ID_NOT_REGISTERED", false},
    ErrorCodeInfo{ErrorCode::inconsistent_topic_id, "INCONSISTENT_TOPIC_ID", true},
    ErrorCodeInfo{ErrorCode::inconsistent_cluster_id, "INCONSISTENT_CLUSTER_ID", false},
    ErrorCodeInfo{ErrorCode::transactional_id_not_found, "TRANSACTIONAL_ID_NOT_FOUND", false},
    ErrorCodeInfo{ErrorCode::fetch_session_topic_id_error, "FETCH_SESSION_TOPIC_ID_ERROR", true},
    ErrorCodeInfo{ErrorCode::ineligible_replica, "INELIGIBLE_REPLICA", false},
    ErrorCodeInfo{ErrorCode::new_leader_elected, "NEW_LEADER_ELECTED", false},
    ErrorCodeInfo{ErrorCode::offset_moved_to_tiered_storage, "OFFSET_MOVED_TO_TIERED_STORAGE",
                  false},
    ErrorCodeInfo{ErrorCode::fenced_member_epoch, "FENCED_MEMBER_EPOCH", false},
    ErrorCodeInfo{ErrorCode::unreleased_instance_id, "UNRELEASED_INSTANCE_ID", false},
    ErrorCodeInfo{ErrorCode::unsupported_assignor, "UNSUPPORTED_ASSIGNOR", false},
    ErrorCodeInfo{ErrorCode::stale_member_epoch, "STALE_MEMBER_EPOCH", false},
    ErrorCodeInfo{ErrorCode::mismatched_endpoint_type, "MISMATCHED_ENDPOINT_TYPE", false},
    ErrorCodeInfo{ErrorCode::unsupported_endpoint_type, "UNSUPPORTED_ENDPOINT_TYPE", false},
    ErrorCodeInfo{ErrorCode::unknown_controller_id, "UNKNOWN_CONTROLLER_ID", false},
    ErrorCodeInfo{ErrorCode::unknown_subscription_id, "UNKNOWN_SUBSCRIPTION_ID", false},
    ErrorCodeInfo{ErrorCode::telemetry_too_large, "TELEMETRY_TOO_LARGE", false},
    ErrorCodeInfo{ErrorCode::invalid_registration, "INVALID_REGISTRATION", false},
    ErrorCodeInfo{ErrorCode::transaction_abortable, "TRANSACTION_ABORTABLE", false},
    ErrorCodeInfo{ErrorCode::invalid_record_state, "INVALID_RECORD_STATE", false},
    ErrorCodeInfo{ErrorCode::share_session_not_found, "SHARE_SESSION_NOT_FOUND", true},
    ErrorCodeInfo{ErrorCode::invalid_share_session_epoch, "INVALID_SHARE_SESSION_EPOCH", true},
    ErrorCodeInfo{ErrorCode::fenced_state_epoch, "FENCED_STATE_EPOCH", false},
    ErrorCodeInfo{ErrorCode::invalid_voter_key, "INVALID_VOTER_KEY", false},
    ErrorCodeInfo{ErrorCode::duplicate_voter, "DUPLICATE_VOTER", false},
    ErrorCodeInfo{ErrorCode::voter_not_found, "VOTER_NOT_FOUND", false},
    ErrorCodeInfo{ErrorCode::invalid_regular_expression, "INVALID_REGULAR_EXPRESSION", false},
    ErrorCodeInfo{ErrorCode::rebootstrap_required, "REBOOTSTRAP_REQUIRED", false},
    ErrorCodeInfo{ErrorCode::streams_invalid_topology, "STREAMS_INVALID_TOPOLOGY", false},
    ErrorCodeInfo{ErrorCode::streams_invalid_topology_epoch, "STREAMS_INVALID_TOPOLOGY_EPOCH",
                  false},
    ErrorCodeInfo{ErrorCode::streams_topology_fenced, "STREAMS_TOPOLOGY_FENCED", false},
    ErrorCodeInfo{ErrorCode::share_session_limit_reached, "SHARE_SESSION_LIMIT_REACHED", true},
    ErrorCodeInfo{ErrorCode::group_deletion_failed, "GROUP_DELETION_FAILED", false},
    ErrorCodeInfo{ErrorCode::streams_topology_description_update_failed,
                  "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED", false},
    ErrorCodeInfo{ErrorCode::controller_id_not_registered, "CONTROLLER_ID_NOT_REGISTERED", false},
};

}  // namespace

std::span<const ErrorCodeInfo> error_codes() {
  return all_error_codes;
}

const ErrorCodeInfo* find_error_code(ErrorCode code) {
  const auto found = std::ranges::find(all_error_codes, code, &ErrorCodeInfo::code);
  return found == all_error_codes.end() ? nullptr : &*found;
}

std::optional<ErrorCode> parse_error_code(std::string_view name) {
  const auto found = std::ranges::find(all_error_codes, name, &ErrorCodeInfo::name);
  if (found == all_error_codes.end()) return std::nullopt;
  return found->code;
}

std::string to_string(ErrorCode code) {
  const ErrorCodeInfo* info = find_error_code(code);
  return info != nullptr ? std::string(info->name)
                         : "ERROR_" + std::to_string(static_cast<int>(code));
}

bool is_retriable(ErrorCode code) {
  const ErrorCodeInfo* info = find_error_code(code);
  return info != nullptr && info->is_retriable;
}

Reaction reaction_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::none:
      return Reaction::go_on;
    case ErrorCode::not_coordinator:
    case ErrorCode::coordinator_not_available:
    case ErrorCode::not_leader_or_follower:
    case ErrorCode::leader_not_available:
    case ErrorCode::fenced_leader_epoch:
    case ErrorCode::unknown_topic_or_partition:
    case ErrorCode::unknown_topic_id:
      return Reaction::find_coordinator;
    case ErrorCode::producer_fenced:
    case ErrorCode::invalid_producer_epoch:
    case ErrorCode::illegal_generation:
    case ErrorCode::unknown_member_id:
    case ErrorCode::fenced_instance_id:
    case ErrorCode::fenced_member_epoch:
    case ErrorCode::stale_member_epoch:
      return Reaction::fenced;
    case ErrorCode::transaction_abortable:
    case ErrorCode::out_of_order_sequence_number:
    case ErrorCode::unknown_producer_id:
    case ErrorCode::operation_not_attempted:
    case ErrorCode::offset_metadata_too_large:
    case ErrorCode::message_too_large:
    case ErrorCode::topic_authorization_failed:
    case ErrorCode::group_authorization_failed:
      return Reaction::abort;
    default:
      return is_retriable(code) ? Reaction::retry : Reaction::bug;
  }
}

std::string_view to_string(Reaction reaction) {
  switch (reaction) {
    case Reaction::go_on:
      return "go on";
    case Reaction::retry:
      return "retry";
    case Reaction::find_coordinator:
      return "find the coordinator and retry";
    case Reaction::abort:
      return "abort the transaction";
    case Reaction::fenced:
      return "fenced, stop";
    case Reaction::bug:
      return "stop and report";
  }
  return "";
}

}  // namespace fencepost::protocol
