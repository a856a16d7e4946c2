// What befalls the nodes: crashes and restarts, pauses, cut and slow links, elections; and how a
// broker hears of the controller's decisions.
#include <algorithm>

#include "minibroker/world.h"

namespace fencepost::minibroker {

using sim::Message;
using sim::Party;
using sim::Unsynced;

World::Node* World::find(int broker_id) {
  const auto found = nodes_.find(broker_id);
  return found == nodes_.end() ? nullptr : &found->second;
}

Turn World::turn_of(Node& node) {
  return {ControllerView(controller_, node.metadata, reaches_controller(node.broker.id(), node)),
          now_, cuts_};
}

// ---- the controller

bool World::reaches_controller(int broker_id, const Node& node) const {
  return (node.state == NodeState::up || node.state == NodeState::starting) &&
         !links_.is_cut(Party::broker(broker_id), Party::controller());
}

// Starts and stops the clocks of the sessions as brokers can and cannot be reached.
void World::follow_contact() {
  for (auto& [id, node] : nodes_) {
    if (!reaches_controller(id, node)) {
      controller_.lose_contact(id, now_);
    } else if (!node.is_registered) {
      node.is_registered = true;
      controller_.register_again(id);
    } else if (!node.told_at) {
      controller_.regain_contact(id);
    }
  }
}

void World::spread_metadata() {
  // Following the metadata can change it again: a coordinator takes producer ids.
  for (bool is_spreading = true; is_spreading;) {
    is_spreading = false;
    for (auto& [id, node] : nodes_) {
      const bool is_starting = node.state == NodeState::starting;
      if (!is_starting && node.metadata != nullptr &&
          node.metadata->version == controller_.version())
        continue;
      if (!reaches_controller(id, node) || node.told_at || !controller_.is_admitted(id)) continue;
      is_spreading = true;
      node.state = NodeState::up;
      node.metadata = controller_.image();
      Turn turn = turn_of(node);
      node.broker.apply_metadata(turn);
      collect(id);
    }
  }
}

// ---- crashes

bool World::crash(int broker_id, Unsynced unsynced, Instant now) {
  Node* node = find(broker_id);
  if (node == nullptr || node->state == NodeState::down) return false;
  now_ = std::max(now_, now);
  note("broker " + std::to_string(broker_id) + " crashes");
  stop(broker_id, *node, unsynced);
  return true;
}

void World::stop(int broker_id, Node& node, Unsynced unsynced) {
  node.state = NodeState::down;
  node.told_at.reset();
  node.is_registered = false;
  const std::deque<Message> unheard = std::exchange(node.waiting, {});
  node.broker.crash(unsynced);
  for (const Message& message : unheard) refuse(message);
  break_connections(broker_id);
  follow_contact();
}

// Clients and the other brokers see their connections close; what this broker had asked of others
// is answered to nobody.
void World::break_connections(int broker_id) {
  for (auto& [id, connection] : connections_) {
    if (connection.from_broker == broker_id) connection.is_sender_gone = true;
    if (connection.to_broker != broker_id || connection.is_receiver_gone) continue;
    connection.is_receiver_gone = true;
    if (connection.from_broker < 0 && connection.is_open)
      travel({sim::MessageKind::close, id, -1, 0, {}});
  }
  std::erase_if(broker_connections_, [&](const auto& entry) {
    const auto& [from, to, purpose] = entry.first;
    return from == broker_id || to == broker_id;
  });
  for (auto& [id, node] : nodes_) {
    if (id == broker_id || node.state != NodeState::up) continue;
    Turn turn = turn_of(node);
    node.broker.lose_peer(turn, broker_id);
    collect(id);
  }
}

bool World::restart(int broker_id, Instant now) {
  Node* node = find(broker_id);
  if (node == nullptr || node->state != NodeState::down) return false;
  now_ = std::max(now_, now);
  note("broker " + std::to_string(broker_id) + " starts");
  node->state = NodeState::starting;
  node->broker.start(now_);
  follow_contact();
  spread_metadata();
  return true;
}

bool World::pause(int broker_id, Instant now) {
  Node* node = find(broker_id);
  if (node == nullptr || node->state != NodeState::up) return false;
  now_ = std::max(now_, now);
  note("broker " + std::to_string(broker_id) + " pauses");
  node->state = NodeState::paused;
  follow_contact();
  return true;
}

bool World::resume(int broker_id, Instant now) {
  Node* node = find(broker_id);
  if (node == nullptr || node->state != NodeState::paused) return false;
  now_ = std::max(now_, now);
  note("broker " + std::to_string(broker_id) + " resumes");
  node->state = NodeState::up;
  node->told_at = now_ + settings_.latency;
  while (node->state == NodeState::up && !node->waiting.empty()) {
    Message message = std::move(node->waiting.front());
    node->waiting.pop_front();
    deliver_to_broker(std::move(message));
  }
  advance_to(now_);
  return true;
}

bool World::sync(int broker_id) {
  Node* node = find(broker_id);
  if (node == nullptr || node->state != NodeState::up) return false;
  node->broker.sync();
  return true;
}

bool World::truncate(int broker_id, const TopicPartition& partition, std::int64_t offset) {
  Node* node = find(broker_id);
  if (node == nullptr || node->state != NodeState::down) return false;
  if (!node->broker.replicas().lose_tail(partition, offset)) return false;
  note("broker " + std::to_string(broker_id) + " loses " + to_string(partition) + " from offset " +
       std::to_string(offset) + " on");
  return true;
}

std::vector<BrokerState> World::broker_states() const {
  std::vector<BrokerState> states;
  for (const auto& [id, node] : nodes_)
    states.push_back({id, node.state, controller_.is_fenced(id), node.metadata->version});
  return states;
}

// ---- links

void World::cut(const Party& one, const Party& other, Instant now) {
  now_ = std::max(now_, now);
  links_.cut(one, other);
  note("cut: " + to_string(one) + " and " + to_string(other));
  follow_contact();
}

bool World::heal(const Party& one, const Party& other, Instant now) {
  now_ = std::max(now_, now);
  if (!links_.heal(one, other)) return false;
  note("healed: " + to_string(one) + " and " + to_string(other));
  send_stalled();
  return true;
}

void World::heal_all(Instant now) {
  now_ = std::max(now_, now);
  links_.heal_all();
  send_stalled();
}

void World::slow(const Party& one, const Party& other, Duration latency) {
  links_.slow(one, other, latency);
}

void World::send_stalled() {
  for (Message& message : network_.take_stalled())
    if (connections_.contains(message.connection)) travel(std::move(message));
  for (auto& [id, node] : nodes_)
    if (reaches_controller(id, node) && controller_.is_fenced(id) && !node.told_at)
      node.told_at = now_ + settings_.latency;
  follow_contact();
  advance_to(now_);
}

// ---- elections

protocol::ErrorCode World::elect(const TopicPartition& partition, Election kind, int broker_id,
                                 Instant now) {
  now_ = std::max(now_, now);
  const protocol::ErrorCode error = controller_.elect(partition, kind, broker_id);
  spread_metadata();
  return error;
}

}  // namespace fencepost::minibroker
