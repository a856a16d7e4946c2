// FindCoordinator: the leader of the internal partition that a group or transactional.id belongs
// to. The internal topic is created by the first question.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int8_t group_key = 0;
constexpr std::int8_t transaction_key = 1;

using Coordinator = FindCoordinatorResponse::Coordinator;

Coordinator refuse(const std::string& key, ErrorCode error) {
  Coordinator out;
  out.key = key;
  out.error_code = error;
  out.node_id = -1;
  out.port = -1;
  return out;
}

Coordinator find(Turn& turn, const RequestContext& context, const std::string& key,
                 std::int8_t key_type) {
  if (key_type != group_key && key_type != transaction_key)
    return refuse(key, ErrorCode::invalid_request);
  const ResourceType type =
      key_type == group_key ? ResourceType::group : ResourceType::transactional_id;
  if (!allows(turn, context, Operation::describe, type, key))
    return refuse(key, key_type == group_key ? ErrorCode::group_authorization_failed
                                             : ErrorCode::transactional_id_authorization_failed);
  const TopicImage* topic = turn.controller.internal_topic(
      key_type == group_key ? consumer_offsets_topic : transaction_state_topic);
  if (topic == nullptr) return refuse(key, ErrorCode::coordinator_not_available);
  const auto index = static_cast<std::size_t>(
      coordinator_partition(key, static_cast<int>(topic->partitions.size())));
  const int leader_id = topic->partitions[index].leader_id;
  if (leader_id < 0) return refuse(key, ErrorCode::coordinator_not_available);
  const Endpoint& address = turn.controller.broker(leader_id).on(context.identity->listener);
  Coordinator out;
  out.key = key;
  out.node_id = leader_id;
  out.host = address.host;
  out.port = address.port;
  return out;
}

// Versions before 4 say in words what the error is, and that there is none.
std::string message_of(ErrorCode error) {
  switch (error) {
    case ErrorCode::none:
      return "NONE";
    case ErrorCode::coordinator_not_available:
      return "The coordinator is not available.";
    case ErrorCode::group_authorization_failed:
      return group_denied_message;
    case ErrorCode::transactional_id_authorization_failed:
      return "Transactional Id authorization failed.";
    default:
      return {};
  }
}

}  // namespace

void find_coordinator(Broker& broker, Turn& turn, const RequestContext& context,
                      const FindCoordinatorRequest& request) {
  FindCoordinatorResponse response;
  if (context.api_version >= 4) {
    for (const std::string& key : request.coordinator_keys)
      response.coordinators.push_back(find(turn, context, key, request.key_type));
    return broker.reply(context, response);
  }
  Coordinator found = find(turn, context, request.key, request.key_type);
  response.error_code = found.error_code;
  response.error_message = message_of(found.error_code);
  response.node_id = found.node_id;
  response.host = std::move(found.host);
  response.port = found.port;
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
