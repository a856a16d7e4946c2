// Brokers, the controller and the network between everybody, moved along one time line. Whatever
// travels, between clients and brokers or between brokers, goes through the same network and the
// same rules. A plain value.
//
//   time, looking inside                         world.cc
//   messages, connections, rules                 world_messages.cc
//   crashes, pauses, links, elections            world_nodes.cc
#pragma once

#include <deque>
#include <map>
#include <memory>
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
  // Goes on with what is left of a cluster, if there is something; its logs are taken out of it.
  explicit World(ClusterSettings settings, SurvivingCluster* survivors = nullptr);

  void receive(ConnectionId connection, SharedBytes frame, Instant now);
  std::vector<Output> take_output() { return std::exchange(output_, {}); }
  std::optional<Instant> next_deadline() const;
  // Handles what is due first, up to `now`; false when nothing is.
  bool step(Instant now);
  void advance_to(Instant now);
  Instant now() const { return now_; }
  std::vector<Event> take_events() { return std::exchange(events_, {}); }

  ConnectionId connect(int broker_id, security::Origin origin);
  void disconnect(ConnectionId connection);
  std::size_t waiting_bytes(ConnectionId connection) const;
  bool has_to_authenticate(ConnectionId connection) const;

  sim::FaultPlan& faults() { return faults_; }
  bool release(const std::string& name, Instant now);
  const sim::FaultPlan& faults() const { return faults_; }
  const sim::Network& network() const { return network_; }
  const sim::Links& links() const { return links_; }
  sim::CutPlan& cuts() { return cuts_; }
  const ClusterSettings& settings() const { return settings_; }

  // ---- for its files
  Controller& controller() { return controller_; }
  Replicas& replicas(int broker_id) { return nodes_.at(broker_id).broker.replicas(); }
  const Replicas& replicas(int broker_id) const { return nodes_.at(broker_id).broker.replicas(); }

  // ---- world_nodes.cc; what each does is said in cluster.h
  bool crash(int broker_id, sim::Unsynced unsynced, Instant now);
  bool restart(int broker_id, Instant now);
  bool pause(int broker_id, Instant now);
  bool resume(int broker_id, Instant now);
  bool sync(int broker_id);
  bool truncate(int broker_id, const TopicPartition& partition, std::int64_t offset);
  std::vector<BrokerState> broker_states() const;
  void cut(const sim::Party& one, const sim::Party& other, Instant now);
  bool heal(const sim::Party& one, const sim::Party& other, Instant now);
  void heal_all(Instant now);
  void slow(const sim::Party& one, const sim::Party& other, Duration latency);
  protocol::ErrorCode elect(const TopicPartition& partition, Election kind, int broker_id,
                            Instant now);

  void set_advertised(int broker_id, const std::string& listener, Endpoint endpoint);

  std::vector<int> broker_ids() const;
  std::vector<PartitionState> partitions() const;
  std::optional<PartitionState> partition(const TopicPartition& partition) const;
  std::vector<ProducerState> producers(const TopicPartition& partition) const;
  std::vector<TransactionState> transactions() const;
  std::vector<GroupState> groups() const;
  std::uint64_t digest() const;
  std::uint64_t disk_digest() const;

 private:
  // As the leader has it; nullptr without one, or when it has not been told yet.
  const PartitionLog* leader_log(const TopicPartition& partition) const;
  // Both ends of a connection; a client's has no from_broker.
  struct Connection {
    int from_broker = -1;
    int to_broker = -1;
    bool is_open = true;
    // The process at that end is not the one that made the connection.
    bool is_sender_gone = false;
    bool is_receiver_gone = false;
    std::string client_id = {};  // of a client, once it has sent a request
    bool is_anonymous = true;    // what comes after its end is anybody's, and still handled
  };
  // A broker, and how it stands to the rest of the world.
  struct Node {
    Broker broker;
    NodeState state = NodeState::up;
    std::deque<sim::Message> waiting = {};               // while it is paused
    std::shared_ptr<const MetadataImage> metadata = {};  // what the controller has told it
    std::optional<Instant> told_at = {};                 // when it hears of the newest
    bool is_registered = true;                           // in this life
  };
  // What is to happen to an answer: a rule took its request.
  struct AnswerFault {
    sim::FaultAction action = sim::FaultAction::lose_reply;
    std::string name;
    bool is_first_delivered = false;  // duplicate: the first answer goes out
  };
  using Correlation = std::pair<ConnectionId, std::int32_t>;

  // ---- world_nodes.cc
  Turn turn_of(Node& node);
  Node* find(int broker_id);
  bool reaches_controller(int broker_id, const Node& node) const;
  void follow_contact();
  void stop(int broker_id, Node& node, sim::Unsynced unsynced);
  void break_connections(int broker_id);
  void send_stalled();

  // ---- world_messages.cc
  sim::Party sender_of(const sim::Message& message) const;
  sim::Party receiver_of(const sim::Message& message) const;
  void travel(sim::Message message, Duration more = {});
  void answer_with_error(const sim::Message& request, const sim::FaultRule& rule);
  void close(const sim::Message& request);
  void deliver_to_broker(sim::Message message);
  void refuse(const sim::Message& message);
  void send(sim::Message message);
  void send_by_rule(sim::Message message, const sim::MessageFacts& facts);
  void deliver(sim::Message message);
  void deliver_to_client(sim::Message message);
  void collect(int broker_id);
  void send_answer(int broker_id, BrokerAnswer answer);
  void send_request(int broker_id, BrokerRequest request);
  ConnectionId broker_connection(int from, int to, Purpose purpose);
  void spread_metadata();
  void run_timers();
  void note(std::string text);

  ClusterSettings settings_;
  Instant now_;
  Controller controller_;
  std::map<int, Node> nodes_;
  sim::Network network_;
  sim::FaultPlan faults_;
  sim::Links links_;
  sim::CutPlan cuts_;
  std::map<ConnectionId, Connection> connections_;
  std::map<std::tuple<int, int, Purpose>, ConnectionId> broker_connections_;
  std::map<Correlation, AnswerFault> answer_faults_;
  ConnectionId last_connection_ = 0;
  std::vector<Output> output_;
  std::vector<Event> events_;
};

}  // namespace fencepost::minibroker
