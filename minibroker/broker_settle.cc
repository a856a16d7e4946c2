// Carries out what the coordinators and replicas ask for, again and again until nobody wants
// anything more: one step of the broker is over only then.
#include <algorithm>

#include "minibroker/broker.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

void Broker::settle(Turn& turn) {
  while (settle_coordinators(turn) || settle_waits(turn)) {
  }
  wake_fetches(turn);
}

bool Broker::settle_coordinators(Turn& turn) {
  if (turn.controller.can_reach() && transactions_.needs_producer_ids())
    transactions_.add_producer_ids(*turn.controller.take_producer_id_block(),
                                   Controller::producer_id_block_size);
  std::vector<LogWrite> transaction_writes = transactions_.take_log_writes();
  std::vector<LogWrite> group_writes = groups_.take_log_writes();
  std::vector<transaction::MarkerRequest> markers = transactions_.take_markers();
  std::vector<Reply> replies = transactions_.take_replies();
  std::ranges::move(groups_.take_replies(), std::back_inserter(replies));
  const bool is_settled =
      transaction_writes.empty() && group_writes.empty() && markers.empty() && replies.empty();
  for (Reply& reply : replies) {
    handlers::finish_for_reader(turn, reply);
    send(std::move(reply));
  }
  for (LogWrite& write : transaction_writes) carry_out(turn, std::move(write), true);
  for (LogWrite& write : group_writes) carry_out(turn, std::move(write), false);
  if (!markers.empty()) send_markers(turn, std::move(markers));
  return !is_settled;
}

void Broker::carry_out(Turn& turn, LogWrite write, bool is_transaction_log) {
  const auto refuse = [&](ErrorCode error) {
    const LogWriteOutcome outcome{write.id, error, -1};
    if (is_transaction_log)
      transactions_.on_log_write(outcome, turn.now);
    else
      groups().on_log_write(outcome, turn.now);
  };
  ErrorCode error = ErrorCode::none;
  Replica* replica = replicas_.leader(write.partition, error);
  if (replica == nullptr) return refuse(error);
  if (error = Replicas::check_in_sync(*replica); error != ErrorCode::none) return refuse(error);
  reach(turn, "before", write.step, write.subject);
  protocol::RecordBatchOptions options;
  options.producer_id = write.producer_id;
  options.producer_epoch = write.producer_epoch;
  options.is_transactional = write.producer_id != protocol::no_producer_id;
  const AppendOutcome appended = replica->log.append_as_leader(
      protocol::build_batch(options, write.records), AppendOrigin::coordinator,
      replica->leader_epoch, write.guard, turn.now);
  if (appended.error != ErrorCode::none) return refuse(appended.error);
  reach(turn, "after", write.step, write.subject);
  replicas_.on_appended(write.partition, *replica);
  ReplicationWait wait{write.partition,          replica->leader_epoch,
                       appended.base_offset,     appended.last_offset + 1,
                       turn.now + write.timeout, GroupLogWait{write.id, write.step, write.subject}};
  if (is_transaction_log) wait.owner = TransactionLogWait{write.id, write.step, write.subject};
  replicas_.wait(std::move(wait), *replica);
}

bool Broker::settle_waits(Turn& turn) {
  std::vector<CompletedWait> completed = replicas_.take_completed();
  for (const CompletedWait& done : completed) {
    const LogWriteOutcome outcome{0, done.error, done.wait.base_offset};
    if (const auto* produce = std::get_if<ProduceWait>(&done.wait.owner)) {
      handlers::on_produce_replicated(*this, *produce, done.error);
    } else if (const auto* marker = std::get_if<MarkerWait>(&done.wait.owner)) {
      handlers::on_marker_replicated(*this, turn, *marker, done.wait.partition, done.error);
    } else if (const auto* transaction = std::get_if<TransactionLogWait>(&done.wait.owner)) {
      if (done.error == ErrorCode::none)
        reach(turn, "replicated", transaction->step, transaction->subject);
      transactions_.on_log_write({transaction->write, outcome.error, outcome.base_offset},
                                 turn.now);
    } else if (const auto* group = std::get_if<GroupLogWait>(&done.wait.owner)) {
      if (done.error == ErrorCode::none) reach(turn, "replicated", group->step, group->subject);
      groups().on_log_write({group->write, outcome.error, outcome.base_offset}, turn.now);
    }
  }
  return !completed.empty();
}

void Broker::wake_fetches(Turn& turn) {
  const std::set<TopicPartition> changed = replicas_.take_changed();
  for (const TopicPartition& partition : changed)
    if (const Replica* replica = replicas_.find(partition))
      maintenance_.on_changed(partition, replica->log, turn.now);
    else
      maintenance_.forget(partition);
  if (changed.empty() || fetches_.empty()) return;
  std::vector<OperationId> woken;
  for (const auto& [id, fetch] : fetches_)
    if (std::ranges::any_of(fetch.partitions,
                            [&](const TopicPartition& it) { return changed.contains(it); }))
      woken.push_back(id);
  for (OperationId id : woken)
    if (handlers::answer_fetch(*this, turn, fetches_.at(id), handlers::FetchMoment::on_change))
      fetches_.erase(id);
}

void Broker::maintain_logs(Turn& turn) {
  for (const TopicPartition& partition : maintenance_.take_due(turn.now)) {
    Replica* replica = replicas_.find(partition);
    if (replica == nullptr) continue;
    if (LogMaintenance::work_on(replica->log, turn.now)) replicas_.on_follower_changed(partition);
    maintenance_.on_changed(partition, replica->log, turn.now);
  }
}

void Broker::resume(Turn& turn, OperationId operation) {
  if (produces_.contains(operation)) handlers::resume_produce(*this, turn, operation);
  if (offset_commits_.contains(operation)) handlers::resume_offset_commit(*this, turn, operation);
}

}  // namespace fencepost::minibroker
