// Produce: request checks, verification of the transaction with its coordinator (or, from version
// 12 on, joining it), append, and the wait for replication.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/verification.h"
#include "minibroker/log/batch_validation.h"
#include "protocol/messages/add_partitions_to_txn.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

// producer.id.expiration.check.interval.ms, which Kafka does not document.
constexpr Duration producer_expiration_check_interval = std::chrono::minutes(10);

constexpr const char* admin_client_id = "__admin_client";

using PartitionAnswer = ProduceResponse::PartitionProduceResponse;
using Task = ProduceOperation::Task;

bool adds_partitions(const RequestContext& context) {
  return context.api_version >= 12;
}

PartitionAnswer& answer_at(ProduceOperation& operation, const AnswerSlot& slot) {
  return operation.response.responses[slot.first].partition_responses[slot.second];
}

void refuse(PartitionAnswer& answer, ErrorCode error, std::string message = {}) {
  answer.error_code = error;
  answer.base_offset = -1;
  answer.log_append_time_ms = -1;
  answer.log_start_offset = -1;
  if (!message.empty()) answer.error_message = std::move(message);
}

void finish(Broker& broker, ProduceOperation& operation) {
  if (operation.acks != 0) return broker.reply(operation.request, operation.response);
  // Without an answer, only a closed connection can say that something went wrong.
  for (const auto& topic : operation.response.responses)
    for (const auto& partition : topic.partition_responses)
      if (partition.error_code != ErrorCode::none) return broker.close(operation.request);
  broker.finish_silently(operation.request);
}

void finish_if_answered(Broker& broker, OperationId id) {
  const auto found = broker.produces().find(id);
  if (found == broker.produces().end() || found->second.unanswered > 0) return;
  ProduceOperation operation = std::move(found->second);
  broker.produces().erase(found);
  finish(broker, operation);
}

void refuse_task(ProduceOperation& operation, const Task& task, ErrorCode error,
                 std::string message = {}) {
  refuse(answer_at(operation, task.slot), error, std::move(message));
  --operation.unanswered;
}

// ---- the request layer: section by section as Kafka looks

const TopicImage* find_topic(const Turn& turn, const ProduceRequest::TopicProduceData& topic,
                             std::int16_t version) {
  return version >= 13 ? turn.controller.find_topic(topic.topic_id)
                       : turn.controller.find_topic(topic.name);
}

ErrorCode check_partition(const TopicImage* topic, std::int32_t partition,
                          const SharedBytes& records, std::int16_t version) {
  if (topic == nullptr)
    return version >= 13 ? ErrorCode::unknown_topic_id : ErrorCode::unknown_topic_or_partition;
  if (partition < 0 || static_cast<std::size_t>(partition) >= topic->partitions.size())
    return ErrorCode::unknown_topic_or_partition;
  return check_produce_records(records, version);
}

ProduceOperation open_operation(const Turn& turn, const RequestContext& context,
                                const ProduceRequest& request) {
  ProduceOperation operation;
  operation.request = context;
  operation.acks = request.acks;
  operation.timeout = milliseconds(request.timeout_ms);
  operation.transactional_id = request.transactional_id.value_or("");
  for (const auto& topic : request.topic_data) {
    auto& topic_answer = operation.response.responses.emplace_back();
    topic_answer.name = topic.name;
    topic_answer.topic_id = topic.topic_id;
    const TopicImage* image = find_topic(turn, topic, context.api_version);
    const bool is_named = image != nullptr || context.api_version < 13;
    const bool is_allowed = !is_named || allows_topic(turn, context, Operation::write,
                                                      image != nullptr ? image->name : topic.name);
    for (const auto& partition : topic.partition_data) {
      const AnswerSlot slot{operation.response.responses.size() - 1,
                            topic_answer.partition_responses.size(), 0};
      PartitionAnswer& answer = topic_answer.partition_responses.emplace_back();
      answer.index = partition.index;
      SharedBytes records = partition.records ? partition.records->bytes : SharedBytes{};
      const ErrorCode error =
          is_allowed ? check_partition(image, partition.index, records, context.api_version)
                     : ErrorCode::topic_authorization_failed;
      if (error != ErrorCode::none) {
        refuse(answer, error);
        continue;
      }
      operation.tasks.push_back({slot, {image->name, partition.index}, std::move(records)});
    }
  }
  operation.unanswered = operation.tasks.size();
  return operation;
}

// Kafka 3.9 and 4.4 fail where they look at records that are null, and again when they put the
// error into an answer, so that none leaves.
bool has_null_records(const ProduceRequest& request, const ProduceOperation& operation) {
  for (std::size_t i = 0; i < request.topic_data.size(); ++i) {
    const auto& answers = operation.response.responses[i].partition_responses;
    for (std::size_t j = 0; j < answers.size(); ++j)
      if (!request.topic_data[i].partition_data[j].records &&
          answers[j].error_code == ErrorCode::invalid_record)
        return true;
  }
  return false;
}

