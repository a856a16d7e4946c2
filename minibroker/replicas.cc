#include "minibroker/replicas.h"

#include <algorithm>

#include "minibroker/topic_configuration.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

Replicas::Replicas(int broker_id, const ClusterSettings& settings)
    : broker_id_(broker_id), settings_(settings) {}

Replica Replicas::make_replica(const TopicImage& topic) const {
  Replica replica{PartitionLog(log_settings(topic, settings_)), topic.id, -1, -1, {}, 1, {}, {}};
  replica.min_in_sync_replicas = min_in_sync_replicas(topic, settings_);
  return replica;
}

std::vector<RoleChange> Replicas::apply(const Controller& controller) {
  std::vector<RoleChange> changes;
  std::erase_if(replicas_, [&](const auto& entry) {
    const auto& [partition, replica] = entry;
    const TopicImage* topic = controller.find_topic(partition.topic);
    if (topic != nullptr && topic->id == replica.topic_id) return false;
    fail_waits(partition, ErrorCode::unknown_topic_or_partition);
    if (replica.leader_id == broker_id_) changes.push_back({partition, false, 0});
    changed_.insert(partition);
    return true;
  });
  for (const auto& [name, topic] : controller.topics())
    for (std::size_t i = 0; i < topic.partitions.size(); ++i) {
      const PartitionImage& image = topic.partitions[i];
      if (std::ranges::find(image.replicas, broker_id_) == image.replicas.end()) continue;
      const TopicPartition partition{name, static_cast<std::int32_t>(i)};
      auto found = replicas_.find(partition);
      if (found == replicas_.end()) found = replicas_.emplace(partition, make_replica(topic)).first;
      Replica& replica = found->second;
      replica.in_sync_replicas = image.in_sync_replicas;
      if (replica.leader_epoch == image.leader_epoch) continue;
      const bool was_leader = replica.leader_id == broker_id_;
      const bool is_leader = image.leader_id == broker_id_;
      replica.leader_id = image.leader_id;
      replica.leader_epoch = image.leader_epoch;
      replica.follower_end_offsets.clear();
      replica.follower_high_watermarks.clear();
      if (was_leader && !is_leader) fail_waits(partition, ErrorCode::not_leader_or_follower);
      if (is_leader) replica.log.begin_leader_epoch(image.leader_epoch);
      if (is_leader) move_high_watermark(partition, replica);
      if (was_leader || is_leader) changes.push_back({partition, is_leader, image.leader_epoch});
    }
  return changes;
}

Replica* Replicas::find(const TopicPartition& partition) {
  const auto found = replicas_.find(partition);
  return found == replicas_.end() ? nullptr : &found->second;
}

Replica* Replicas::leader(const TopicPartition& partition, ErrorCode& error) {
  Replica* replica = find(partition);
  if (replica != nullptr && replica->leader_id == broker_id_) return replica;
  error = replica == nullptr ? ErrorCode::unknown_topic_or_partition
                             : ErrorCode::not_leader_or_follower;
  return nullptr;
}

ErrorCode Replicas::check_in_sync(const Replica& replica) {
  const auto in_sync = static_cast<int>(replica.in_sync_replicas.size());
  return in_sync < replica.min_in_sync_replicas ? ErrorCode::not_enough_replicas : ErrorCode::none;
}

void Replicas::on_appended(const TopicPartition& partition, Replica& replica) {
  changed_.insert(partition);
  move_high_watermark(partition, replica);
}

void Replicas::on_follower_fetch(const TopicPartition& partition, Replica& replica, int follower_id,
                                 std::int64_t offset) {
  replica.follower_end_offsets[follower_id] = offset;
  move_high_watermark(partition, replica);
}

void Replicas::move_high_watermark(const TopicPartition& partition, Replica& replica) {
  std::int64_t replicated = replica.log.log_end_offset();
  for (int id : replica.in_sync_replicas) {
    if (id == broker_id_) continue;
    const auto known = replica.follower_end_offsets.find(id);
    if (known == replica.follower_end_offsets.end()) return;  // not heard of it in this epoch
    replicated = std::min(replicated, known->second);
  }
  if (replicated <= replica.log.high_watermark()) return;  // it never moves back
  replica.log.advance_high_watermark(replicated);
  changed_.insert(partition);
  complete_waits(partition, replica);
}

void Replicas::complete_waits(const TopicPartition& partition, Replica& replica) {
  const auto found = waits_.find(partition);
  if (found == waits_.end()) return;
  const std::int64_t high_watermark = replica.log.high_watermark();
  std::erase_if(found->second, [&](ReplicationWait& wait) {
    if (wait.end_offset > high_watermark) return false;
    const ErrorCode error = check_in_sync(replica) == ErrorCode::none
                                ? ErrorCode::none
                                : ErrorCode::not_enough_replicas_after_append;
    completed_.push_back({std::move(wait), error});
    return true;
  });
  if (found->second.empty()) waits_.erase(found);
}

void Replicas::fail_waits(const TopicPartition& partition, ErrorCode error) {
  const auto found = waits_.find(partition);
  if (found == waits_.end()) return;
  for (ReplicationWait& wait : found->second) completed_.push_back({std::move(wait), error});
  waits_.erase(found);
}

void Replicas::wait(ReplicationWait wait, Replica& replica) {
  if (replica.log.high_watermark() >= wait.end_offset)
    completed_.push_back({std::move(wait), ErrorCode::none});
  else
    waits_[wait.partition].push_back(std::move(wait));
}

void Replicas::expire_waits(Instant now) {
  for (auto& [partition, waits] : waits_)
    std::erase_if(waits, [&](ReplicationWait& wait) {
      if (wait.deadline > now) return false;
      completed_.push_back({std::move(wait), ErrorCode::request_timed_out});
      return true;
    });
  std::erase_if(waits_, [](const auto& entry) { return entry.second.empty(); });
}

std::optional<Instant> Replicas::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& [partition, waits] : waits_)
    for (const ReplicationWait& wait : waits)
      if (!next || wait.deadline < *next) next = wait.deadline;
  return next;
}

void Replicas::add_to(Digest& digest) const {
  for (const auto& [partition, replica] : replicas_) {
    digest.add(partition.topic);
    digest.add(partition.partition);
    digest.add(replica.leader_id);
    digest.add(replica.leader_epoch);
    replica.log.add_to(digest);
  }
}

}  // namespace fencepost::minibroker
