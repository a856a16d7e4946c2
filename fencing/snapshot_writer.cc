// The queue, and who leads the next transaction. A transaction begins with the offset: a stale
// owner learns its fate before its records are out.
#include "fencing/snapshot_writer.h"

#include <algorithm>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "client/event.h"
#include "fencing/offset_ledger.h"

namespace fencepost::fencing {

using client::ProducerOutcome;
using client::Verdict;

namespace {

// A rebalance that changes nothing for us still moves the generation under a commit.
constexpr int generations_tried_max = 3;

// One who waits, for one write or for many.
struct Turn {
  explicit Turn(asio::any_io_executor executor) : woken(std::move(executor)) {}
  std::size_t left = 0;  // writes without an outcome
  bool leads = false;    // takes the next transaction
  client::Event woken;
};

struct Waiter {
  explicit Waiter(std::shared_ptr<Turn> whose) : turn(std::move(whose)) { ++turn->left; }
  std::shared_ptr<Turn> turn;
  std::optional<Snapshot> snapshot;  // nothing: only the offset
  std::int64_t write = 0;            // its number
  std::optional<WriteOutcome> outcome;
};

using Waiters = std::vector<std::shared_ptr<Waiter>>;

WriteStatus status_of(const ProducerOutcome& outcome) {
  switch (outcome.verdict) {
    case Verdict::done:
      return WriteStatus::committed;
    case Verdict::abort:
      return verdict_of(outcome.error_code).outcome == FenceOutcome::fenced ? WriteStatus::fenced
                                                                            : WriteStatus::aborted;
    case Verdict::fenced:
      return WriteStatus::fenced;
    case Verdict::bug:
      return WriteStatus::failed;
    case Verdict::unknown_outcome:
      return WriteStatus::unknown_outcome;
  }
  return WriteStatus::failed;
}

WriteOutcome write_outcome_of(const ProducerOutcome& outcome) {
  return {status_of(outcome), outcome.error_code, outcome.text};
}

}  // namespace

std::string_view to_string(WriteStatus status) {
  switch (status) {
    case WriteStatus::committed:
      return "committed";
    case WriteStatus::aborted:
      return "aborted";
    case WriteStatus::fenced:
      return "fenced";
    case WriteStatus::unknown_generation:
      return "unknown_generation";
    case WriteStatus::unknown_outcome:
      return "unknown_outcome";
    case WriteStatus::failed:
      return "failed";
    case WriteStatus::closed:
      return "closed";
  }
  return "";
}

struct SnapshotWriter::State {
  State(asio::any_io_executor running_on, client::Clock& used_clock,
        client::TransactionalProducer& used_producer, GenerationFence::LiveMetadata live_metadata,
        SnapshotWriterOptions chosen)
      : executor(running_on),
        clock(used_clock),
        producer(used_producer),
        live(std::move(live_metadata)),
        options(std::move(chosen)),
        ledger(options.assigned_offset),
        moved_at(clock.now()),
        idle(running_on) {
    idle.set();
  }

  asio::any_io_executor executor;
  client::Clock& clock;
  client::TransactionalProducer& producer;
  GenerationFence::LiveMetadata live;
  SnapshotWriterOptions options;
  std::deque<std::shared_ptr<Waiter>> queue;
  OffsetLedger ledger;
  SnapshotWriterCounts counts;
  Instant moved_at;  // the offset
  bool is_busy = false;
  bool is_closed = false;
  std::optional<WriteOutcome> end;  // the producer is over, and why
  client::Event idle;

  bool is_due() const { return clock.now() >= moved_at + options.commit_interval; }

  // What the next transaction holds. Offsets ride free of the cap.
  Waiters drain() {
    Waiters taken;
    std::size_t snapshots = 0;
    while (!queue.empty() && (options.cap == 0 || snapshots < options.cap)) {
      if (queue.front()->snapshot) ++snapshots;
      taken.push_back(std::move(queue.front()));
      queue.pop_front();
    }
    const auto is_offset = [](const auto& waiter) { return !waiter->snapshot.has_value(); };
    std::ranges::copy_if(queue, std::back_inserter(taken), is_offset);
    std::erase_if(queue, is_offset);
    return taken;
  }