void refuse_everything(ProduceOperation& operation, ErrorCode error) {
  for (auto& topic : operation.response.responses)
    for (auto& partition : topic.partition_responses) refuse(partition, error);
  operation.tasks.clear();
  operation.unanswered = 0;
}

bool is_transactional(const SharedBytes& records) {
  const Result<RecordBatchView> batch = RecordBatchView::open(records);
  return batch.ok() && batch->header().is_transactional();
}

bool has_transactional_batch(const ProduceRequest& request) {
  for (const auto& topic : request.topic_data)
    for (const auto& partition : topic.partition_data)
      if (partition.records && is_transactional(partition.records->bytes)) return true;
  return false;
}

// The transactional batches of a request have to be of one producer.
ErrorCode take_producer(ProduceOperation& operation) {
  for (const Task& task : operation.tasks) {
    const Result<RecordBatchView> batch = RecordBatchView::open(task.records);
    if (!batch || !batch->header().is_transactional()) continue;
    const RecordBatchHeader& header = batch->header();
    const bool is_other = operation.producer_id != no_producer_id &&
                          (operation.producer_id != header.producer_id ||
                           operation.producer_epoch != header.producer_epoch);
    if (is_other) return ErrorCode::invalid_producer_id_mapping;
    operation.producer_id = header.producer_id;
    operation.producer_epoch = header.producer_epoch;
  }
  return ErrorCode::none;
}

// ---- append

// Kafka has a timer for it; what its last beat has forgotten is forgotten when it matters.
void forget_expired(Broker& broker, PartitionLog& log, Instant now) {
  const Instant start = broker.settings().start;
  const auto beats = (now - start) / producer_expiration_check_interval;
  log.expire_producers(start + beats * producer_expiration_check_interval,
                       broker.settings().producer_id_expiration);
}

void append(Broker& broker, Turn& turn, OperationId id, ProduceOperation& operation,
            const Task& task) {
  ErrorCode error = ErrorCode::none;
  const bool is_internal = task.partition.topic == consumer_offsets_topic ||
                           task.partition.topic == transaction_state_topic;
  if (is_internal && operation.request.client_id != admin_client_id)
    return refuse_task(operation, task, ErrorCode::invalid_topic_exception);
  Replica* replica = broker.replicas().leader(task.partition, error);
  if (replica == nullptr) return refuse_task(operation, task, error);
  if (operation.acks == -1) error = Replicas::check_in_sync(*replica);
  if (error != ErrorCode::none) return refuse_task(operation, task, error);
  forget_expired(broker, replica->log, turn.now);
  AppendOutcome outcome = replica->log.append_as_leader(
      task.records, AppendOrigin::client, replica->leader_epoch, task.guard, turn.now);
  PartitionAnswer& answer = answer_at(operation, task.slot);
  if (broker.era().has(Defect::produce_says_producer_fenced) &&
      outcome.error == ErrorCode::invalid_producer_epoch)
    outcome.error = ErrorCode::producer_fenced;
  if (!outcome.ok()) {
    refuse_task(operation, task, outcome.error, std::move(outcome.message));
    answer.log_start_offset = outcome.log_start_offset;
    for (RecordError& record : outcome.record_errors)
      answer.record_errors.push_back({record.batch_index, std::move(record.message), {}});
    return;
  }
  answer.base_offset = outcome.base_offset;
  answer.log_append_time_ms = outcome.log_append_time_ms;
  answer.log_start_offset = outcome.log_start_offset;
  broker.replicas().on_appended(task.partition, *replica);
  if (operation.acks != -1) {
    --operation.unanswered;
    return;
  }
  broker.replicas().wait(
      {task.partition, replica->leader_epoch, outcome.base_offset, outcome.last_offset + 1,
       turn.now + operation.timeout, ProduceWait{id, task.slot}},
      *replica);
}

void append_all(Broker& broker, Turn& turn, OperationId id) {
  ProduceOperation& operation = broker.produces().at(id);
  const bool is_valid_acks = operation.acks >= -1 && operation.acks <= 1;
  for (const Task& task : operation.tasks) {
    if (is_valid_acks)
      append(broker, turn, id, operation, task);
    else
      refuse_task(operation, task, ErrorCode::invalid_required_acks);
  }
  operation.tasks.clear();
  finish_if_answered(broker, id);
}

// ---- verification

