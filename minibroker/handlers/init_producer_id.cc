// InitProducerId: the coordinator decides, see transaction/init_producer_id.cc.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

namespace {

// An idempotent producer needs the right to write to some topic.
protocol::ErrorCode check_authorization(const Turn& turn, const RequestContext& context,
                                        const protocol::InitProducerIdRequest& request) {
  if (request.transactional_id)
    return allows_transactional_id(turn, context, Operation::write, *request.transactional_id)
               ? protocol::ErrorCode::none
               : protocol::ErrorCode::transactional_id_authorization_failed;
  const bool is_allowed = allows_cluster(turn, context, Operation::idempotent_write) ||
                          turn.controller.authorizer().allows_on_some(
                              *context.identity, Operation::write, ResourceType::topic);
  return is_allowed ? protocol::ErrorCode::none : protocol::ErrorCode::cluster_authorization_failed;
}

}  // namespace

void init_producer_id(Broker& broker, Turn& turn, const RequestContext& context,
                      const protocol::InitProducerIdRequest& request) {
  const protocol::ErrorCode denial = check_authorization(turn, context, request);
  if (denial != protocol::ErrorCode::none) {
    protocol::InitProducerIdResponse refused;
    refused.error_code = denial;
    refused.producer_id = -1;
    refused.producer_epoch = -1;
    return broker.reply(context, refused);
  }
  broker.transactions().init_producer_id(context, request, turn.now);
}

}  // namespace fencepost::minibroker::handlers