  // The members' turn is over; the first of those who came meanwhile leads the next.
  void finish(const Waiters& members, const WriteOutcome& outcome) {
    for (const std::shared_ptr<Waiter>& member : members) {
      member->outcome = outcome;
      if (--member->turn->left == 0) member->turn->woken.set();
    }
    if (queue.empty()) {
      is_busy = false;
      idle.set();
      return;
    }
    queue.front()->turn->leads = true;
    queue.front()->turn->woken.set();
  }
};

namespace {

// One transaction with the offset and these snapshots.
template <class State>
asio::awaitable<ProducerOutcome> transact(std::shared_ptr<State> state, client::GroupMetadata group,
                                          std::int64_t offset, Waiters members) {
  client::TransactionalProducer& producer = state->producer;
  ++state->counts.transactions;
  ProducerOutcome outcome = co_await producer.begin();
  if (!outcome.ok()) co_return outcome;
  std::vector<client::CommittedOffset> offsets(1);
  offsets.front().partition = state->options.input;
  offsets.front().offset = offset;
  outcome = co_await producer.commit_offsets(std::move(group), std::move(offsets));
  if (outcome.ok()) {
    for (const std::shared_ptr<Waiter>& member : members) {
      if (!member->snapshot.has_value()) continue;
      protocol::NewRecord record;
      record.timestamp = protocol::no_timestamp;
      record.key = member->snapshot->key;
      record.value = member->snapshot->value;
      producer.append(state->options.snapshots, std::move(record));
    }
    outcome = co_await producer.commit();
  }
  if (outcome.verdict != Verdict::abort) co_return outcome;
  ProducerOutcome aborted = co_await producer.abort();
  // Nothing was committed either way; but the producer may be of no more use.
  if (!aborted.ok()) state->end = write_outcome_of(aborted);
  co_return outcome;
}

template <class State>
asio::awaitable<WriteOutcome> commit_members(std::shared_ptr<State> state, Waiters members) {
  bool wants_offset = state->is_due();
  for (const std::shared_ptr<Waiter>& member : members) {
    if (!member->snapshot.has_value())
      wants_offset = true;
    else
      state->ledger.include(member->write, std::string(member->snapshot->key.text()));
  }
  WriteOutcome result;
  for (int tried = 0; tried < generations_tried_max; ++tried) {
    if (state->end.has_value()) {
      result = *state->end;
      break;
    }
    client::GroupMetadata group = state->live();
    const std::int32_t generation = group.generation;
    if (generation < 0) {
      result = WriteOutcome{WriteStatus::unknown_generation};
      result.text = "the member of group " + group.group_id +
                    " has no generation: it has not joined, or was thrown out";
      break;
    }
    const std::int64_t offset =
        wants_offset ? state->ledger.committable() : state->ledger.committed();
    ProducerOutcome outcome = co_await transact(state, std::move(group), offset, members);
    result = write_outcome_of(outcome);
    if (outcome.ok()) {
      if (wants_offset) state->moved_at = state->clock.now();
      state->ledger.commit(offset);
      break;
    }
    const bool is_over = outcome.verdict != Verdict::abort;
    if (is_over) state->end = result;
    if (outcome.error_code != protocol::ErrorCode::illegal_generation ||
        state->live().generation == generation)
      break;
  }
  if (!result.ok()) state->ledger.abort();
  co_return result;
}

// Leads transactions as that falls to it, until each of its writes has ended.
template <class State>
asio::awaitable<void> take_part(std::shared_ptr<State> state, std::shared_ptr<Turn> turn) {
  if (turn->left > 0 && !state->is_busy) {
    state->is_busy = true;
    state->idle.reset();
    turn->leads = true;
    // Who asks in the same turn comes along.
    co_await asio::post(state->executor, asio::use_awaitable);
  }
  while (turn->left > 0) {
    if (!turn->leads) {
      turn->woken.reset();
      co_await turn->woken.wait();
      continue;
    }
    turn->leads = false;
    Waiters members = state->drain();
    WriteOutcome outcome = co_await commit_members(state, members);
    if (outcome.ok())
      for (const std::shared_ptr<Waiter>& member : members)
        if (member->snapshot.has_value()) ++state->counts.snapshots;
    state->finish(members, outcome);
  }
}

template <class State>
asio::awaitable<WriteOutcome> take_part_once(std::shared_ptr<State> state,
                                             std::shared_ptr<Waiter> waiter) {
  co_await take_part(state, waiter->turn);
  co_return *waiter->outcome;
}

// Queues a write; nothing takes part in it yet.
template <class State>
std::shared_ptr<Waiter> enqueue(State& state, std::shared_ptr<Turn> turn, Snapshot snapshot) {
  auto waiter = std::make_shared<Waiter>(std::move(turn));
  if (state.is_closed) {
    waiter->outcome = WriteOutcome{WriteStatus::closed};
    waiter->outcome->text = "the partition is being given away";
    --waiter->turn->left;
    return waiter;
  }
  waiter->snapshot = std::move(snapshot);
  waiter->write = state.ledger.begin_write();
  state.queue.push_back(waiter);
  return waiter;
}

}  // namespace

SnapshotWriter::SnapshotWriter(asio::any_io_executor executor, client::Clock& clock,
                               client::TransactionalProducer& producer,
                               GenerationFence::LiveMetadata live, SnapshotWriterOptions options)
    : state_(std::make_shared<State>(std::move(executor), clock, producer, std::move(live),
                                     std::move(options))) {}

asio::awaitable<WriteOutcome> SnapshotWriter::write(Snapshot snapshot) {
  auto turn = std::make_shared<Turn>(state_->executor);
  return take_part_once(state_, enqueue(*state_, std::move(turn), std::move(snapshot)));
}

asio::awaitable<std::vector<WriteOutcome>> SnapshotWriter::write_all(
    std::vector<Snapshot> snapshots) {
  const auto state = state_;
  const auto turn = std::make_shared<Turn>(state->executor);
  Waiters waiters;
  waiters.reserve(snapshots.size());
  for (Snapshot& snapshot : snapshots)
    waiters.push_back(enqueue(*state, turn, std::move(snapshot)));
  co_await take_part(state, turn);
  std::vector<WriteOutcome> outcomes;
  outcomes.reserve(waiters.size());
  for (const std::shared_ptr<Waiter>& waiter : waiters)
    outcomes.push_back(std::move(*waiter->outcome));
  co_return outcomes;
}

void SnapshotWriter::advance(std::int64_t offset) {
  state_->ledger.advance(offset);
}

asio::awaitable<WriteOutcome> SnapshotWriter::commit_when_due() {
  const auto state = state_;
  const bool has_progress = state->ledger.committable() > state->ledger.committed();
  if (!state->is_due() || !has_progress || state->is_closed) co_return WriteOutcome();
  auto waiter = std::make_shared<Waiter>(std::make_shared<Turn>(state->executor));
  state->queue.push_back(waiter);
  co_return co_await take_part_once(state, waiter);
}

asio::awaitable<WriteOutcome> SnapshotWriter::commit_offset() {
  auto waiter = std::make_shared<Waiter>(std::make_shared<Turn>(state_->executor));
  state_->queue.push_back(waiter);
  return take_part_once(state_, waiter);
}

void SnapshotWriter::close() {
  state_->is_closed = true;
}

asio::awaitable<void> SnapshotWriter::wait_until_idle() {
  const auto state = state_;
  while (state->is_busy) co_await state->idle.wait();
}

std::int64_t SnapshotWriter::committed_offset() const {
  return state_->ledger.committed();
}

const SnapshotWriterCounts& SnapshotWriter::counts() const {
  return state_->counts;
}

}  // namespace fencepost::fencing
