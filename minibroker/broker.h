// One broker: it takes frames apart, hands requests to their handlers in order, and carries out
// what the replicas and coordinators want done. A plain value without I/O; other brokers are
// reached by requests that go out over the simulated network.
//
//   What                                              File
//   connections, the order of requests, answers       broker.cc
//   from frame to handler                             handlers/dispatch.cc
//   one request                                       handlers/<api>.cc
//   what the coordinators ask for, settled in a loop  broker_settle.cc
//   requests to other brokers and their answers       broker_requests.cc
//   fetches of a follower, truncation                 broker_replication.cc
//   crash, loading of coordinators, cut points        broker_lifecycle.cc
//   replicas, high watermark, waits for replication   replicas.cc
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/controller_view.h"
#include "minibroker/group/coordinator.h"
#include "minibroker/log_maintenance.h"
#include "minibroker/operations.h"
#include "minibroker/replicas.h"
#include "minibroker/security/sasl_exchange.h"
#include "minibroker/sim/cut_points.h"
#include "minibroker/transaction/coordinator.h"

namespace fencepost::minibroker {

// What every step of a broker is given: the time, the controller as the broker knows it, and the
// crashes that wait for a moment of its work.
struct Turn {
  ControllerView controller;
  Instant now;
  sim::CutPlan& cuts;
};

struct BrokerAnswer {
  std::int64_t connection = 0;
  std::int32_t correlation_id = 0;
  Frame header;
  Frame body;
  bool is_close = false;  // the connection is to be closed instead
};

class Broker {
 public:
  Broker(int id, const ClusterSettings& settings);

  // ---- driven by the cluster

  void connect(std::int64_t connection, security::Origin origin);
  void disconnect(std::int64_t connection);
  void receive(Turn& turn, std::int64_t connection, SharedBytes frame);
  // The answer to a BrokerRequest; nothing when it was lost with its connection.
  void receive_answer(Turn& turn, std::uint64_t token, const std::optional<SharedBytes>& body);
  // Follows what the controller has changed.
  void apply_metadata(Turn& turn);
  // Another broker has gone: what was asked of it gets no answer.
  void lose_peer(Turn& turn, int broker_id);
  std::optional<Instant> next_deadline() const;
  void advance(Turn& turn);

  // ---- crashes (broker_lifecycle.cc)

  // What a crash leaves: the logs, without their unsynced ends when `unsynced` says so.
  void crash(sim::Unsynced unsynced);
  // The process starts; it leads nothing until it is told to.
  void start(Instant now);
  // A step of this broker is at that moment ("before", "prepare_commit"). When a crash waits there,
  // the state of now is what the crash leaves; the rest of the step comes to nothing.
  void reach(Turn& turn, std::string_view moment, std::string_view step, std::string_view subject);
  bool is_cut() const { return cut_.has_value(); }
  // Goes back to the moment of the cut.
  void roll_back_to_cut();
  // Everything in the logs is on disk.
  void sync() { replicas_.sync(); }

  std::vector<BrokerAnswer> take_answers() { return std::exchange(answers_, {}); }
  std::vector<BrokerRequest> take_requests() { return std::exchange(requests_, {}); }

  // ---- for the handlers

  int id() const { return id_; }
  const ClusterSettings& settings() const { return settings_; }
  const Era& era() const { return settings_.era; }
  Replicas& replicas() { return replicas_; }
  transaction::TransactionCoordinator& transactions() { return transactions_; }
  // Whoever takes it so may move its next deadline.
  GroupCoordinator& groups() {
    group_deadline_.reset();
    return groups_;
  }
  FetchSessions& fetch_sessions() { return fetch_sessions_; }

  // Bytes of the connection's requests that wait for an earlier one.
  std::size_t waiting_bytes(std::int64_t connection) const;
  // Null where nobody authenticates by SASL; valid until the connection is closed.
  security::SaslSession* sasl_session(std::int64_t connection);
  // From now on the connection's requests are this user's.
  void authenticate(std::int64_t connection, std::string principal);
  bool has_to_authenticate(std::int64_t connection) const;
  std::string next_nonce();
  // Bytes that are no answer to a request: a SASL token as old clients want it.
  void send_raw(const RequestContext& request, const SharedBytes& bytes);

  template <class Response>
  void reply(const RequestContext& request, const Response& response) {
    send(make_reply(request, response));
  }
  void send(Reply reply);
  // A request that gets no answer (acks=0) is over.
  void finish_silently(const RequestContext& request);
  // The request is never answered, and nothing that its connection sends after it is handled.
  void leave_unanswered(const RequestContext& request);
  void close(const RequestContext& request);

