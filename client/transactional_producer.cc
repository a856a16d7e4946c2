// The steps of a transaction. Each repeats its request while that helps; what is left over becomes
// an outcome.
#include "client/transactional_producer.h"

namespace fencepost::client {

namespace {

using protocol::ErrorCode;

enum class Phase {
  new_born,    // without a producer id, or not knowing how its last transaction ended
  ready,       // between transactions
  open,        // in a transaction
  must_abort,  // in one that cannot be committed any more
  over,        // fenced, or refused for good
};

ProducerOutcome misuse(const char* text) {
  ProducerOutcome outcome;
  outcome.verdict = Verdict::bug;
  outcome.text = text;
  return outcome;
}

}  // namespace

struct TransactionalProducer::State {
  State(asio::any_io_executor executor, ClusterClient& used, TransactionalProducerOptions chosen)
      : cluster(used),
        options(std::move(chosen)),
        session(std::make_shared<TransactionalSession>(used, options.transactional_id)),
        pipeline(std::make_shared<ProducePipeline>(std::move(executor), used, session,
                                                   options.pipeline)) {
    session->limit_transaction_version(options.transaction_version_max);
  }

  ClusterClient& cluster;
  TransactionalProducerOptions options;
  std::shared_ptr<TransactionalSession> session;
  std::shared_ptr<ProducePipeline> pipeline;
  Phase phase = Phase::new_born;
  bool markers_are_pending = false;
  bool has_offsets = false;      // AddOffsetsToTxn of this transaction was sent
  std::string offsets_group;     // whose __consumer_offsets partition was added
  bool needs_new_epoch = false;  // a copy of an EndTxn may still be on its way
  bool is_uncertain = false;     // an EndTxn of this decision was sent and not answered
  std::uint64_t draws = 0;

