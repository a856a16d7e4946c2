// Answers: who waits for a step is told its outcome in the form of the request. What "fenced" is
// called depends on the version of the request (KIP-588).
#include "minibroker/transaction/coordinator.h"

namespace fencepost::minibroker::transaction {

namespace {

using protocol::ApiKey;
using protocol::ErrorCode;

// Clients before KIP-588 know only INVALID_PRODUCER_EPOCH.
ErrorCode in_version(ErrorCode error, const RequestContext& context) {
  std::int16_t first_version_with_fenced = context.api_key == ApiKey::init_producer_id ? 4 : 2;
  if (error == ErrorCode::producer_fenced && context.api_version < first_version_with_fenced)
    return ErrorCode::invalid_producer_epoch;
  return error;
}

}  // namespace

void TransactionCoordinator::answer(const Waiter& waiter, ErrorCode error) {
  ErrorCode code = in_version(error, waiter.context);
  switch (waiter.asker) {
    case Asker::nobody:
      return;
    case Asker::init_producer_id:
    case Asker::init_producer_id_fencing: {
      protocol::InitProducerIdResponse response;
      response.producer_id = protocol::no_producer_id;
      response.producer_epoch = protocol::no_producer_epoch;
      response.error_code = code;
      if (waiter.asker == Asker::init_producer_id_fencing && code == ErrorCode::none)
        response.error_code = ErrorCode::concurrent_transactions;
      replies_.push_back(make_reply(waiter.context, response));
      return;
    }
    case Asker::add_partitions: {
      auto addition = open_additions_.find(waiter.addition);
      CHECK(addition != open_additions_.end());
      for (auto& topic : addition->second.results[waiter.transaction].topic_results)
        for (auto& partition : topic.results_by_partition) partition.partition_error_code = code;
      return finish_transaction_of(waiter.addition);
    }
    case Asker::add_offsets: {
      protocol::AddOffsetsToTxnResponse response;
      response.error_code = code;
      replies_.push_back(make_reply(waiter.context, response));
      return;
    }
    case Asker::end_txn: {
      protocol::EndTxnResponse response;
      response.error_code = code;
      replies_.push_back(make_reply(waiter.context, response));
      return;
    }
  }
}

void TransactionCoordinator::answer_producer(const Waiter& waiter, std::int64_t producer_id,
                                             std::int16_t producer_epoch) {
  if (waiter.asker == Asker::end_txn) {
    protocol::EndTxnResponse response;
    response.producer_id = producer_id;
    response.producer_epoch = producer_epoch;
    replies_.push_back(make_reply(waiter.context, response));
    return;
  }
  CHECK(waiter.asker == Asker::init_producer_id);
  protocol::InitProducerIdResponse response;
  response.producer_id = producer_id;
  response.producer_epoch = producer_epoch;
  replies_.push_back(make_reply(waiter.context, response));
}

}  // namespace fencepost::minibroker::transaction
