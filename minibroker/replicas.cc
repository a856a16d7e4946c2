#include "minibroker/replicas.h"

#include <algorithm>

#include "minibroker/topic_configuration.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

Replicas::Replicas(int broker_id, const ClusterSettings& settings)
    : broker_id_(broker_id), settings_(settings) {}

Replica Replicas::make_replica(const TopicImage& topic) const {
  Replica replica;
  replica.log = PartitionLog(log_settings(topic, settings_));
  replica.topic_id = topic.id;
  replica.min_in_sync_replicas = min_in_sync_replicas(topic, settings_);
  replica.config_version = topic.config_version;
  replica.unsynced_records_max = flush_messages(topic, settings_);
  return replica;
}

void Replicas::configure(const TopicPartition& partition, Replica& replica,
                         const TopicImage& topic) {
  replica.log.change_settings(log_settings(topic, settings_));
  replica.min_in_sync_replicas = min_in_sync_replicas(topic, settings_);
  replica.config_version = topic.config_version;
  replica.unsynced_records_max = flush_messages(topic, settings_);
  replica.sync_as_configured();
  configured_.insert(partition);
  // With fewer replicas wanted the high watermark may move.
  if (replica.leader_id == broker_id_) move_high_watermark(partition, replica);
}

void Replicas::change_settings(const ClusterSettings& settings) {
  settings_ = settings;
  has_new_settings_ = true;
}

std::vector<RoleChange> Replicas::apply(const MetadataImage& image, Instant now) {
  std::vector<RoleChange> changes;
  std::erase_if(replicas_, [&](const auto& entry) {
    const auto& [partition, replica] = entry;
    const TopicImage* topic = image.find_topic(partition.topic);
    if (topic != nullptr && topic->id == replica.topic_id) return false;
    fail_waits(partition, ErrorCode::unknown_topic_or_partition);
    if (replica.leader_id == broker_id_) changes.push_back({partition, false, 0});
    changed_.insert(partition);
    configured_.erase(partition);
    lagging_.erase(partition);
    return true;
  });
  for (const auto& [name, topic] : image.topics)
    for (std::size_t i = 0; i < topic.partitions.size(); ++i) {
      const PartitionImage& told = topic.partitions[i];
      if (std::ranges::find(told.replicas, broker_id_) == told.replicas.end()) continue;
      const TopicPartition partition{name, static_cast<std::int32_t>(i)};
      auto found = replicas_.find(partition);
      if (found == replicas_.end()) found = replicas_.emplace(partition, make_replica(topic)).first;
      Replica& replica = found->second;
      if (has_new_settings_ || replica.config_version != topic.config_version)
        configure(partition, replica, topic);
      follow(partition, replica, told, now, changes);
    }
  has_new_settings_ = false;
  return changes;
}

void Replicas::follow(const TopicPartition& partition, Replica& replica,
                      const PartitionImage& image, Instant now, std::vector<RoleChange>& changes) {
  const bool is_leader = image.leader_id == broker_id_;
  replica.replicas = image.replicas;
  const bool is_in_sync_changed = replica.in_sync_replicas != image.in_sync_replicas;
  replica.in_sync_replicas = image.in_sync_replicas;
  if (replica.leader_epoch == image.leader_epoch) {
    if (!is_leader || !is_in_sync_changed) return;
    move_high_watermark(partition, replica);
    watch(partition, replica);
    return;
  }
  const bool was_leader = replica.leader_id == broker_id_;
  replica.leader_id = image.leader_id;
  replica.leader_epoch = image.leader_epoch;
  replica.followers.clear();
  changed_.insert(partition);  // who waits to read it is told that the leader is another
  if (was_leader) fail_waits(partition, ErrorCode::not_leader_or_follower);
  if (is_leader) {
    replica.leader_epoch_start = replica.log.log_end_offset();
    replica.log.begin_leader_epoch(image.leader_epoch);
    for (int id : image.replicas)
      if (id != broker_id_) replica.followers[id].caught_up = now;
    move_high_watermark(partition, replica);
  }
  watch(partition, replica);
  if (was_leader || is_leader) changes.push_back({partition, is_leader, image.leader_epoch});
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
  replica.sync_as_configured();
  move_high_watermark(partition, replica);
  watch(partition, replica);
}

