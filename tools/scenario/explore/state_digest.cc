// What makes two states the same. Producer ids, member ids and the names of what is held are only
// counted up, so they are replaced by whose they are; of time, only ages count, and those roughly:
// a second for transactions, ten for the rest. The logs of the coordinators say nothing that their
// transactions and groups do not, unless a broker is down: then they are all that it will know, and
// the state in which it crashed stands for them, with the moment of the crash. Of what is held,
// what its sender was when it sent it. And what properties remember of actors: what came before may
// forbid what comes next.
#include <algorithm>

#include "tools/scenario/explore/execution.h"

namespace fencepost::scenario {

namespace {

using minibroker::BatchSummary;
using minibroker::PartitionState;

// By producer id: who it belongs to.
using Owners = std::map<std::int64_t, std::string>;

Owners owners_of(const std::vector<minibroker::TransactionState>& transactions,
                 const std::map<std::string, std::unique_ptr<Actor>>& actors) {
  Owners owners;
  for (const auto& [name, actor] : actors)
    for (const auto& session : actor->sessions)
      if (session->identity().id >= 0)
        owners[session->identity().id] = session->transactional_id().value_or("actor " + name);
  for (const minibroker::TransactionState& it : transactions)
    owners[it.producer_id] = it.transactional_id;
  return owners;
}

void add_producer(Digest& digest, const Owners& owners, std::int64_t id) {
  const auto at = owners.find(id);
  if (at != owners.end())
    digest.add(at->second);
  else
    digest.add(id);
}

// To the nearest: what takes a whole number of units takes some milliseconds more or less.
std::int64_t rough(Duration age, std::chrono::seconds unit) {
  return (age + Duration(unit) / 2) / unit;
}

// Without the random part, which comes behind the client id.
std::string_view owner_of_member(std::string_view member_id) {
  constexpr std::size_t random_part = 37;
  if (member_id.size() <= random_part) return member_id;
  return member_id.substr(0, member_id.size() - random_part);
}

void add(Digest& digest, const Owners& owners, const PartitionState& partition) {
  const bool is_internal = partition.topic.starts_with("__");
  digest.add(partition.leader_id);
  digest.add(partition.leader_epoch);
  for (const int id : partition.in_sync_replicas) digest.add(id);
  if (is_internal) return;
  digest.add(partition.last_stable_offset);
  digest.add(partition.high_watermark);
  digest.add(partition.log_end_offset);
  for (const BatchSummary& batch : partition.batches) {
    digest.add(batch.base_offset);
    add_producer(digest, owners, batch.producer_id);
    digest.add(batch.producer_epoch);
    digest.add(batch.base_sequence);
    digest.add(static_cast<std::int64_t>(batch.state));
    for (const std::string& record : batch.records) digest.add(record);
  }
}

void add(Digest& digest, const Owners& owners, const minibroker::TransactionState& it,
         Instant now) {
  digest.add(it.transactional_id);
  digest.add(it.state);
  add_producer(digest, owners, it.producer_id);
  digest.add(it.producer_epoch);
  digest.add(it.has_pending_change);
  digest.add(it.started ? rough(now - *it.started, std::chrono::seconds(1)) : std::int64_t{-1});
  for (const std::string& partition : it.partitions) digest.add(partition);
}

void add(Digest& digest, const Owners& owners, const minibroker::GroupState& group) {
  digest.add(group.group_id);
  digest.add(group.state);
  digest.add(group.generation);
  for (const std::string& member : group.members) digest.add(owner_of_member(member));
  for (const minibroker::CommittedOffset& it : group.offsets) {
    digest.add(it.topic);
    digest.add(it.partition);
    digest.add(it.offset);
    digest.add(it.is_pending);
    add_producer(digest, owners, it.is_pending ? it.producer_id : -1);
  }
}

void add(Digest& digest, const Owners& owners, const Actor& actor) {
  digest.add(actor.name);
  for (const auto& session : actor.sessions) {
    digest.add(session->transactional_id().value_or(""));
    add_producer(digest, owners, session->identity().id);
    digest.add(session->identity().epoch);
  }
  for (const auto& [group, member] : actor.members) {
    digest.add(group);
    digest.add(member->generation());
    digest.add(owner_of_member(member->member_id()));
    for (const client::TopicPartition& it : member->assignment()) digest.add(to_string(it));
  }
  for (const auto& [group, member] : actor.consumers) {
    digest.add(group);
    digest.add(member.epoch);
    for (const client::TopicPartition& it : member.assignment) digest.add(to_string(it));
  }
  for (const TopicPartition& it : actor.added_partitions) digest.add(to_string(it));
  for (const std::string& it : actor.added_groups) digest.add(it);
  digest.add(actor.transaction);
  digest.add(actor.is_transaction_used);
}

}  // namespace

// Where the actor stands in its program.
void Execution::add_progress(Digest& digest, std::size_t actor) const {
  const ActorState& state = actors_[actor];
  digest.add(static_cast<std::int64_t>(state.next));
  digest.add(static_cast<std::int64_t>(state.mode));
  digest.add(state.has_asked_again);
  digest.add(state.stops_after_abort);
}

// What a request says that the actor sends now, and which later ones its answer must not overtake.
std::uint64_t Execution::digest_of_sender(std::size_t actor) const {
  Digest digest;
  digest.add(static_cast<std::int64_t>(actor));
  add_progress(digest, actor);
  const auto at = stage_.actors().find(program_.actors()[actor].name);
  if (at != stage_.actors().end())
    add(digest, owners_of(cluster_.transactions(), stage_.actors()), *at->second);
  return digest.value();
}

void Execution::add_actors(Digest& digest) const {
  const Instant now = stage_.now();
  for (std::size_t actor = 0; actor < actors_.size(); ++actor) {
    add_progress(digest, actor);
    digest.add(rough(now - actors_[actor].last_step, std::chrono::seconds(10)));
  }
  digest.add(static_cast<std::int64_t>(barriers_done_));
  std::vector<std::pair<std::uint64_t, bool>> held;
  for (const Held& it : held_) held.emplace_back(it.sender, it.run == nullptr);
  std::sort(held.begin(), held.end());
  for (const auto& [sender, is_markers] : held) {
    digest.add(static_cast<std::int64_t>(sender));
    digest.add(is_markers);
  }
  for (const int count : {used_.crashes, used_.held, used_.held_markers, used_.lost_replies})
    digest.add(count);
  for (const int it : clock_used_) digest.add(it);
  for (const std::uint64_t it : crashes_) digest.add(static_cast<std::int64_t>(it));
}

std::uint64_t Execution::digest() const {
  Digest digest;
  add_actors(digest);
  const Instant now = stage_.now();
  const std::vector<minibroker::TransactionState> transactions = cluster_.transactions();
  const Owners owners = owners_of(transactions, stage_.actors());
  for (const minibroker::TransactionState& it : transactions) add(digest, owners, it, now);
  for (const minibroker::GroupState& it : cluster_.groups()) add(digest, owners, it);
  if (partitions_ != nullptr)
    for (const PartitionState& it : *partitions_) add(digest, owners, it);
  for (const minibroker::BrokerState& it : cluster_.brokers()) {
    digest.add(static_cast<std::int64_t>(it.state));
    digest.add(it.is_fenced);
  }
  for (const auto& [name, actor] : stage_.actors()) add(digest, owners, *actor);
  for (const auto& [name, property] : properties_) property->add_memory(digest);
  if (may_lose_unsynced()) digest.add(static_cast<std::int64_t>(cluster_.disk_digest()));
  digest.add(rough(now - start_, std::chrono::seconds(10)));
  return digest.value();
}

}  // namespace fencepost::scenario
