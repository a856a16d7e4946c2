// Crashes and starts of a broker, cut points, and the loading of its coordinators from their logs.
#include "minibroker/broker.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker {

// ---- crashes

void Broker::crash(sim::Unsynced unsynced) {
  replicas_.crash(unsynced);
  Replicas survivors = std::move(replicas_);
  ClusterSettings settings = std::move(settings_);
  const int life = life_;
  const std::uint64_t token = last_token_;
  const OperationId operation = last_operation_;
  *this = Broker(id_, settings);
  replicas_ = std::move(survivors);
  // What is still on its way from the last life must not be taken for an answer of this one.
  life_ = life + 1;
  last_token_ = token;
  last_operation_ = operation;
}

void Broker::start(Instant now) {
  ClusterSettings settings = settings_;
  settings.start = now;
  settings.seed += static_cast<std::uint64_t>(life_) << 32;
  Broker started(id_, settings);
  transactions_ = std::move(started.transactions_);
  groups() = std::move(started.groups_);
  fetch_sessions_ = std::move(started.fetch_sessions_);
}

void Broker::reach(Turn& turn, std::string_view moment, std::string_view step,
                   std::string_view subject) {
  if (!turn.cuts.is_interested() || is_cut()) return;
  if (step.empty()) return;  // a record of the group's log that is no moment to crash at
  const std::string point = std::string(moment) + "_" + std::string(step);
  if (turn.cuts.reach(id_, point, subject))
    cut_ = CutState{replicas_, answers_.size(), requests_.size()};
}

void Broker::roll_back_to_cut() {
  replicas_ = std::move(cut_->replicas);
  answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(cut_->answer_count),
                 answers_.end());
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(cut_->request_count),
                  requests_.end());
  cut_.reset();
}

// ---- loading

void Broker::follow_roles(Turn& turn, const std::vector<RoleChange>& changes) {
  for (const RoleChange& change : changes) {
    const std::int32_t index = change.partition.partition;
    const bool is_transaction_log = change.partition.topic == transaction_state_topic;
    if (!is_transaction_log && change.partition.topic != consumer_offsets_topic) continue;
    loads_.erase(change.partition);
    if (is_transaction_log)
      transactions_.unload(index);
    else
      groups().unload(index, turn.now);
    if (change.is_leader) begin_load(change, turn.now);
  }
}

void Broker::begin_load(const RoleChange& change, Instant now) {
  if (settings_.coordinator_load_time == Duration{})
    return load(change.partition, change.leader_epoch, now);
  if (change.partition.topic == transaction_state_topic)
    transactions_.begin_loading(change.partition.partition);
  else
    groups().begin_loading(change.partition.partition);
  loads_[change.partition] = {now + settings_.coordinator_load_time, change.leader_epoch};
}

// Everything that this replica has, also what is above its high watermark: as the leader it is
// going to have it replicated.
void Broker::load(const TopicPartition& partition, std::int32_t leader_epoch, Instant now) {
  const PartitionLog& log = replicas_.find(partition)->log;
  const std::vector<ReplayedBatch> batches = log.replay(log.log_end_offset());
  if (partition.topic == transaction_state_topic)
    transactions_.load(partition.partition, leader_epoch, batches, now);
  else
    groups().load(partition.partition, batches, now);
}

void Broker::load_due(Instant now) {
  std::vector<std::pair<TopicPartition, Load>> due;
  for (const auto& entry : loads_)
    if (entry.second.done <= now) due.push_back(entry);
  for (const auto& [partition, load_of] : due) {
    loads_.erase(partition);
    load(partition, load_of.leader_epoch, now);
  }
}

// ---- digest

namespace {

void add(Digest& digest, const Reply& reply) {
  for (const SharedBytes& piece : reply.body.pieces()) digest.add(piece.view());
}

// A request that waits, by what it is going to be answered; its connection says whose it is.
template <class Operation>
void add_request(Digest& digest, OperationId id, const Operation& operation) {
  digest.add(static_cast<std::int64_t>(id));
  digest.add(operation.request.connection);
  digest.add(operation.request.correlation_id);
}

}  // namespace

void Broker::add_to(Digest& digest) const {
  digest.add(id_);
  digest.add(life_);
  replicas_.add_to(digest);
  transactions_.add_to(digest);
  groups_.add_to(digest);
  fetch_sessions_.add_to(digest);
  for (const auto& [id, connection] : connections_) {
    digest.add(id);
    digest.add(connection.is_busy);
    digest.add(connection.is_stuck);
    digest.add(connection.is_gone);
    for (const SharedBytes& frame : connection.waiting) digest.add(frame.view());
  }
  for (const auto& [id, operation] : produces_) {
    add_request(digest, id, operation);
    add(digest, make_reply(operation.request, operation.response));
    for (const auto& task : operation.tasks) digest.add(task.guard);
    digest.add(static_cast<std::int64_t>(operation.unanswered));
  }
  for (const auto& [id, operation] : fetches_) {
    add_request(digest, id, operation);
    digest.add(operation.deadline.time_since_epoch().count());
  }
  for (const auto& [id, operation] : markers_) {
    add_request(digest, id, operation);
    add(digest, make_reply(operation.request, operation.response));
    digest.add(static_cast<std::int64_t>(operation.unanswered));
  }
  for (const auto& [id, operation] : offset_commits_) {
    add_request(digest, id, operation);
    digest.add(operation.guard);
  }
  for (const auto& [when, operation] : resumes_) {
    digest.add(when.time_since_epoch().count());
    digest.add(static_cast<std::int64_t>(operation));
  }
  for (const auto& [token, sent] : sent_) {
    digest.add(static_cast<std::int64_t>(token));
    digest.add(sent.deadline.time_since_epoch().count());
  }
  for (const auto& [partition, until] : fetch_backoffs_) {
    digest.add(to_string(partition));
    digest.add(until.time_since_epoch().count());
  }
  for (const auto& [partition, load_of] : loads_) {
    digest.add(to_string(partition));
    digest.add(load_of.done.time_since_epoch().count());
  }
}

}  // namespace fencepost::minibroker
