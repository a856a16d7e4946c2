// What travels: connections, requests and answers, and the rules that take them on their way.
#include <algorithm>

#include "minibroker/error_answers.h"
#include "minibroker/message_facts.h"
#include "minibroker/world.h"

namespace fencepost::minibroker {

using sim::FaultAction;
using sim::Message;
using sim::MessageKind;
using sim::Party;

// ---- connections

ConnectionId World::connect(int broker_id, security::Origin origin) {
  const ConnectionId id = ++last_connection_;
  Connection& connection = connections_[id];
  connection.to_broker = broker_id;
  Node& node = nodes_.at(broker_id);
  if (node.state == NodeState::down || node.state == NodeState::starting) {
    connection.is_receiver_gone = true;  // refused
    travel({MessageKind::close, id, -1, 0, {}});
    return id;
  }
  connection.is_anonymous =
      !security::uses_sasl(origin.protocol) && origin.principal == security::anonymous;
  node.broker.connect(id, std::move(origin));
  return id;
}

void World::disconnect(ConnectionId connection) {
  const auto found = connections_.find(connection);
  if (found == connections_.end() || !found->second.is_open) return;
  found->second.is_open = false;
  found->second.is_receiver_gone |= !found->second.is_anonymous;
  nodes_.at(found->second.to_broker).broker.disconnect(connection);
}

std::size_t World::waiting_bytes(ConnectionId connection) const {
  const auto found = connections_.find(connection);
  if (found == connections_.end() || found->second.is_receiver_gone) return 0;
  return nodes_.at(found->second.to_broker).broker.waiting_bytes(connection);
}

bool World::has_to_authenticate(ConnectionId connection) const {
  const auto found = connections_.find(connection);
  if (found == connections_.end() || found->second.is_receiver_gone) return false;
  return nodes_.at(found->second.to_broker).broker.has_to_authenticate(connection);
}

ConnectionId World::broker_connection(int from, int to, Purpose purpose) {
  ConnectionId& id = broker_connections_[{from, to, purpose}];
  if (id == 0) {
    id = ++last_connection_;
    connections_[id].from_broker = from;
    connections_[id].to_broker = to;
    security::Origin origin;
    origin.is_broker = true;
    nodes_.at(to).broker.connect(id, std::move(origin));
  }
  return id;
}

// ---- what travels

void World::receive(ConnectionId connection, SharedBytes frame, Instant now) {
  const auto found = connections_.find(connection);
  if (found == connections_.end() || !found->second.is_open) return;
  now_ = std::max(now_, now);
  if (found->second.client_id.empty()) found->second.client_id = client_id_of(frame);
  const std::int32_t correlation_id = correlation_id_of(frame);
  send({MessageKind::request, connection, found->second.to_broker, correlation_id,
        Frame(std::move(frame))});
}

Party World::sender_of(const Message& message) const {
  const Connection& connection = connections_.at(message.connection);
  if (message.kind != MessageKind::request) return Party::broker(connection.to_broker);
  return connection.from_broker < 0 ? Party::client(connection.client_id)
                                    : Party::broker(connection.from_broker);
}

Party World::receiver_of(const Message& message) const {
  const Connection& connection = connections_.at(message.connection);
  if (message.kind == MessageKind::request) return Party::broker(connection.to_broker);
  return connection.from_broker < 0 ? Party::client(connection.client_id)
                                    : Party::broker(connection.from_broker);
}

// On its way, as fast as the link allows; into a cut link it waits.
void World::travel(Message message, Duration more) {
  Duration latency = settings_.latency;
  if (!links_.empty()) {
    const Party from = sender_of(message);
    const Party to = receiver_of(message);
    if (links_.is_cut(from, to)) return network_.stall(std::move(message));
    latency = links_.latency(from, to).value_or(latency);
  }
  network_.send(std::move(message), now_ + latency + more);
}

void World::send(Message message) {
  if (message.kind != MessageKind::request || !faults_.has_active())
    return travel(std::move(message));
  const NamesByNumber names{[this](const Uuid& id) {
                              const TopicImage* topic = controller_.image()->find_topic(id);
                              return topic == nullptr ? std::string() : topic->name;
                            },
                            [this](std::int64_t producer_id) {
                              for (const TransactionState& it : transactions())
                                if (it.producer_id == producer_id) return it.transactional_id;
                              return std::string();
                            }};
  sim::MessageFacts facts = facts_of(message.frame.flatten(), names);
  facts.from_broker = connections_.at(message.connection).from_broker;
  facts.to_broker = message.to_broker;
  send_by_rule(std::move(message), facts);
}

void World::send_by_rule(Message message, const sim::MessageFacts& facts) {
  const std::optional<sim::FaultRule> rule = faults_.take(facts);
  if (!rule) return travel(std::move(message));
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
      return travel(std::move(message), rule->delay);
    case FaultAction::lose_reply:
    case FaultAction::hold_reply:
      answer_faults_[correlation] = {rule->action, rule->name, false};
      return travel(std::move(message));
    case FaultAction::duplicate:
      note("duplicated: " + what);
      answer_faults_[correlation] = {rule->action, rule->name, false};
      travel(message);
      return travel(std::move(message));
    case FaultAction::reorder: {
      const std::string place = "reorder " + std::to_string(rule->id);
      if (network_.held_count(place) == 0) return network_.hold(place, std::move(message));
      note("out of order: " + what);
      travel(std::move(message));
      for (Message& overtaken : network_.release(place)) travel(std::move(overtaken));
      return;
    }
    case FaultAction::error:
      note("answered " + std::string(to_string(rule->error)) + ": " + what);
      return answer_with_error(message, *rule);
    case FaultAction::close:
      note("closed: " + what);
      return close(message);
  }
}