// ---- who is in sync

void Replicas::on_follower_fetch(ControllerView& controller, const TopicPartition& partition,
                                 Replica& replica, int follower_id, std::int64_t offset,
                                 Instant now) {
  const auto found = replica.followers.find(follower_id);
  if (found == replica.followers.end()) return;  // no replica of this partition
  Follower& follower = found->second;
  const std::int64_t end = replica.log.log_end_offset();
  if (offset >= end)
    follower.caught_up = now;
  else if (offset >= follower.end_offset_then && follower.end_offset)
    follower.caught_up = std::max(follower.caught_up, follower.fetched_at);
  follower.end_offset = offset;
  follower.fetched_at = now;
  follower.end_offset_then = end;
  const bool is_in_sync =
      std::ranges::find(replica.in_sync_replicas, follower_id) != replica.in_sync_replicas.end();
  if (!is_in_sync && offset >= replica.log.high_watermark() &&
      offset >= replica.leader_epoch_start) {
    std::vector<int> grown = replica.in_sync_replicas;
    grown.push_back(follower_id);
    // A refusal (the broker is fenced, the controller is away) is asked again with its next fetch.
    if (controller.alter_in_sync_replicas(partition, broker_id_, replica.leader_epoch, grown) ==
        ErrorCode::none)
      replica.in_sync_replicas = std::move(grown);
  }
  move_high_watermark(partition, replica);
  watch(partition, replica);
}

bool Replicas::is_behind(const Replica& replica, int follower_id) const {
  const auto found = replica.followers.find(follower_id);
  if (found == replica.followers.end()) return false;  // this broker
  return !found->second.end_offset || *found->second.end_offset < replica.log.log_end_offset();
}

void Replicas::watch(const TopicPartition& partition, const Replica& replica) {
  const bool is_lagging =
      replica.leader_id == broker_id_ &&
      std::ranges::any_of(replica.in_sync_replicas, [&](int id) { return is_behind(replica, id); });
  if (is_lagging)
    lagging_.try_emplace(partition);
  else
    lagging_.erase(partition);
}

// The first moment at which a follower has been behind for too long.
std::optional<Instant> Replicas::shrink_at(const Replica& replica) const {
  std::optional<Instant> first;
  for (int id : replica.in_sync_replicas) {
    if (!is_behind(replica, id)) continue;
    const Instant at =
        replica.followers.at(id).caught_up + settings_.replica_lag_time_max + milliseconds(1);
    if (!first || at < *first) first = at;
  }
  return first;
}

void Replicas::shrink_in_sync_replicas(ControllerView& controller, Instant now) {
  for (auto& [partition, not_before] : lagging_) {
    Replica& replica = replicas_.at(partition);
    const std::optional<Instant> due = shrink_at(replica);
    if (!due || std::max(*due, not_before) > now) continue;
    std::vector<int> kept;
    for (int id : replica.in_sync_replicas) {
      const bool is_too_late =
          is_behind(replica, id) &&
          replica.followers.at(id).caught_up + settings_.replica_lag_time_max < now;
      if (!is_too_late) kept.push_back(id);
    }
    // The leader takes it for granted only when the controller has agreed.
    not_before = now + settings_.replica_lag_time_max / 2;
    (void)controller.alter_in_sync_replicas(partition, broker_id_, replica.leader_epoch, kept);
  }
}

// ---- the high watermark

