// Sessions of brokers and what follows from them: fencing, in-sync replicas, leaders. The rules are
// those of Kafka's controller (KIP-631, KIP-841): the last in-sync replica stays in the list when
// it dies, and only it may lead again, unless an unclean election is allowed.
#include <algorithm>

#include "minibroker/controller.h"
#include "minibroker/topic_configuration.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

namespace {

bool contains(const std::vector<int>& list, int id) {
  return std::ranges::find(list, id) != list.end();
}

}  // namespace

// ---- sessions

void Controller::lose_contact(int broker_id, Instant now) {
  Session& session = sessions_.at(broker_id);
  if (!session.is_fenced && !session.ends) session.ends = now + settings_.broker_session_timeout;
}

void Controller::regain_contact(int broker_id) {
  Session& session = sessions_.at(broker_id);
  if (session.wants_to_register) return;
  session.ends.reset();
  if (session.is_fenced) unfence(broker_id);
}

void Controller::register_again(int broker_id) {
  Session& session = sessions_.at(broker_id);
  if (session.is_fenced) return unfence(broker_id);
  session.wants_to_register = true;
}

bool Controller::is_fenced(int broker_id) const {
  return sessions_.at(broker_id).is_fenced;
}

bool Controller::is_alive(int broker_id) const {
  const auto found = sessions_.find(broker_id);
  return found != sessions_.end() && !found->second.is_fenced;
}

std::optional<Instant> Controller::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& [id, session] : sessions_)
    if (session.ends && (!next || *session.ends < *next)) next = session.ends;
  return next;
}

std::vector<int> Controller::advance_to(Instant now) {
  std::vector<int> fenced;
  for (auto& [id, session] : sessions_) {
    if (!session.ends || *session.ends > now) continue;
    session.ends.reset();
    fence(id);
    fenced.push_back(id);
    if (session.wants_to_register) unfence(id);
  }
  return fenced;
}

void Controller::list_brokers() {
  image_.brokers.clear();
  for (const BrokerAddress& address : image_.addresses)
    if (is_alive(address.id)) image_.brokers.push_back(address);
  changed();
}

void Controller::fence(int broker_id) {
  sessions_.at(broker_id).is_fenced = true;
  list_brokers();
  for (auto& [name, topic] : image_.topics)
    for (PartitionImage& partition : topic.partitions) leave_partition(topic, partition, broker_id);
}

void Controller::unfence(int broker_id) {
  Session& session = sessions_.at(broker_id);
  session.is_fenced = false;
  session.wants_to_register = false;
  list_brokers();
  for (auto& [name, topic] : image_.topics)
    for (PartitionImage& partition : topic.partitions) {
      if (partition.leader_id >= 0 || !contains(partition.replicas, broker_id)) continue;
      const int leader = first_eligible(partition, elects_unclean(topic));
      if (leader >= 0) set_leader(partition, leader);
    }
}

// ---- leaders

void Controller::leave_partition(const TopicImage& topic, PartitionImage& partition,
                                 int broker_id) {
  if (!contains(partition.in_sync_replicas, broker_id)) return;
  if (partition.in_sync_replicas.size() > 1) std::erase(partition.in_sync_replicas, broker_id);
  if (partition.leader_id == broker_id)
    set_leader(partition, first_eligible(partition, elects_unclean(topic)));
}

bool Controller::elects_unclean(const TopicImage& topic) const {
  return allows_unclean_election(topic, settings_);
}

int Controller::first_eligible(const PartitionImage& partition, bool is_unclean) const {
  for (int id : partition.replicas)
    if (is_alive(id) && contains(partition.in_sync_replicas, id)) return id;
  if (!is_unclean) return -1;
  for (int id : partition.replicas)
    if (is_alive(id)) return id;
  return -1;
}

// A leader that was not in sync starts a new list: what only the others have is lost.
void Controller::set_leader(PartitionImage& partition, int leader_id) {
  partition.leader_id = leader_id;
  ++partition.leader_epoch;
  if (leader_id >= 0 && !contains(partition.in_sync_replicas, leader_id))
    partition.in_sync_replicas = {leader_id};
  changed();
}

ErrorCode Controller::elect(const TopicPartition& partition, Election kind, int leader_id) {
  const auto topic = image_.topics.find(partition.topic);
  if (image_.find_partition(partition) == nullptr) return ErrorCode::unknown_topic_or_partition;
  PartitionImage& image = topic->second.partitions[static_cast<std::size_t>(partition.partition)];
  if (kind == Election::preferred) leader_id = image.replicas.front();
  if (leader_id < 0) {
    const bool has_leader = image.leader_id >= 0 && is_alive(image.leader_id);
    if (has_leader) return ErrorCode::election_not_needed;
    leader_id = first_eligible(image, kind == Election::unclean);
  }
  if (leader_id == image.leader_id) return ErrorCode::election_not_needed;
  const bool may_lead = leader_id >= 0 && is_alive(leader_id) &&
                        contains(image.replicas, leader_id) &&
                        (kind == Election::unclean || contains(image.in_sync_replicas, leader_id));
  if (!may_lead)
    return kind == Election::preferred ? ErrorCode::preferred_leader_not_available
                                       : ErrorCode::eligible_leaders_not_available;
  set_leader(image, leader_id);
  return ErrorCode::none;
}

ErrorCode Controller::alter_in_sync_replicas(const TopicPartition& partition, int leader_id,
                                             std::int32_t leader_epoch,
                                             std::vector<int> in_sync_replicas) {
  if (image_.find_partition(partition) == nullptr) return ErrorCode::unknown_topic_or_partition;
  PartitionImage& image =
      image_.topics.at(partition.topic).partitions[static_cast<std::size_t>(partition.partition)];
  if (image.leader_id != leader_id || image.leader_epoch != leader_epoch)
    return ErrorCode::fenced_leader_epoch;
  for (int id : in_sync_replicas)
    if (!is_alive(id)) return ErrorCode::ineligible_replica;
  if (image.in_sync_replicas == in_sync_replicas) return ErrorCode::none;
  image.in_sync_replicas = std::move(in_sync_replicas);
  changed();
  return ErrorCode::none;
}

}  // namespace fencepost::minibroker