void World::answer_with_error(const Message& request, const sim::FaultRule& rule) {
  const SharedBytes frame = request.frame.flatten();
  std::optional<Frame> body = error_answer(frame, rule.error);
  if (!body) return close(request);
  const int to_broker = connections_.at(request.connection).from_broker;
  Message answer{MessageKind::response, request.connection, to_broker, request.correlation_id, {}};
  if (to_broker < 0) answer.frame.append(answer_header(frame));
  answer.frame.append(*body);
  travel(std::move(answer));
}

void World::close(const Message& request) {
  const int to_broker = connections_.at(request.connection).from_broker;
  travel({MessageKind::close, request.connection, to_broker, request.correlation_id, {}});
}

bool World::release(const std::string& name, Instant now) {
  now_ = std::max(now_, now);
  std::vector<Message> messages = network_.release(name);
  for (Message& message : messages) travel(std::move(message));
  return !messages.empty();
}

void World::deliver(Message message) {
  if (message.to_broker < 0) return deliver_to_client(std::move(message));
  Node& node = nodes_.at(message.to_broker);
  switch (node.state) {
    case NodeState::up:
      return deliver_to_broker(std::move(message));
    case NodeState::paused:
      return node.waiting.push_back(std::move(message));
    case NodeState::starting:
    case NodeState::down:
      return refuse(message);
  }
}

void World::deliver_to_broker(Message message) {
  const auto connection = connections_.find(message.connection);
  if (connection == connections_.end()) return;
  Node& node = nodes_.at(message.to_broker);
  Turn turn = turn_of(node);
  const bool is_request = message.kind == MessageKind::request;
  if (is_request ? connection->second.is_receiver_gone : connection->second.is_sender_gone) return;
  if (is_request) {
    node.broker.receive(turn, message.connection, message.frame.flatten());
  } else {
    std::optional<SharedBytes> body;
    if (message.kind == MessageKind::response) body = message.frame.flatten();
    node.broker.receive_answer(turn, static_cast<std::uint64_t>(message.correlation_id), body);
  }
  collect(message.to_broker);
}

// Nobody listens there: the sender learns it from the machine.
void World::refuse(const Message& message) {
  if (message.kind == MessageKind::request && connections_.contains(message.connection))
    close(message);
}

void World::deliver_to_client(Message message) {
  const auto found = connections_.find(message.connection);
  if (found == connections_.end() || !found->second.is_open) return;
  const bool is_close = message.kind == MessageKind::close;
  if (is_close) disconnect(message.connection);
  output_.push_back({message.connection, std::move(message.frame), is_close});
}

// Sends what a broker wants to say; if it was to crash in this step, only what it said before.
void World::collect(int broker_id) {
  Node& node = nodes_.at(broker_id);
  Broker& broker = node.broker;
  const bool is_cut = broker.is_cut();
  if (is_cut) broker.roll_back_to_cut();
  for (BrokerAnswer& answer : broker.take_answers()) send_answer(broker_id, std::move(answer));
  for (BrokerRequest& request : broker.take_requests()) send_request(broker_id, std::move(request));
  if (!is_cut) return;
  const std::optional<sim::Cut> cut = cuts_.take_reached();
  CHECK(cut.has_value());
  note("broker " + std::to_string(broker_id) + " crashes at " + cut->point);
  stop(broker_id, node, cut->unsynced);
}

void World::send_answer(int broker_id, BrokerAnswer answer) {
  const auto connection = connections_.find(answer.connection);
  if (connection == connections_.end()) return;
  const int to_broker = connection->second.from_broker;
  if (answer.is_close) connection->second.is_receiver_gone |= !connection->second.is_anonymous;
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

}  // namespace fencepost::minibroker