void Replicas::move_high_watermark(const TopicPartition& partition, Replica& replica) {
  if (settings_.era.holds_high_watermark_below_min_in_sync &&
      static_cast<int>(replica.in_sync_replicas.size()) <
          std::min(replica.min_in_sync_replicas, static_cast<int>(replica.replicas.size())))
    return;
  std::int64_t replicated = replica.log.log_end_offset();
  for (int id : replica.in_sync_replicas) {
    const auto known = replica.followers.find(id);
    if (known == replica.followers.end()) continue;  // this broker
    if (!known->second.end_offset) return;           // not heard of it in this epoch
    replicated = std::min(replicated, *known->second.end_offset);
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
  const auto consider = [&next](Instant at) { next = next ? std::min(*next, at) : at; };
  for (const auto& [partition, waits] : waits_)
    for (const ReplicationWait& wait : waits) consider(wait.deadline);
  for (const auto& [partition, not_before] : lagging_)
    if (const auto due = shrink_at(replicas_.at(partition))) consider(std::max(*due, not_before));
  return next;
}

std::set<TopicPartition> Replicas::take_changed() {
  if (has_files_) unwritten_.insert(changed_.begin(), changed_.end());
  return std::exchange(changed_, {});
}

// ---- disks

// Without role and rules, which come with the metadata.
void Replicas::adopt(const TopicPartition& partition, const Uuid& topic_id, PartitionLog log) {
  Replica replica;
  replica.synced_offset = log.log_end_offset();
  replica.log = std::move(log);
  replica.topic_id = topic_id;
  replica.config_version = -1;
  replicas_.insert_or_assign(partition, std::move(replica));
}

void Replicas::follow_changes() {
  has_files_ = true;
  for (const auto& [partition, replica] : replicas_) unwritten_.insert(partition);
}

// ---- crashes

void Replicas::crash(sim::Unsynced unsynced) {
  for (auto& [partition, replica] : replicas_) {
    if (unsynced == sim::Unsynced::lost) replica.log.truncate_to(replica.synced_offset);
    note_unwritten(partition);
    replica.log.forget_verifications();
    replica.leader_id = -1;
    replica.leader_epoch = -1;
    replica.in_sync_replicas.clear();
    replica.followers.clear();
  }
  waits_.clear();
  completed_.clear();
  changed_.clear();
  configured_.clear();
  lagging_.clear();
}

void Replicas::sync() {
  for (auto& [partition, replica] : replicas_) replica.synced_offset = replica.log.log_end_offset();
}

bool Replicas::lose_tail(const TopicPartition& partition, std::int64_t offset) {
  Replica* replica = find(partition);
  if (replica == nullptr) return false;
  replica->log.truncate_to(offset);
  note_unwritten(partition);
  replica->synced_offset = std::min(replica->synced_offset, replica->log.log_end_offset());
  return true;
}

namespace {

void add(Digest& digest, const Follower& follower) {
  digest.add(follower.end_offset.value_or(-1));
  digest.add(follower.caught_up.time_since_epoch().count());
  digest.add(follower.told_high_watermark.value_or(-1));
}

}  // namespace

void Replicas::add_to(Digest& digest) const {
  for (const auto& [partition, replica] : replicas_) {
    digest.add(partition.topic);
    digest.add(partition.partition);
    digest.add(replica.leader_id);
    digest.add(replica.leader_epoch);
    digest.add(replica.synced_offset);
    for (int id : replica.in_sync_replicas) digest.add(id);
    for (const auto& [id, follower] : replica.followers) {
      digest.add(id);
      add(digest, follower);
    }
    replica.log.add_to(digest);
  }
  for (const auto& [partition, waits] : waits_)
    for (const ReplicationWait& wait : waits) {
      digest.add(to_string(partition));
      digest.add(wait.end_offset);
      digest.add(wait.deadline.time_since_epoch().count());
      digest.add(static_cast<std::int64_t>(wait.owner.index()));
    }
}

}  // namespace fencepost::minibroker
