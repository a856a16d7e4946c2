// AddPartitionsToTxn and AddOffsetsToTxn: what a transaction contains. Clients add one transaction
// (versions 0-3); brokers ask for several at once (version 4 on), either to add the partitions of a
// Produce (KIP-890 part 2) or only to verify that they were added (part 1).
#include "minibroker/transaction/coordinator.h"

namespace fencepost::minibroker::transaction {

namespace {

using Request = protocol::AddPartitionsToTxnRequest;
using Response = protocol::AddPartitionsToTxnResponse;

constexpr std::int16_t first_batched_version = 4;

std::set<TopicPartition> partitions_of(
    const std::vector<Request::AddPartitionsToTxnTopic>& topics) {
  std::set<TopicPartition> partitions;
  for (const Request::AddPartitionsToTxnTopic& topic : topics)
    for (std::int32_t partition : topic.partitions) partitions.insert({topic.name, partition});
  return partitions;
}

// The answer to be: every partition of the transaction, without error so far.
Response::AddPartitionsToTxnResult unanswered(
    const Request::AddPartitionsToTxnTransaction& transaction) {
  Response::AddPartitionsToTxnResult result;
  result.transactional_id = transaction.transactional_id;
  for (const TopicPartition& it : partitions_of(transaction.topics)) {
    if (result.topic_results.empty() || result.topic_results.back().name != it.topic)
      result.topic_results.emplace_back().name = it.topic;
    result.topic_results.back().results_by_partition.emplace_back().partition_index = it.partition;
  }
  return result;
}

// The request of a client in the form that brokers use.
Request::AddPartitionsToTxnTransaction as_transaction(const Request& request) {
  Request::AddPartitionsToTxnTransaction transaction;
  transaction.transactional_id = request.v3_and_below_transactional_id;
  transaction.producer_id = request.v3_and_below_producer_id;
  transaction.producer_epoch = request.v3_and_below_producer_epoch;
  transaction.topics = request.v3_and_below_topics;
  return transaction;
}

}  // namespace

void TransactionCoordinator::add_partitions_to_txn(const RequestContext& context,
                                                   const Request& request, Instant now,
                                                   std::vector<AddPartitionsResult> refused) {
  bool is_batched = context.api_version >= first_batched_version;
  std::vector<Request::AddPartitionsToTxnTransaction> transactions = request.transactions;
  if (!is_batched) transactions = {as_transaction(request)};
  std::int16_t transaction_version =
      is_batched ? cluster_transaction_version() : transaction_version_0;

  std::uint64_t number = next_number_++;
  OpenAddition& addition = open_additions_[number];
  addition.context = context;
  addition.results = std::move(refused);
  std::size_t first = addition.results.size();
  for (const auto& transaction : transactions) addition.results.push_back(unanswered(transaction));
  // One more than there are, so that the answer cannot be sent while transactions are still begun.
  addition.unanswered = transactions.size() + 1;

  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const Request::AddPartitionsToTxnTransaction& transaction = transactions[i];
    if (transaction.verify_only) {
      verify_partitions(transaction, addition.results[first + i]);
      finish_transaction_of(number);
      continue;
    }
    add_to_transaction(transaction.transactional_id, transaction.producer_id,
                       transaction.producer_epoch, partitions_of(transaction.topics),
                       transaction_version, {Asker::add_partitions, context, number, first + i},
                       now);
  }
  finish_transaction_of(number);
}

void TransactionCoordinator::add_offsets_to_txn(const RequestContext& context,
                                                const protocol::AddOffsetsToTxnRequest& request,
                                                const TopicPartition& offsets_partition,
                                                Instant now) {
  add_to_transaction(request.transactional_id, request.producer_id, request.producer_epoch,
                     {offsets_partition}, transaction_version_0, {Asker::add_offsets, context},
                     now);
}

void TransactionCoordinator::add_to_transaction(const std::string& transactional_id,
                                                std::int64_t producer_id,
                                                std::int16_t producer_epoch,
                                                const std::set<TopicPartition>& partitions,
                                                std::int16_t transaction_version,
                                                const Waiter& waiter, Instant now) {
  if (transactional_id.empty()) return answer(waiter, ErrorCode::invalid_request);
  Found found = find(transactional_id);
  if (found.error != ErrorCode::none) return answer(waiter, found.error);
  if (found.metadata == nullptr) return answer(waiter, ErrorCode::invalid_producer_id_mapping);
  TransactionMetadata& metadata = *found.metadata;
  ErrorCode error = addition_error(metadata, producer_id, producer_epoch);
  if (error != ErrorCode::none) return answer(waiter, error);

  const TransactionValues& values = metadata.values();
  bool is_known = true;
  for (const TopicPartition& partition : partitions)
    is_known = is_known && values.partitions.count(partition) != 0;
  if (values.status == TransactionStatus::ongoing && is_known)
    return answer(waiter, ErrorCode::none);
  TransactionValues prepared =
      metadata.prepare_add_partitions(partitions, transaction_version, now);
  if (cannot_log_addition(waiter)) return lose_addition(waiter.addition);
  write_step(transactional_id, found, std::move(prepared), waiter, now);
}

