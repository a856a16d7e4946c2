#include "minibroker/world.h"

#include <algorithm>

#include "minibroker/message_facts.h"

namespace fencepost::minibroker {

using sim::FaultAction;
using sim::Message;
using sim::MessageKind;

World::World(ClusterSettings settings)
    : settings_(std::move(settings)), now_(settings_.start), controller_(settings_) {
  for (int id = 1; id <= settings_.broker_count; ++id) brokers_.emplace(id, Broker(id, settings_));
  spread_metadata();
}

// ---- connections

ConnectionId World::connect(int broker_id, std::string client_address) {
  const ConnectionId id = ++last_connection_;
  connections_[id] = {-1, broker_id, true};
  brokers_.at(broker_id).connect(id, std::move(client_address));
  return id;
}

void World::disconnect(ConnectionId connection) {
  const auto found = connections_.find(connection);
  if (found == connections_.end() || !found->second.is_open) return;
  found->second.is_open = false;
  brokers_.at(found->second.to_broker).disconnect(connection);
}

ConnectionId World::broker_connection(int from, int to, Purpose purpose) {
  ConnectionId& id = broker_connections_[{from, to, purpose}];
  if (id == 0) {
    id = ++last_connection_;
    connections_[id] = {from, to, true};
    brokers_.at(to).connect(id, "127.0.0.1");
  }
  return id;
}

// ---- what travels

void World::receive(ConnectionId connection, SharedBytes frame, Instant now) {
  const auto found = connections_.find(connection);
  if (found == connections_.end() || !found->second.is_open) return;
  now_ = std::max(now_, now);
  const std::int32_t correlation_id = correlation_id_of(frame);
  send({MessageKind::request, connection, found->second.to_broker, correlation_id,
        Frame(std::move(frame))});
  advance_to(now_);
}

void World::send(Message message) {
  if (message.kind != MessageKind::request || faults_.rules().empty())
    return network_.send(std::move(message), now_ + settings_.latency);
  sim::MessageFacts facts = facts_of(message.frame.flatten());
  facts.from_broker = connections_.at(message.connection).from_broker;
  facts.to_broker = message.to_broker;
  send_by_rule(std::move(message), facts);
}

void World::send_by_rule(Message message, const sim::MessageFacts& facts) {
  const std::optional<sim::FaultRule> rule = faults_.take(facts);
  const Instant arrival = now_ + settings_.latency;
  if (!rule) return network_.send(std::move(message), arrival);
  const Correlation correlation{message.connection, message.correlation_id};
  const std::string what = std::string(to_string(facts.api_key)) + " \"" + rule->name + "\"";
  switch (rule->action) {
    case FaultAction::hold:
      note("held: " + what);
      return network_.hold(rule->name, std::move(message));
    case FaultAction::drop:
      return note("dropped: " + what);
    case FaultAction::delay:
      note("delayed: " + what);
      return network_.send(std::move(message), arrival + rule->delay);
    case FaultAction::lose_reply:
    case FaultAction::hold_reply:
      answer_faults_[correlation] = {rule->action, rule->name, false};
      return network_.send(std::move(message), arrival);
    case FaultAction::duplicate:
      note("duplicated: " + what);
      answer_faults_[correlation] = {rule->action, rule->name, false};
      network_.send(message, arrival);
      return network_.send(std::move(message), arrival);
  }
}

bool World::release(const std::string& name, Instant now) {
  now_ = std::max(now_, now);
  std::vector<Message> messages = network_.release(name);
  for (Message& message : messages) network_.send(std::move(message), now_ + settings_.latency);
  return !messages.empty();
}

void World::deliver(Message message) {
  if (message.to_broker < 0) return deliver_to_client(std::move(message));
  Broker& broker = brokers_.at(message.to_broker);
  Turn turn{controller_, now_};
  if (message.kind == MessageKind::request) {
    broker.receive(turn, message.connection, message.frame.flatten());
  } else {
    std::optional<SharedBytes> body;
    if (message.kind == MessageKind::response) body = message.frame.flatten();
    broker.receive_answer(turn, static_cast<std::uint64_t>(message.correlation_id), body);
  }
  collect(message.to_broker);
  spread_metadata();
}

void World::deliver_to_client(Message message) {
  const auto found = connections_.find(message.connection);
  if (found == connections_.end() || !found->second.is_open) return;
  const bool is_close = message.kind == MessageKind::close;
  if (is_close) disconnect(message.connection);
  output_.push_back({message.connection, std::move(message.frame), is_close});
}

// Sends what a broker wants to say, until it has nothing more to say.
void World::collect(int broker_id) {
  Broker& broker = brokers_.at(broker_id);
  for (BrokerAnswer& answer : broker.take_answers()) send_answer(broker_id, std::move(answer));
  for (BrokerRequest& request : broker.take_requests()) send_request(broker_id, std::move(request));
}

void World::send_answer(int broker_id, BrokerAnswer answer) {
  const auto connection = connections_.find(answer.connection);
  if (connection == connections_.end()) return;
  const int to_broker = connection->second.from_broker;
  Message message{answer.is_close ? MessageKind::close : MessageKind::response,
                  answer.connection,
                  to_broker,
                  answer.correlation_id,
                  {}};
  if (to_broker < 0) message.frame.append(answer.header);
  message.frame.append(answer.body);
  const auto fault = answer_faults_.find({answer.connection, answer.correlation_id});
  if (fault == answer_faults_.end()) return send(std::move(message));
  switch (fault->second.action) {
    case FaultAction::hold_reply:
      note("held the answer of broker " + std::to_string(broker_id) + ": \"" + fault->second.name +
           "\"");
      network_.hold(fault->second.name, std::move(message));
      break;
    case FaultAction::lose_reply:
      note("lost the answer of broker " + std::to_string(broker_id) + ": \"" + fault->second.name +
           "\"");
      message.kind = MessageKind::close;
      message.frame = {};
      send(std::move(message));
      break;
    default:
      if (!fault->second.is_first_delivered) {
        fault->second.is_first_delivered = true;
        return send(std::move(message));
      }
      break;
  }
  answer_faults_.erase(fault);
}

void World::send_request(int broker_id, BrokerRequest request) {
  const ConnectionId connection = broker_connection(broker_id, request.to_broker, request.purpose);
  send({MessageKind::request, connection, request.to_broker,
        static_cast<std::int32_t>(request.token), broker_request_frame(request, broker_id)});
}

void World::spread_metadata() {
  while (spread_version_ != controller_.version()) {
    spread_version_ = controller_.version();
    for (auto& [id, broker] : brokers_) {
      Turn turn{controller_, now_};
      broker.apply_metadata(turn);
      collect(id);
    }
  }
}

// ---- time

std::optional<Instant> World::next_deadline() const {
  std::optional<Instant> next = network_.next_arrival();
  for (const auto& [id, broker] : brokers_) {
    const std::optional<Instant> deadline = broker.next_deadline();
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

void World::advance_to(Instant now) {
  for (std::optional<Instant> next = next_deadline(); next && *next <= now;
       next = next_deadline()) {
    now_ = std::max(now_, *next);
    const std::optional<Instant> arrival = network_.next_arrival();
    if (arrival && *arrival <= now_) {
      deliver(network_.take_next());
      continue;
    }
    for (auto& [id, broker] : brokers_) {
      const std::optional<Instant> deadline = broker.next_deadline();
      if (!deadline || *deadline > now_) continue;
      Turn turn{controller_, now_};
      broker.advance(turn);
      collect(id);
    }
    spread_metadata();
  }
  now_ = std::max(now_, now);
}

void World::note(std::string text) {
  events_.push_back({now_, std::move(text)});
}

// ---- looking inside

void World::set_advertised(int broker_id, std::string host, int port) {
  controller_.set_address(broker_id, std::move(host), port);
}

std::vector<int> World::broker_ids() const {
  std::vector<int> ids;
  for (const auto& [id, broker] : brokers_) ids.push_back(id);
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
  if (image->leader_id < 0) return state;
  const PartitionLog& log = brokers_.at(image->leader_id).replicas().all().at(partition).log;
  state.log_start_offset = log.log_start_offset();
  state.last_stable_offset = log.last_stable_offset();
  state.high_watermark = log.high_watermark();
  state.log_end_offset = log.log_end_offset();
  state.batches = log.summarize();
  return state;
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
  for (const auto& [id, broker] : brokers_)
    std::ranges::move(broker.transactions().states(), std::back_inserter(states));
  return states;
}

std::vector<GroupState> World::groups() const {
  std::vector<GroupState> states;
  for (const auto& [id, broker] : brokers_)
    std::ranges::move(broker.groups().states(), std::back_inserter(states));
  return states;
}

std::uint64_t World::digest() const {
  Digest digest;
  controller_.add_to(digest);
  for (const auto& [id, broker] : brokers_) broker.add_to(digest);
  network_.add_to(digest);
  return digest.value();
}

}  // namespace fencepost::minibroker