  std::map<OperationId, ProduceOperation>& produces() { return produces_; }
  std::map<OperationId, FetchOperation>& fetches() { return fetches_; }
  std::map<OperationId, MarkerOperation>& markers() { return markers_; }
  std::map<OperationId, OffsetCommitOperation>& offset_commits() { return offset_commits_; }
  OperationId next_operation() { return ++last_operation_; }
  // Calls resume() of the operation's handler at that time.
  void resume_at(Instant when, OperationId operation) { resumes_.emplace(when, operation); }

  // Asks the coordinator of that transactional.id about (verify), or for (add), partitions of its
  // transaction. COORDINATOR_NOT_AVAILABLE when there is none; nothing was sent then.
  struct Verification {
    std::string transactional_id;
    std::int64_t producer_id = -1;
    std::int16_t producer_epoch = -1;
    std::vector<TopicPartition> partitions;
    bool is_verify_only = true;
  };
  protocol::ErrorCode send_verification(Turn& turn, const Verification& question, SentRequest sent);

  const Replicas& replicas() const { return replicas_; }
  const transaction::TransactionCoordinator& transactions() const { return transactions_; }
  const GroupCoordinator& groups() const { return groups_; }
  void add_to(Digest& digest) const;

 private:
  struct Connection {
    std::shared_ptr<const security::Identity> identity;
    std::optional<security::SaslSession> sasl;
    std::size_t waiting_bytes = 0;
    std::deque<SharedBytes> waiting;  // Kafka handles one request of a connection at a time
    bool is_busy = false;
    bool is_stuck = false;  // busy for ever
    bool is_gone = false;   // the client has left; what it has sent is still handled
  };
  // A request to another broker that is not answered yet.
  struct Sent {
    SentRequest what;
    int to_broker = 0;
    Instant deadline;
  };
  // A coordinator's log that is being read.
  struct Load {
    Instant done;
    std::int32_t leader_epoch = 0;
  };
  // What there was at the moment of a cut.
  struct CutState {
    Replicas replicas;
    std::size_t answer_count = 0;
    std::size_t request_count = 0;
  };

  // broker.cc
  void follow_settings(const MetadataImage& image);
  void handle_ready(Turn& turn);
  void finish(std::int64_t connection);

  // broker_settle.cc
  void settle(Turn& turn);
  bool settle_coordinators(Turn& turn);
  bool settle_waits(Turn& turn);
  void carry_out(Turn& turn, LogWrite write, bool is_transaction_log);
  void wake_fetches(Turn& turn);
  void maintain_logs(Turn& turn);
  void resume(Turn& turn, OperationId operation);
  void follow_roles(Turn& turn, const std::vector<RoleChange>& changes);

  // broker_requests.cc
  std::uint64_t request_from(Instant now, int to_broker, Purpose purpose, protocol::ApiKey key,
                             std::int16_t version, Frame body, SentRequest sent);
  void send_markers(Turn& turn, std::vector<transaction::MarkerRequest> markers);
  void take_marker_answer(Turn& turn, const MarkersSent& sent, const SharedBytes* body);

  // broker_replication.cc
  void start_replica_fetches(Instant now);
  void fetch_from(Instant now, int leader_id);
  void take_replica_fetch(Instant now, int leader_id, const SharedBytes* body);
  void retry_replica_fetches(Instant now);
  void give_up(Turn& turn, const std::vector<std::uint64_t>& tokens);

  // broker_lifecycle.cc
  void begin_load(const RoleChange& change, Instant now);
  void load(const TopicPartition& partition, std::int32_t leader_epoch, Instant now);
  void load_due(Instant now);

  int id_;
  ClusterSettings settings_;
  Random nonces_;
  Replicas replicas_;
  transaction::TransactionCoordinator transactions_;
  GroupCoordinator groups_;
  // Groups are many, and steps that touch none more still: kept until one may have changed.
  mutable std::optional<std::optional<Instant>> group_deadline_;
  FetchSessions fetch_sessions_;
  LogMaintenance maintenance_;
  std::int64_t metadata_version_ = -1;
  std::int64_t settings_version_ = 0;

  std::map<std::int64_t, Connection> connections_;
  std::deque<std::int64_t> ready_;  // connections with a request to handle

  OperationId last_operation_ = 0;
  std::map<OperationId, ProduceOperation> produces_;
  std::map<OperationId, FetchOperation> fetches_;
  std::map<OperationId, MarkerOperation> markers_;
  std::map<OperationId, OffsetCommitOperation> offset_commits_;
  std::multimap<Instant, OperationId> resumes_;

  std::uint64_t last_token_ = 0;
  std::map<std::uint64_t, Sent> sent_;
  std::map<int, std::uint64_t> replica_fetches_;      // the one under way, by leader
  std::map<TopicPartition, Instant> fetch_backoffs_;  // not fetched again before

  std::map<TopicPartition, Load> loads_;

  std::vector<BrokerAnswer> answers_;
  std::vector<BrokerRequest> requests_;

  int life_ = 0;  // how often it has started
  std::optional<CutState> cut_;
};

}  // namespace fencepost::minibroker