// A cluster that knows transaction.version, and has it at 0, writes a log whose records have no
// place for the version that a broker's addition brings.
bool TransactionCoordinator::cannot_log_addition(const Waiter& waiter) const {
  return waiter.asker == Asker::add_partitions &&
         waiter.context.api_version >= first_batched_version && era_.has_transaction_version &&
         !era_.bumps_epoch_at_end();
}

// As in Kafka, the change stays pending for ever; no broker of such a cluster asks for it.
void TransactionCoordinator::lose_addition(std::uint64_t number) {
  open_additions_.at(number).error = ErrorCode::unsupported_version;
  finish_transaction_of(number);
}

TransactionCoordinator::ErrorCode TransactionCoordinator::addition_error(
    const TransactionMetadata& metadata, std::int64_t producer_id,
    std::int16_t producer_epoch) const {
  const TransactionValues& values = metadata.values();
  // KAFKA-18660: while an epoch overflow is being completed the client holds the producer id that
  // comes, which must not be taken for a wrong one.
  if (era_.looks_at_pending_before_identity && metadata.pending())
    return ErrorCode::concurrent_transactions;
  if (values.producer_id != producer_id) return ErrorCode::invalid_producer_id_mapping;
  // Higher is as wrong as lower: every epoch is handed out here.
  if (values.producer_epoch != producer_epoch && !era_.has(Defect::addition_epoch_unchecked))
    return ErrorCode::producer_fenced;
  if (metadata.pending()) return ErrorCode::concurrent_transactions;
  if (values.status == TransactionStatus::prepare_commit ||
      values.status == TransactionStatus::prepare_abort)
    return ErrorCode::concurrent_transactions;
  return ErrorCode::none;
}

void TransactionCoordinator::verify_partitions(
    const Request::AddPartitionsToTxnTransaction& transaction, AddPartitionsResult& result) {
  ErrorCode error = verification_error(transaction.transactional_id, transaction.producer_id,
                                       transaction.producer_epoch);
  Found found = find(transaction.transactional_id);
  for (auto& topic : result.topic_results) {
    for (auto& partition : topic.results_by_partition) {
      partition.partition_error_code = error;
      if (error == ErrorCode::none &&
          found.metadata->values().partitions.count({topic.name, partition.partition_index}) == 0)
        partition.partition_error_code = ErrorCode::transaction_abortable;
    }
  }
}

// A pending change is no error here: the leader compares once more when it appends.
TransactionCoordinator::ErrorCode TransactionCoordinator::verification_error(
    const std::string& transactional_id, std::int64_t producer_id, std::int16_t producer_epoch) {
  if (transactional_id.empty()) return ErrorCode::invalid_request;
  Found found = find(transactional_id);
  if (found.error != ErrorCode::none) return found.error;
  if (found.metadata == nullptr) return ErrorCode::invalid_producer_id_mapping;
  const TransactionValues& values = found.metadata->values();
  if (values.producer_id != producer_id) return ErrorCode::invalid_producer_id_mapping;
  if (values.producer_epoch != producer_epoch) return ErrorCode::producer_fenced;
  if (values.status == TransactionStatus::prepare_commit ||
      values.status == TransactionStatus::prepare_abort)
    return ErrorCode::concurrent_transactions;
  return ErrorCode::none;
}

void TransactionCoordinator::finish_transaction_of(std::uint64_t number) {
  auto found = open_additions_.find(number);
  CHECK(found != open_additions_.end());
  OpenAddition& addition = found->second;
  if (--addition.unanswered > 0) return;
  Response response;
  response.error_code = addition.error;
  if (addition.error != ErrorCode::none) addition.results.clear();
  if (addition.context.api_version >= first_batched_version)
    response.results_by_transaction = std::move(addition.results);
  else
    response.results_by_topic_v3_and_below = std::move(addition.results.back().topic_results);
  replies_.push_back(make_reply(addition.context, response));
  open_additions_.erase(found);
}

}  // namespace fencepost::minibroker::transaction
