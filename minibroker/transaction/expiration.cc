// Time: the sweep that aborts transactions past their timeout, the sweep that forgets ids nobody
// has used for a week, and when either or a retry is due. A sweep runs on its own beat: a
// transaction lives up to its timeout plus one interval.
#include <algorithm>
#include <ranges>

#include "minibroker/transaction/coordinator.h"
#include "minibroker/transaction/transaction_log.h"

namespace fencepost::minibroker::transaction {

namespace {

constexpr Duration tombstone_timeout = std::chrono::seconds(30);  // request.timeout.ms

bool may_expire(const TransactionMetadata& metadata) {
  switch (metadata.values().status) {
    case TransactionStatus::empty:
    case TransactionStatus::complete_commit:
    case TransactionStatus::complete_abort:
      return true;
    case TransactionStatus::ongoing:
    case TransactionStatus::prepare_commit:
    case TransactionStatus::prepare_abort:
    case TransactionStatus::dead:
    case TransactionStatus::prepare_epoch_fence:
      return false;
  }
  return false;
}

}  // namespace

Instant TransactionCoordinator::timed_out_at(const TransactionValues& values) {
  CHECK(values.started.has_value());
  return *values.started + values.timeout + milliseconds(1);
}

std::optional<Instant> TransactionCoordinator::next_deadline() const {
  std::optional<Instant> next;
  auto consider = [&next](Instant at) { next = next ? std::min(*next, at) : at; };
  if (!ongoing_.empty()) {
    const Instant first = std::ranges::min(std::views::values(ongoing_));
    consider(sweep_after(first, next_abort_sweep_, settings_.abort_sweep_interval));
  }
  if (earliest_expiry_)
    consider(sweep_after(*earliest_expiry_, next_expiration_sweep_,
                         settings_.expiration_sweep_interval));
  for (const auto& [transactional_id, round] : rounds_) {
    for (const auto& [partition, at] : round.retries) consider(at);
    if (round.completion_retry) consider(*round.completion_retry);
  }
  return next;
}

void TransactionCoordinator::advance_to(Instant now) {
  retry_markers(now);
  if (next_abort_sweep_ <= now) {
    abort_timed_out(now);
    next_abort_sweep_ =
        sweep_after(now + Duration(1), next_abort_sweep_, settings_.abort_sweep_interval);
  }
  if (next_expiration_sweep_ <= now) {
    if (earliest_expiry_ && *earliest_expiry_ <= now) expire_ids(now);
    next_expiration_sweep_ =
        sweep_after(now + Duration(1), next_expiration_sweep_, settings_.expiration_sweep_interval);
  }
}

void TransactionCoordinator::abort_timed_out(Instant now) {
  if (era_.has(Defect::timeout_ignored)) return;
  const std::map<std::string, Instant> ongoing = ongoing_;
  for (const std::string& transactional_id : std::views::keys(ongoing)) {
    Found found = find(transactional_id);
    CHECK(found.metadata != nullptr);
    // What is being decided anyway is left to that decision, or to the next sweep.
    if (found.metadata->pending() || timed_out_at(found.metadata->values()) > now) continue;
    if (era_.has(Defect::fence_on_timeout_off))
      write_decision(transactional_id, found, TransactionStatus::prepare_abort,
                     transaction_version_0, Waiter{}, now);
    else
      fence_and_abort(transactional_id, found, Waiter{}, now);
  }
}

void TransactionCoordinator::expire_ids(Instant now) {
  earliest_expiry_.reset();
  for (auto& [partition, owned] : partitions_) {
    LogWrite write;
    PendingWrite pending;
    for (auto& [transactional_id, metadata] : owned.transactions) {
      note_status(transactional_id, metadata);
      if (!may_expire(metadata) || metadata.pending()) continue;
      if (metadata.values().last_update + settings_.expiration > now) continue;
      metadata.prepare_dead();
      write.records.push_back(make_tombstone(transactional_id, now));
      pending.forgotten.push_back(transactional_id);
    }
    if (pending.forgotten.empty()) continue;
    write.id = next_number_++;
    write.partition = {transaction_state_topic, partition};
    write.timeout = tombstone_timeout;
    write.step = "tombstones";
    write.subject = to_string(write.partition);
    pending.partition = partition;
    pending.coordinator_epoch = owned.coordinator_epoch;
    writes_.emplace(write.id, std::move(pending));
    log_writes_.push_back(std::move(write));
  }
}

Instant TransactionCoordinator::sweep_after(Instant earliest, Instant next_sweep,
                                            Duration interval) {
  if (earliest <= next_sweep) return next_sweep;
  auto beats = (earliest - next_sweep + interval - Duration(1)) / interval;
  return next_sweep + beats * interval;
}

}  // namespace fencepost::minibroker::transaction
