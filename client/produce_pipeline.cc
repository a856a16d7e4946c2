// pump() sends whatever may be sent now; it runs whenever something has changed, and everything
// that waits (a leader looked up, an answer, a pause) ends by calling it.
#include "client/produce_pipeline.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>

#include "protocol/messages/describe_transactions.h"

namespace fencepost::client {

namespace {

using protocol::ErrorCode;
using protocol::Reaction;

constexpr std::size_t record_overhead_bytes = 24;     // at most, without headers
constexpr std::size_t request_bytes_max = 8'000'000;  // of several partitions together

std::size_t size_of(const protocol::NewRecord& record) {
  std::size_t bytes = record_overhead_bytes;
  if (record.key.has_value()) bytes += record.key->size();
  if (record.value.has_value()) bytes += record.value->size();
  for (const protocol::RecordHeader& header : record.headers)
    bytes += record_overhead_bytes + header.key.size() +
             (header.value.has_value() ? header.value->size() : 0);
  return bytes;
}

// The answer for that partition; nothing when it is missing.
const protocol::ProduceResponse::PartitionProduceResponse* answer_for(
    const protocol::ProduceResponse& response, const TopicPartition& partition) {
  for (const auto& topic : response.responses) {
    if (topic.name != partition.topic) continue;
    for (const auto& it : topic.partition_responses)
      if (it.index == partition.partition) return &it;
  }
  return nullptr;
}

// The error that says why; that the other partitions were not attempted does not.
ErrorCode cause_of(const protocol::AddPartitionsToTxnResponse& response) {
  for (const auto& topic : response.results_by_topic_v3_and_below)
    for (const auto& it : topic.results_by_partition)
      if (it.partition_error_code != ErrorCode::none &&
          it.partition_error_code != ErrorCode::operation_not_attempted)
        return it.partition_error_code;
  return first_error(response);
}

}  // namespace

struct ProducePipeline::Batch {
  std::vector<protocol::NewRecord> records;
  std::size_t bytes = 0;
  bool is_numbered = false;  // it has its sequence, and is encoded for good
  bool is_in_flight = false;
  SharedBytes encoded;
  std::optional<Backoff> backoff;
};

struct ProducePipeline::Queue {
  TopicPartition partition;
  std::deque<std::shared_ptr<Batch>> batches;  // in the order of their sequences
  std::shared_ptr<Connection> leader;
  bool is_looking = false;          // for the leader
  bool needs_fresh_lookup = false;  // and not from memory
  bool is_added = false;            // by AddPartitionsToTxn
  bool has_begun = false;           // the leader has a batch of this transaction
  bool is_repeating = false;        // one at a time until the repeated one is in
  int in_flight = 0;
  Instant not_before{};
};

struct ProducePipeline::Lane {
  int in_flight = 0;
  // A request whose partitions are new to the transaction. A leader asks the coordinator for one of
  // them at a time and refuses the other (KIP-890).
  bool is_beginning = false;
};

struct ProducePipeline::Request {
  std::shared_ptr<Connection> leader;
  std::vector<std::pair<Queue*, std::shared_ptr<Batch>>> parts;
  std::size_t bytes = 0;
  bool begins = false;
};

ProducePipeline::ProducePipeline(asio::any_io_executor executor, ClusterClient& cluster,
                                 std::shared_ptr<TransactionalSession> session,
                                 PipelineOptions options)
    : executor_(executor),
      cluster_(cluster),
      session_(std::move(session)),
      options_(options),
      changed_(std::move(executor)) {}

ProducePipeline::~ProducePipeline() = default;

void ProducePipeline::begin_transaction(bool markers_are_pending) {
  for (auto& [partition, queue] : queues_) {
    queue->is_added = false;
    queue->has_begun = false;
    queue->is_repeating = false;
  }
  failure_.reset();
  has_sent_ = false;
  is_gated_ = markers_are_pending;
}

void ProducePipeline::open_gate() {
  has_sent_ = true;
  if (std::exchange(is_gated_, false)) post_pump();
}

void ProducePipeline::append(const TopicPartition& partition, protocol::NewRecord record) {
  if (record.timestamp == protocol::no_timestamp)
    record.timestamp = to_timestamp(cluster_.clock().now());
  std::unique_ptr<Queue>& place = queues_[partition];
  if (place == nullptr) {
    place = std::make_unique<Queue>();
    place->partition = partition;
  }
  const std::size_t bytes = size_of(record);
  auto& batches = place->batches;
  if (batches.empty() || batches.back()->is_numbered ||
      batches.back()->bytes + bytes > options_.batch_bytes_max) {
    batches.push_back(std::make_shared<Batch>());
    ++batches_;
  }
  batches.back()->records.push_back(std::move(record));
  batches.back()->bytes += bytes;
  buffered_bytes_ += bytes;
  post_pump();
}

asio::awaitable<void> ProducePipeline::wait_for_room(std::size_t buffered_bytes_max) {
  const auto self = shared_from_this();
  while (!failure_.has_value() && buffered_bytes_ > buffered_bytes_max) {
    changed_.reset();
    co_await changed_.wait();
  }
}

asio::awaitable<ProducerOutcome> ProducePipeline::flush() {
  const auto self = shared_from_this();
  while (!failure_.has_value() && batches_ > 0) {
    changed_.reset();
    co_await changed_.wait();
  }
  co_return failure_.value_or(ProducerOutcome());
}

asio::awaitable<void> ProducePipeline::drain() {
  const auto self = shared_from_this();
  drop_what_waits();
  while (at_work_ > 0 || is_adding_) {
    changed_.reset();
    co_await changed_.wait();
    drop_what_waits();
  }
}

void ProducePipeline::drop_what_waits() {
  for (auto& [partition, queue] : queues_) {
    const auto waiting = queue->batches;
    for (const std::shared_ptr<Batch>& batch : waiting) {
      if (batch->is_in_flight) continue;
      if (batch->is_numbered) needs_new_epoch_ = true;
      remove(*queue, batch);
    }
  }
}

void ProducePipeline::fail(ProducerOutcome outcome) {
  if (!failure_.has_value()) failure_ = std::move(outcome);
  drop_what_waits();
  changed_.set();
}

void ProducePipeline::remove(Queue& queue, const std::shared_ptr<Batch>& batch) {
  if (std::erase(queue.batches, batch) == 0) return;
  buffered_bytes_ -= batch->bytes;
  --batches_;
}

Backoff ProducePipeline::new_backoff() {
  RetryPolicy policy;
  policy.time_max = options_.delivery_timeout;
  policy.repeat_unknown_outcome = true;
  return Backoff(policy, cluster_.clock().now(), options_.seed + ++draws_);
}

void ProducePipeline::post_pump() {
  if (std::exchange(is_pump_posted_, true)) return;
  asio::post(executor_, [self = shared_from_this()] {
    self->is_pump_posted_ = false;
    self->pump();
  });
}

asio::awaitable<void> ProducePipeline::pump_at(std::shared_ptr<ProducePipeline> self,
                                               Instant time) {
  co_await self->cluster_.clock().sleep_until(time);
  self->pump();
}

void ProducePipeline::pump() {
  if (failure_.has_value() || batches_ == 0 || !passes_gate()) return;
  if (is_transactional() && session_->needs_add_partitions()) add_missing_partitions();
  while (true) {
    Plans plans;
    if (!plan_round(&plans)) return;
    for (auto& [leader, request] : plans) {
      Lane& lane = lanes_[leader];
      ++lane.in_flight;
      if (request.begins) lane.is_beginning = true;
      ++at_work_;
      has_sent_ = true;
      asio::co_spawn(executor_, send(shared_from_this(), std::move(request)), asio::detached);
    }
  }
}

// One more batch of each partition that may send one. False when there is none.
bool ProducePipeline::plan_round(Plans* plans) {
  bool is_any = false;
  for (auto& [partition, queue] : queues_) {
    const std::shared_ptr<Batch> batch = sendable(*queue);
    if (batch == nullptr) continue;
    if (queue->leader == nullptr || !queue->leader->is_open()) {
      if (!std::exchange(queue->is_looking, true))
        asio::co_spawn(executor_, find_leader(shared_from_this(), queue.get()), asio::detached);
      continue;
    }
    const std::string& leader = queue->leader->address();
    const Lane& lane = lanes_[leader];
    const bool begins = is_transactional() && !queue->has_begun;
    if (lane.in_flight >= options_.in_flight_max || (begins && lane.is_beginning)) continue;
    Request& request = (*plans)[leader];
    if (!request.parts.empty() && request.bytes + batch->bytes > request_bytes_max) continue;
    request.leader = queue->leader;
    request.begins = request.begins || begins;
    request.bytes += batch->bytes;
    request.parts.emplace_back(queue.get(), batch);
    batch->is_in_flight = true;
    ++queue->in_flight;
    is_any = true;
  }
  return is_any;
}

std::shared_ptr<ProducePipeline::Batch> ProducePipeline::sendable(const Queue& queue) const {
  if (queue.batches.empty() || cluster_.clock().now() < queue.not_before) return nullptr;
  if (is_transactional()) {
    if (session_->needs_add_partitions() && !queue.is_added) return nullptr;
    // What begins a transaction can be refused, and what followed would have a gap before it.
    if (!queue.has_begun && queue.in_flight > 0) return nullptr;
  }
  if (queue.is_repeating && queue.in_flight > 0) return nullptr;
  const auto found =
      std::ranges::find_if(queue.batches, [](const auto& batch) { return !batch->is_in_flight; });
  return found == queue.batches.end() ? nullptr : *found;
}

// A batch is numbered and encoded when it is first sent, and the same bytes are sent from then on:
// that is how a leader knows a repeated one.
EncodedBatch ProducePipeline::encode(const Queue& queue, Batch& batch) {
  if (!batch.is_numbered) {
    const auto count = static_cast<std::int32_t>(batch.records.size());
    protocol::RecordBatchOptions header;
    header.compression = options_.compression;
    header.producer_id = session_->identity().id;
    header.producer_epoch = session_->identity().epoch;
    header.base_sequence = session_->reserve_sequence(queue.partition, count);
    header.is_transactional = is_transactional();
    batch.encoded = protocol::build_batch(header, batch.records);
    batch.records = {};
    batch.is_numbered = true;
    batch.backoff = new_backoff();
  }
  return {queue.partition, batch.encoded};
}

asio::awaitable<void> ProducePipeline::find_leader(std::shared_ptr<ProducePipeline> self,
                                                   Queue* queue) {
  CallOptions options;
  options.fresh_lookup = std::exchange(queue->needs_fresh_lookup, false);
  TopicPartition partition = queue->partition;
  Result<std::shared_ptr<Connection>> leader =
      co_await self->cluster_.leader_of(std::move(partition), options);
  queue->is_looking = false;
  if (leader.ok()) {
    queue->leader = leader.value();
  } else if (!queue->batches.empty()) {
    Batch& first = *queue->batches.front();
    if (!first.backoff.has_value()) first.backoff = self->new_backoff();
    const Instant now = self->cluster_.clock().now();
    const std::optional<Instant> again = first.backoff->after(leader.error(), now);
    if (again.has_value())
      self->repeat(*queue, true, *again);
    else
      self->fail(outcome_of("Produce", leader.error(), false));
  }
  self->pump();
}

asio::awaitable<void> ProducePipeline::send(std::shared_ptr<ProducePipeline> self,
                                            Request request) {
  std::vector<EncodedBatch> batches;
  for (const auto& [queue, batch] : request.parts) batches.push_back(self->encode(*queue, *batch));
  Result<protocol::ProduceResponse> response =
      co_await self->session_->produce_batches(request.leader, std::move(batches));
  Lane& lane = self->lanes_[request.leader->address()];
  --lane.in_flight;
  if (request.begins) lane.is_beginning = false;
  --self->at_work_;
  for (const auto& [queue, batch] : request.parts) {
    batch->is_in_flight = false;
    --queue->in_flight;
    if (!response) {
      self->settle(*queue, batch, response.error());
      continue;
    }
    const auto* answer = answer_for(*response, queue->partition);
    if (answer != nullptr)
      self->settle(*queue, batch, answer->error_code);
    else
      self->settle(*queue, batch,
                   Error{ErrorKind::malformed,
                         "the answer to Produce does not hold " + to_string(queue->partition)});
  }
  self->changed_.set();
  self->pump();
}

void ProducePipeline::settle(Queue& queue, const std::shared_ptr<Batch>& batch, ErrorCode code) {
  if (code == ErrorCode::none || code == ErrorCode::duplicate_sequence_number) {
    queue.has_begun = true;
    remove(queue, batch);
    const auto is_repeated = [](const auto& it) { return it->is_numbered && !it->is_in_flight; };
    queue.is_repeating = std::ranges::any_of(queue.batches, is_repeated);
    return;
  }
  if (failure_.has_value()) return drop_what_waits();
  const Instant now = cluster_.clock().now();
  // It only follows one that has to be repeated.
  const bool is_consequence = code == ErrorCode::out_of_order_sequence_number &&
                              !queue.batches.empty() && queue.batches.front() != batch;
  if (is_consequence) {
    queue.is_repeating = true;
    return;
  }
  const std::optional<Instant> again = batch->backoff->after(code, now);
  if (again.has_value())
    repeat(queue, batch->backoff->needs_fresh_lookup(), *again);
  else
    fail(outcome_of("Produce", code));
}

void ProducePipeline::settle(Queue& queue, const std::shared_ptr<Batch>& batch,
                             const Error& error) {
  // A copy may still be on its way, and with the same epoch it would fit into a later transaction.
  if (error.kind == ErrorKind::unknown_outcome || error.kind == ErrorKind::malformed)
    needs_new_epoch_ = true;
  if (failure_.has_value()) return drop_what_waits();
  const std::optional<Instant> again = batch->backoff->after(error, cluster_.clock().now());
  if (again.has_value())
    repeat(queue, true, *again);
  else
    fail(outcome_of("Produce", error, !is_transactional()));
}

void ProducePipeline::repeat(Queue& queue, bool with_fresh_lookup, Instant again) {
  queue.is_repeating = true;
  queue.not_before = std::max(queue.not_before, again);
  if (with_fresh_lookup) {
    queue.leader = nullptr;
    queue.needs_fresh_lookup = true;
  }
  asio::co_spawn(executor_, pump_at(shared_from_this(), queue.not_before), asio::detached);
}

// From transaction version 2 on a leader that meets the last transaction's pending markers holds
// the Produce for a while before it refuses it; asking the coordinator first is quicker.
bool ProducePipeline::passes_gate() {
  if (!is_gated_ || !is_transactional() || session_->needs_add_partitions()) return true;
  if (!std::exchange(is_asking_, true))
    asio::co_spawn(executor_, await_markers(shared_from_this()), asio::detached);
  return false;
}

asio::awaitable<void> ProducePipeline::await_markers(std::shared_ptr<ProducePipeline> self) {
  Backoff backoff = self->new_backoff();
  while (self->is_gated_) {
    protocol::DescribeTransactionsRequest request;
    request.transactional_ids.push_back(*self->session_->transactional_id());
    std::string key = *self->session_->transactional_id();
    Result<protocol::DescribeTransactionsResponse> response =
        co_await self->cluster_.call_coordinator(CoordinatorType::transaction, std::move(key),
                                                 std::move(request));
    // Without an answer (or the right to ask) the leader will say when.
    const bool is_pending =
        response.ok() && !response->transaction_states.empty() &&
        response->transaction_states.front().transaction_state.starts_with("Prepare");
    if (!is_pending) break;
    const std::optional<Instant> again =
        backoff.after(ErrorCode::concurrent_transactions, self->cluster_.clock().now());
    if (!again.has_value()) break;
    co_await self->cluster_.clock().sleep_until(*again);
  }
  self->is_asking_ = false;
  self->is_gated_ = false;
  self->pump();
}

void ProducePipeline::add_missing_partitions() {
  if (is_adding_) return;
  std::vector<TopicPartition> missing;
  for (const auto& [partition, queue] : queues_)
    if (!queue->is_added && !queue->batches.empty()) missing.push_back(partition);
  if (missing.empty()) return;
  is_adding_ = true;
  has_sent_ = true;
  asio::co_spawn(executor_, add_partitions(shared_from_this(), std::move(missing)), asio::detached);
}

asio::awaitable<void> ProducePipeline::add_partitions(std::shared_ptr<ProducePipeline> self,
                                                      std::vector<TopicPartition> partitions) {
  Backoff backoff = self->new_backoff();
  std::optional<ProducerOutcome> refusal;
  while (!self->failure_.has_value()) {
    ProducerOverrides overrides;
    overrides.call.fresh_lookup = backoff.needs_fresh_lookup();
    std::vector<TopicPartition> wanted = partitions;
    Result<protocol::AddPartitionsToTxnResponse> response =
        co_await self->session_->add_partitions_to_txn(std::move(wanted), overrides);
    const ErrorCode code = response.ok() ? cause_of(*response) : ErrorCode::none;
    if (response.ok() && code == ErrorCode::none) {
      for (const TopicPartition& partition : partitions)
        self->queues_.at(partition)->is_added = true;
      break;
    }
    const Instant now = self->cluster_.clock().now();
    const std::optional<Instant> again =
        response.ok() ? backoff.after(code, now) : backoff.after(response.error(), now);
    if (!again.has_value()) {
      refusal = response.ok() ? outcome_of("AddPartitionsToTxn", code)
                              : outcome_of("AddPartitionsToTxn", response.error(), false);
      break;
    }
    co_await self->cluster_.clock().sleep_until(*again);
  }
  self->is_adding_ = false;
  if (refusal.has_value()) self->fail(std::move(*refusal));
  self->changed_.set();
  self->pump();
}

}  // namespace fencepost::client
