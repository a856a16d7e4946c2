#include "client/explained.h"

#include <string_view>

namespace fencepost::client {

namespace {

using protocol::ErrorCode;

// Empty when the name says it all.
std::string_view explanation(ErrorCode code) {
  switch (code) {
    case ErrorCode::topic_authorization_failed:
      return "the user lacks an ACL for the topic";
    case ErrorCode::group_authorization_failed:
      return "the user lacks an ACL for the group";
    case ErrorCode::transactional_id_authorization_failed:
      return "the user lacks an ACL for the transactional.id";
    case ErrorCode::cluster_authorization_failed:
      return "the user lacks an ACL for the cluster";
    case ErrorCode::unknown_topic_or_partition:
      return "there is no such topic or partition";
    case ErrorCode::invalid_replication_factor:
      return "there are too few brokers";
    case ErrorCode::invalid_transaction_timeout:
      return "the timeout is above the brokers' transaction.max.timeout.ms";
    case ErrorCode::invalid_session_timeout:
      return "the timeout is outside the brokers' group.min and group.max.session.timeout.ms";
    default:
      return {};
  }
}

}  // namespace

std::string explained(ErrorCode code) {
  const std::string_view text = explanation(code);
  std::string name(to_string(code));
  return text.empty() ? name : name + " (" + std::string(text) + ")";
}

}  // namespace fencepost::client