  RetryPolicy policy() const {
    RetryPolicy policy;
    policy.time_max = options.pipeline.delivery_timeout;
    policy.repeat_unknown_outcome = true;
    return policy;
  }
  std::uint64_t seed() { return options.pipeline.seed * 31 + ++draws; }
  void note(const ProducerOutcome& outcome) {
    switch (outcome.verdict) {
      case Verdict::done:
        return;
      case Verdict::abort:
        if (phase == Phase::open) phase = Phase::must_abort;
        return;
      case Verdict::fenced:
      case Verdict::bug:
        phase = Phase::over;
        return;
      case Verdict::unknown_outcome:
        phase = Phase::new_born;
        return;
    }
  }
};

namespace {

// A final answer, or error, of one step.
template <class Response>
ProducerOutcome outcome_of_step(std::string_view step, const Result<Response>& result,
                                bool is_decision) {
  return result.ok() ? outcome_of(step, first_error(*result))
                     : outcome_of(step, result.error(), is_decision);
}

// The attempts are named coroutines that hold the state: whoever let go of the producer may still
// have them run.
template <class State>
Task<protocol::InitProducerIdResponse> init_once(std::shared_ptr<State> state,
                                                 ProducerOverrides overrides, bool fresh) {
  overrides.call.fresh_lookup = fresh;
  co_return co_await state->session->init_producer_id(state->options.transaction_timeout,
                                                      overrides);
}

template <class State>
Task<protocol::AddOffsetsToTxnResponse> add_offsets_once(std::shared_ptr<State> state,
                                                         std::string group_id, bool fresh) {
  ProducerOverrides overrides;
  overrides.call.fresh_lookup = fresh;
  co_return co_await state->session->add_offsets_to_txn(std::move(group_id), overrides);
}

template <class State>
Task<protocol::TxnOffsetCommitResponse> commit_offsets_once(std::shared_ptr<State> state,
                                                            GroupMetadata group,
                                                            std::vector<CommittedOffset> offsets,
                                                            bool fresh) {
  ProducerOverrides overrides;
  overrides.call.fresh_lookup = fresh;
  co_return co_await state->session->txn_offset_commit(std::move(group), std::move(offsets),
                                                       overrides);
}

template <class State>
Task<protocol::EndTxnResponse> end_once(std::shared_ptr<State> state, bool committed, bool fresh) {
  ProducerOverrides overrides;
  overrides.call.fresh_lookup = fresh;
  Result<protocol::EndTxnResponse> response =
      co_await state->session->end_txn(committed, overrides);
  // Before transaction version 2 it names nothing that changes between transactions: a late copy
  // would decide the next one.
  if (!response && (response.error().kind == ErrorKind::unknown_outcome ||
                    response.error().kind == ErrorKind::malformed)) {
    state->needs_new_epoch = true;
    state->is_uncertain = true;
  }
  co_return response;
}

template <class State>
asio::awaitable<ProducerOutcome> take_identity(std::shared_ptr<State> state,
                                               ProducerOverrides overrides) {
  Attempt<protocol::InitProducerIdResponse> attempt = [state, overrides](bool fresh) {
    return init_once(state, overrides, fresh);
  };
  Result<protocol::InitProducerIdResponse> response =
      co_await run_with_retries(state->cluster.clock(), state->policy(), state->seed(), attempt);
  ProducerOutcome outcome = outcome_of_step("InitProducerId", response, true);
  // There is nothing to abort yet: it may be asked for again.
  if (outcome.verdict == Verdict::abort) outcome.verdict = Verdict::unknown_outcome;
  if (outcome.ok()) {
    state->needs_new_epoch = false;
    state->pipeline->begin_epoch();
  }
  co_return outcome;
}

// The same producer with the next epoch (KIP-360). Brokers that do not know that give one as to a
// new producer.
template <class State>
asio::awaitable<ProducerOutcome> bump_epoch(std::shared_ptr<State> state) {
  ProducerOverrides overrides;
  overrides.producer_id = state->session->identity().id;
  overrides.producer_epoch = state->session->identity().epoch;
  std::string key = state->options.transactional_id.value_or("");
  Result<std::shared_ptr<Connection>> coordinator =
      co_await state->cluster.coordinator_of(CoordinatorType::transaction, std::move(key));
  const int version =
      coordinator.ok() ? coordinator.value()->versions_of(protocol::ApiKey::init_producer_id).last
                       : 0;
  if (coordinator.ok() && version < 3) overrides = ProducerOverrides();
  co_return co_await take_identity(state, overrides);
}

template <class State>
asio::awaitable<ProducerOutcome> end(std::shared_ptr<State> state, bool committed) {
  state->is_uncertain = false;
  Attempt<protocol::EndTxnResponse> attempt = [state, committed](bool fresh) {
    return end_once(state, committed, fresh);
  };
  Result<protocol::EndTxnResponse> response =
      co_await run_with_retries(state->cluster.clock(), state->policy(), state->seed(), attempt);
  state->markers_are_pending = true;
  // At transaction version 2 the answer has bumped the epoch.
  if (response.ok() && response->error_code == ErrorCode::none &&
      !state->session->needs_add_partitions()) {
    state->needs_new_epoch = false;
    state->pipeline->begin_epoch();
  }
  ProducerOutcome outcome = outcome_of_step("EndTxn", response, true);
  // Whatever the last attempt was told, refused as fenced included: an earlier one may have been
  // the decision. So may one that a coordinator answered with "not now".
  const bool is_not_now = response.ok() && protocol::is_retriable(response->error_code);
  if (committed && !outcome.ok() && (state->is_uncertain || is_not_now))
    outcome.verdict = Verdict::unknown_outcome;
  co_return outcome;
}

}  // namespace

TransactionalProducer::TransactionalProducer(asio::any_io_executor executor, ClusterClient& cluster,
                                             TransactionalProducerOptions options)
    : state_(std::make_shared<State>(std::move(executor), cluster, std::move(options))) {}

TransactionalProducer::~TransactionalProducer() = default;

bool TransactionalProducer::is_in_transaction() const {
  return state_->phase == Phase::open || state_->phase == Phase::must_abort;
}

const TransactionalSession& TransactionalProducer::session() const {
  return *state_->session;
}

asio::awaitable<ProducerOutcome> TransactionalProducer::init() {
  const auto state = state_;
  co_await state->pipeline->drain();
  ProducerOutcome outcome = co_await take_identity(state, ProducerOverrides());
  state->phase = Phase::ready;
  state->note(outcome);
  state->markers_are_pending = false;
  state->pipeline->begin_transaction(false);
  co_return outcome;
}

asio::awaitable<ProducerOutcome> TransactionalProducer::begin() {
  const auto state = state_;
  if (state->phase != Phase::ready) co_return misuse("begin() outside of its place");
  if (state->needs_new_epoch || state->pipeline->needs_new_epoch()) {
    ProducerOutcome bumped = co_await bump_epoch(state);
    state->note(bumped);
    if (!bumped.ok()) co_return bumped;
  }
  state->pipeline->begin_transaction(std::exchange(state->markers_are_pending, false));
  state->has_offsets = false;
  state->phase = Phase::open;
  co_return ProducerOutcome();
}

asio::awaitable<ProducerOutcome> TransactionalProducer::commit_offsets(
    GroupMetadata group, std::vector<CommittedOffset> offsets) {
  const auto state = state_;
  if (state->phase != Phase::open) co_return misuse("commit_offsets() outside of a transaction");
  const std::string group_id = group.group_id;
  const bool is_added = state->has_offsets && state->offsets_group == group_id;
  state->has_offsets = true;
  if (!is_added && state->session->needs_add_partitions()) {
    Attempt<protocol::AddOffsetsToTxnResponse> add = [state, group_id](bool fresh) {
      return add_offsets_once(state, group_id, fresh);
    };
    Result<protocol::AddOffsetsToTxnResponse> added =
        co_await run_with_retries(state->cluster.clock(), state->policy(), state->seed(), add);
    ProducerOutcome outcome = outcome_of_step("AddOffsetsToTxn", added, false);
    state->note(outcome);
    if (!outcome.ok()) co_return outcome;
    state->offsets_group = group_id;
  }
  Attempt<protocol::TxnOffsetCommitResponse> stage = [state, group, offsets](bool fresh) {
    return commit_offsets_once(state, group, offsets, fresh);
  };
  Result<protocol::TxnOffsetCommitResponse> staged =
      co_await run_with_retries(state->cluster.clock(), state->policy(), state->seed(), stage);
  ProducerOutcome outcome = outcome_of_step("TxnOffsetCommit", staged, false);
  state->note(outcome);
  if (outcome.ok()) state->pipeline->open_gate();
  co_return outcome;
}

void TransactionalProducer::append(const TopicPartition& partition, protocol::NewRecord record) {
  state_->pipeline->append(partition, std::move(record));
}

asio::awaitable<void> TransactionalProducer::wait_for_room() {
  const auto state = state_;
  co_await state->pipeline->wait_for_room(state->options.buffered_bytes_max);
}

asio::awaitable<ProducerOutcome> TransactionalProducer::flush() {
  const auto state = state_;
  ProducerOutcome outcome = co_await state->pipeline->flush();
  state->note(outcome);
  co_return outcome;
}

asio::awaitable<ProducerOutcome> TransactionalProducer::commit() {
  const auto state = state_;
  if (state->phase != Phase::open) co_return misuse("commit() outside of a transaction");
  ProducerOutcome outcome = co_await state->pipeline->flush();
  state->note(outcome);
  if (!outcome.ok()) co_return outcome;
  const bool is_empty = !state->has_offsets && !state->pipeline->has_sent();
  if (!is_empty) {
    outcome = co_await end(state, true);
    state->note(outcome);
    if (!outcome.ok()) co_return outcome;
  }
  state->phase = Phase::ready;
  co_return outcome;
}

asio::awaitable<ProducerOutcome> TransactionalProducer::abort() {
  const auto state = state_;
  if (state->phase != Phase::open && state->phase != Phase::must_abort)
    co_return misuse("abort() outside of a transaction");
  co_await state->pipeline->drain();
  ProducerOutcome outcome;
  const bool is_empty = !state->has_offsets && !state->pipeline->has_sent();
  if (!is_empty) {
    outcome = co_await end(state, false);
    // The coordinator never heard of the transaction: there is nothing to end.
    if (outcome.error_code == ErrorCode::invalid_txn_state) {
      outcome = ProducerOutcome();
      state->needs_new_epoch = true;
    }
  }
  if (outcome.verdict == Verdict::abort) outcome.verdict = Verdict::unknown_outcome;
  state->phase = Phase::ready;
  state->note(outcome);
  co_return outcome;
}

}  // namespace fencepost::client