// Asks for a guard where one is needed; answers why the partition cannot go on.
ErrorCode begin_verification(Broker& broker, Turn& turn, const ProduceOperation& operation,
                             Task& task) {
  if (!is_transactional(task.records)) return ErrorCode::none;
  const RecordBatchHeader header = RecordBatchView::open(task.records)->header();
  ErrorCode error = ErrorCode::none;
  Replica* replica = broker.replicas().leader(task.partition, error);
  if (replica == nullptr) return error;
  const bool adds = adds_partitions(operation.request);
  error = check_epoch_before_verification(broker.era(), replica->log, header.producer_id,
                                          header.producer_epoch, adds);
  if (error != ErrorCode::none) return error;
  task.guard = replica->log.begin_verification(header.producer_id, header.base_sequence,
                                               header.producer_epoch, adds, turn.now);
  task.needs_verification = task.guard != no_guard;
  return ErrorCode::none;
}

// CONCURRENT_TRANSACTIONS is tried again by the broker for a while, when the client's version lets
// it see the error at all. `errors` belong to the operation's tasks.
bool retries(Broker& broker, Turn& turn, OperationId id, const std::vector<ErrorCode>& errors) {
  const ProduceOperation& operation = broker.produces().at(id);
  if (std::ranges::find(errors, ErrorCode::concurrent_transactions) == errors.end() ||
      !adds_partitions(operation.request) || turn.now >= operation.retry_until)
    return false;
  broker.resume_at(turn.now + concurrent_transactions_retry_backoff, id);
  return true;
}

// Answers the tasks that have an error; the others go on.
void keep_good_tasks(ProduceOperation& operation, const std::vector<ErrorCode>& errors) {
  std::vector<Task> good;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] == ErrorCode::none)
      good.push_back(std::move(operation.tasks[i]));
    else
      refuse_task(operation, operation.tasks[i],
                  produce_error(errors[i], operation.request.api_version));
  }
  operation.tasks = std::move(good);
}

void verify(Broker& broker, Turn& turn, OperationId id) {
  ProduceOperation& operation = broker.produces().at(id);
  std::vector<ErrorCode> errors;
  for (Task& task : operation.tasks)
    errors.push_back(begin_verification(broker, turn, operation, task));
  if (retries(broker, turn, id, errors)) return;
  keep_good_tasks(operation, errors);
  std::vector<TopicPartition> questions;
  for (const Task& task : operation.tasks)
    if (task.needs_verification) questions.push_back(task.partition);
  if (questions.empty()) return append_all(broker, turn, id);
  std::ranges::sort(questions);
  const Broker::Verification question{operation.transactional_id, operation.producer_id,
                                      operation.producer_epoch, std::move(questions),
                                      !adds_partitions(operation.request)};
  const ErrorCode error = broker.send_verification(turn, question, ProduceVerificationSent{id});
  if (error != ErrorCode::none) on_produce_verified(broker, turn, id, nullptr);
}

}  // namespace

void produce(Broker& broker, Turn& turn, const RequestContext& context,
             const ProduceRequest& request) {
  ProduceOperation operation = open_operation(turn, context, request);
  if (has_null_records(request, operation)) return broker.leave_unanswered(context);
  operation.retry_until = turn.now + concurrent_transactions_retry_max;
  ErrorCode error = take_producer(operation);
  if (has_transactional_batch(request) &&
      (!request.transactional_id ||
       !allows_transactional_id(turn, context, Operation::write, *request.transactional_id)))
    error = ErrorCode::transactional_id_authorization_failed;
  if (error != ErrorCode::none) {
    refuse_everything(operation, error);
    return finish(broker, operation);
  }
  const OperationId id = broker.next_operation();
  const bool may_need_verification =
      request.transactional_id.has_value() && operation.producer_id != no_producer_id;
  broker.produces().emplace(id, std::move(operation));
  if (may_need_verification)
    verify(broker, turn, id);
  else
    append_all(broker, turn, id);
}

void resume_produce(Broker& broker, Turn& turn, OperationId id) {
  verify(broker, turn, id);
}

void on_produce_verified(Broker& broker, Turn& turn, OperationId id, const SharedBytes* answer) {
  const auto found = broker.produces().find(id);
  if (found == broker.produces().end()) return;
  ProduceOperation& operation = found->second;
  const VerificationAnswer verdict(broker.era(), answer);
  std::vector<ErrorCode> errors;
  for (const Task& task : operation.tasks) {
    ErrorCode error = task.needs_verification ? verdict.of(task.partition) : ErrorCode::none;
    if (error == ErrorCode::none && adds_partitions(operation.request))
      error = check_marker_has_come(broker, task.partition, operation.producer_id,
                                    operation.producer_epoch);
    errors.push_back(error);
  }
  if (retries(broker, turn, id, errors)) return;
  keep_good_tasks(operation, errors);
  append_all(broker, turn, id);
}

void on_produce_replicated(Broker& broker, const ProduceWait& wait, ErrorCode error) {
  const auto found = broker.produces().find(wait.operation);
  if (found == broker.produces().end()) return;
  if (error != ErrorCode::none) refuse(answer_at(found->second, wait.slot), error);
  --found->second.unanswered;
  finish_if_answered(broker, wait.operation);
}

}  // namespace fencepost::minibroker::handlers
