// Brokers, the controller and the network between everybody, moved along one time line. Whatever
// travels, between clients and brokers or between brokers, goes through the same network and the
// same rules.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "minibroker/broker.h"
#include "minibroker/cluster.h"
#include "minibroker/controller.h"
#include "minibroker/sim/fault_plan.h"
#include "minibroker/sim/network.h"

namespace fencepost::minibroker {

class World {
 public:
  explicit World(ClusterSettings settings);

  void receive(ConnectionId connection, SharedBytes frame, Instant now);
  std::vector<Output> take_output() { return std::exchange(output_, {}); }
  std::optional<Instant> next_deadline() const;
  void advance_to(Instant now);
  std::vector<Event> take_events() { return std::exchange(events_, {}); }

  ConnectionId connect(int broker_id, std::string client_address);
  void disconnect(ConnectionId connection);

  sim::FaultPlan& faults() { return faults_; }
  bool release(const std::string& name, Instant now);
  const sim::Network& network() const { return network_; }
  void set_advertised(int broker_id, std::string host, int port);

  std::vector<int> broker_ids() const;
  std::vector<PartitionState> partitions() const;
  std::optional<PartitionState> partition(const TopicPartition& partition) const;
  std::vector<TransactionState> transactions() const;
  std::vector<GroupState> groups() const;
  std::uint64_t digest() const;

 private:
  // Both ends of a connection; a client's has no from_broker.
  struct Connection {
    int from_broker = -1;
    int to_broker = -1;
    bool is_open = true;
  };
  // What is to happen to an answer: a rule took its request.
  struct AnswerFault {
    sim::FaultAction action = sim::FaultAction::lose_reply;
    std::string name;
    bool is_first_delivered = false;  // duplicate: the first answer goes out
  };
  using Correlation = std::pair<ConnectionId, std::int32_t>;

  void send(sim::Message message);
  void send_by_rule(sim::Message message, const sim::MessageFacts& facts);
  void deliver(sim::Message message);
  void deliver_to_client(sim::Message message);
  void collect(int broker_id);
  void send_answer(int broker_id, BrokerAnswer answer);
  void send_request(int broker_id, BrokerRequest request);
  ConnectionId broker_connection(int from, int to, Purpose purpose);
  void spread_metadata();
  void note(std::string text);

  ClusterSettings settings_;
  Instant now_;
  Controller controller_;
  std::map<int, Broker> brokers_;
  sim::Network network_;
  sim::FaultPlan faults_;
  std::map<ConnectionId, Connection> connections_;
  std::map<std::tuple<int, int, Purpose>, ConnectionId> broker_connections_;
  std::map<Correlation, AnswerFault> answer_faults_;
  ConnectionId last_connection_ = 0;
  std::int64_t spread_version_ = -1;
  std::vector<Output> output_;
  std::vector<Event> events_;
};

}  // namespace fencepost::minibroker
