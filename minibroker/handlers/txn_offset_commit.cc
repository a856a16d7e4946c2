// TxnOffsetCommit: looks at the topics, has the offsets partition verified (or, from version 5 on,
// added to the transaction), and hands over to the group coordinator: group/txn_offset_commit.cc.
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/offset_topics.h"
#include "minibroker/handlers/verification.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int16_t adds_partition_version_min = 5;
constexpr std::int16_t topic_ids_version_min = 6;

TopicPartition offsets_partition_of(const Broker& broker, const std::string& group_id) {
  return {consumer_offsets_topic,
          coordinator_partition(group_id, broker.settings().offsets_topic_num_partitions)};
}

// The same error for every partition that was still good.
void refuse(Broker& broker, OffsetCommitOperation operation, ErrorCode error) {
  refuse_all(operation.body.topics, error, operation.refused.topics);
  broker.reply(operation.request, operation.refused);
}

void hand_over(Broker& broker, Turn& turn, OffsetCommitOperation operation) {
  broker.groups().txn_offset_commit(operation.request, operation.body, std::move(operation.refused),
                                    operation.guard, turn.now);
}

OffsetCommitOperation take(Broker& broker, OperationId id) {
  OffsetCommitOperation operation = std::move(broker.offset_commits().at(id));
  broker.offset_commits().erase(id);
  return operation;
}

bool retries(Broker& broker, Turn& turn, OperationId id, ErrorCode error) {
  const OffsetCommitOperation& operation = broker.offset_commits().at(id);
  if (error != ErrorCode::concurrent_transactions ||
      operation.request.api_version < adds_partition_version_min ||
      turn.now >= operation.retry_until)
    return false;
  broker.resume_at(turn.now + concurrent_transactions_retry_backoff, id);
  return true;
}

void conclude(Broker& broker, Turn& turn, OperationId id, ErrorCode error) {
  if (retries(broker, turn, id, error)) return;
  OffsetCommitOperation operation = take(broker, id);
  const std::int16_t version = operation.request.api_version;
  if (error != ErrorCode::none)
    return refuse(broker, std::move(operation), txn_offset_commit_error(error, version));
  hand_over(broker, turn, std::move(operation));
}

void verify(Broker& broker, Turn& turn, OperationId id) {
  OffsetCommitOperation& operation = broker.offset_commits().at(id);
  const TxnOffsetCommitRequest& request = operation.body;
  const TopicPartition partition = offsets_partition_of(broker, request.group_id);
  ErrorCode error = ErrorCode::none;
  Replica* replica = broker.replicas().leader(partition, error);
  if (replica == nullptr) return conclude(broker, turn, id, error);
  const bool adds = operation.request.api_version >= adds_partition_version_min;
  error = check_epoch_before_verification(broker.era(), replica->log, request.producer_id,
                                          request.producer_epoch, adds);
  if (error != ErrorCode::none) return conclude(broker, turn, id, error);
  operation.guard = replica->log.begin_verification(request.producer_id, no_sequence,
                                                    request.producer_epoch, adds, turn.now);
  if (operation.guard == no_guard) return conclude(broker, turn, id, ErrorCode::none);
  const Broker::Verification question{
      request.transactional_id, request.producer_id, request.producer_epoch, {partition}, !adds};
  error = broker.send_verification(turn, question, OffsetVerificationSent{id});
  if (error != ErrorCode::none) conclude(broker, turn, id, error);
}

}  // namespace

void txn_offset_commit(Broker& broker, Turn& turn, const RequestContext& context,
                       const TxnOffsetCommitRequest& request) {
  OffsetCommitOperation operation{
      context, request, {}, no_guard, turn.now + concurrent_transactions_retry_max};
  if (!allows_transactional_id(turn, context, Operation::write, request.transactional_id))
    return refuse(broker, std::move(operation), ErrorCode::transactional_id_authorization_failed);
  if (!allows_group(turn, context, Operation::read, request.group_id))
    return refuse(broker, std::move(operation), ErrorCode::group_authorization_failed);
  refuse_bad_topics(turn, context, context.api_version >= topic_ids_version_min, operation.body,
                    operation.refused);
  if (operation.body.topics.empty()) return broker.reply(context, operation.refused);
  const ErrorCode error = broker.groups().before_verification(request.group_id, turn.now);
  if (error != ErrorCode::none) return refuse(broker, std::move(operation), error);
  const OperationId id = broker.next_operation();
  broker.offset_commits().emplace(id, std::move(operation));
  verify(broker, turn, id);
}

void resume_offset_commit(Broker& broker, Turn& turn, OperationId id) {
  verify(broker, turn, id);
}

void on_offset_commit_verified(Broker& broker, Turn& turn, OperationId id,
                               const SharedBytes* answer) {
  const auto found = broker.offset_commits().find(id);
  if (found == broker.offset_commits().end()) return;
  const OffsetCommitOperation& operation = found->second;
  const TopicPartition partition = offsets_partition_of(broker, operation.body.group_id);
  ErrorCode error = VerificationAnswer(broker.era(), answer).of(partition);
  if (error == ErrorCode::none && operation.request.api_version >= adds_partition_version_min)
    error = check_marker_has_come(broker, partition, operation.body.producer_id,
                                  operation.body.producer_epoch);
  conclude(broker, turn, id, error);
}

}  // namespace fencepost::minibroker::handlers
