#include "minibroker/world.h"

#include <algorithm>

namespace fencepost::minibroker {

using sim::Message;

World::World(ClusterSettings settings, SurvivingCluster* survivors)
    : settings_(std::move(settings)), now_(settings_.start), controller_(settings_, survivors) {
  for (int id = 1; id <= settings_.broker_count; ++id) {
    Node& node = nodes_.emplace(id, Node{Broker(id, settings_)}).first->second;
    if (survivors == nullptr) continue;
    for (auto& [partition, replica] : survivors->replicas[id])
      node.broker.replicas().adopt(partition, replica.topic_id, std::move(replica.log));
  }
  spread_metadata();
}

// ---- time

std::optional<Instant> World::next_deadline() const {
  std::optional<Instant> next = network_.next_arrival();
  const auto consider = [&next](std::optional<Instant> deadline) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  };
  consider(controller_.next_deadline());
  for (const auto& [id, node] : nodes_) {
    if (node.state != NodeState::up) continue;
    consider(node.broker.next_deadline());
    consider(node.told_at);
  }
  return next;
}

bool World::step(Instant now) {
  const std::optional<Instant> arrival = network_.next_arrival();
  // What has arrived already comes first whatever else is due: no need to ask all who wait.
  const std::optional<Instant> next =
      arrival && *arrival <= std::min(now_, now) ? arrival : next_deadline();
  if (!next || *next > now) return false;
  now_ = std::max(now_, *next);
  if (arrival && *arrival <= now_) {
    deliver(network_.take_next());
  } else {
    run_timers();
  }
  spread_metadata();
  return true;
}

void World::advance_to(Instant now) {
  while (step(now)) {
  }
  now_ = std::max(now_, now);
}

void World::run_timers() {
  for (int id : controller_.advance_to(now_))
    note("the controller fences broker " + std::to_string(id) + ": its session has ended");
  for (auto& [id, node] : nodes_) {
    if (node.state != NodeState::up) continue;
    if (node.told_at && *node.told_at <= now_) {
      node.told_at.reset();
      follow_contact();
    }
    const std::optional<Instant> deadline = node.broker.next_deadline();
    if (!deadline || *deadline > now_) continue;
    Turn turn = turn_of(node);
    node.broker.advance(turn);
    collect(id);
  }
}

void World::note(std::string text) {
  events_.push_back({now_, std::move(text)});
}

// ---- looking inside

void World::set_advertised(int broker_id, const std::string& listener, Endpoint endpoint) {
  controller_.set_address(broker_id, listener, std::move(endpoint));
}

std::vector<int> World::broker_ids() const {
  std::vector<int> ids;
  for (const auto& [id, node] : nodes_) ids.push_back(id);
  return ids;
}

std::optional<PartitionState> World::partition(const TopicPartition& partition) const {
  const PartitionImage* image = controller_.find_partition(partition);
  if (image == nullptr) return std::nullopt;
  PartitionState state;
  state.topic = partition.topic;
  state.index = partition.partition;
  state.leader_id = image->leader_id;
  state.leader_epoch = image->leader_epoch;
  state.replicas = image->replicas;
  state.in_sync_replicas = image->in_sync_replicas;
  const PartitionLog* log = leader_log(partition);
  if (log == nullptr) return state;
  state.log_start_offset = log->log_start_offset();
  state.last_stable_offset = log->last_stable_offset();
  state.high_watermark = log->high_watermark();
  state.log_end_offset = log->log_end_offset();
  state.batches = log->summarize();
  return state;
}

const PartitionLog* World::leader_log(const TopicPartition& partition) const {
  const PartitionImage* image = controller_.find_partition(partition);
  if (image == nullptr || image->leader_id < 0) return nullptr;
  const auto& hosted = nodes_.at(image->leader_id).broker.replicas().all();
  const auto replica = hosted.find(partition);
  return replica == hosted.end() ? nullptr : &replica->second.log;
}

std::vector<ProducerState> World::producers(const TopicPartition& partition) const {
  std::vector<ProducerState> states;
  const PartitionLog* log = leader_log(partition);
  if (log == nullptr) return states;
  for (const auto& [producer_id, entry] : log->producers())
    states.push_back({producer_id, entry.producer_epoch, entry.coordinator_epoch,
                      entry.last_sequence(), entry.last_timestamp, entry.transaction_first_offset});
  return states;
}

std::vector<PartitionState> World::partitions() const {
  std::vector<PartitionState> states;
  for (const auto& [name, topic] : controller_.topics())
    for (std::size_t i = 0; i < topic.partitions.size(); ++i)
      states.push_back(*partition({name, static_cast<std::int32_t>(i)}));
  return states;
}

std::vector<TransactionState> World::transactions() const {
  std::vector<TransactionState> states;
  for (const auto& [id, node] : nodes_)
    std::ranges::move(node.broker.transactions().states(), std::back_inserter(states));
  return states;
}

std::vector<GroupState> World::groups() const {
  std::vector<GroupState> states;
  for (const auto& [id, node] : nodes_)
    std::ranges::move(node.broker.groups().states(), std::back_inserter(states));
  return states;
}

std::uint64_t World::digest() const {
  Digest digest;
  controller_.add_to(digest);
  for (const auto& [id, node] : nodes_) {
    digest.add(static_cast<std::int64_t>(node.state));
    digest.add(node.metadata->version);
    digest.add(node.told_at ? node.told_at->time_since_epoch().count() : std::int64_t{-1});
    for (const Message& message : node.waiting) sim::add_to(digest, message);
    node.broker.add_to(digest);
  }
  network_.add_to(digest);
  links_.add_to(digest);
  cuts_.add_to(digest);
  faults_.add_to(digest);
  for (const auto& [id, connection] : connections_) {
    if (!connection.is_open) continue;
    digest.add(id);
    digest.add(connection.to_broker);
  }
  for (const auto& [correlation, fault] : answer_faults_) {
    digest.add(correlation.first);
    digest.add(correlation.second);
    digest.add(static_cast<std::int64_t>(fault.action));
    digest.add(fault.is_first_delivered);
  }
  return digest.value();
}

// Timestamps in the logs differ between states that are otherwise the same, so they count only
// where a part of a log is synced: the state says what all of it holds.
std::uint64_t World::disk_digest() const {
  Digest digest;
  for (const auto& [id, node] : nodes_)
    for (const auto& [partition, replica] : node.broker.replicas().all()) {
      const bool is_synced = replica.synced_offset >= replica.log.log_end_offset();
      digest.add(is_synced);
      if (is_synced || replica.synced_offset <= replica.log.log_start_offset()) continue;
      digest.add(replica.synced_offset);
      const BatchStore& batches = replica.log.batches();
      for (std::size_t i = 0; i < batches.find(replica.synced_offset); ++i)
        digest.add(batches.bytes(i).view());
    }
  return digest.value();
}

}  // namespace fencepost::minibroker
