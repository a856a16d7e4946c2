// A whole Kafka cluster as one deterministic state machine: bytes and the time go in; bytes, events
// and the next deadline come out. It reads no clock and does no I/O; whoever drives it (a test, the
// scenario engine, the TCP server) owns time and sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/events.h"
#include "minibroker/settings.h"
#include "minibroker/sim/fault_plan.h"
#include "protocol/base/bytes.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker {

using ConnectionId = std::int64_t;

// What the cluster wants written to a client's connection.
struct Output {
  ConnectionId connection = 0;
  Frame frame;            // without the length in front
  bool is_close = false;  // close the connection instead; the frame is empty
};

class World;

class Cluster {
 public:
  explicit Cluster(ClusterSettings settings);
  ~Cluster();
  Cluster(Cluster&&) noexcept;
  Cluster& operator=(Cluster&&) noexcept;

  // ---- the five verbs

  // A request frame (without the length in front) from a client's connection.
  void receive(ConnectionId connection, SharedBytes frame, Instant now);
  std::vector<Output> take_output();
  // When the next message arrives or the next timer is due; nothing when nothing is pending.
  std::optional<Instant> next_deadline() const;
  // Handles everything that is due up to `now`, in order of time.
  void advance_to(Instant now);
  std::vector<Event> take_events();

  // ---- connections

  // A new client connection to that broker; `client_address` ("127.0.0.1") appears in answers.
  ConnectionId connect(int broker_id, std::string client_address);
  // The client has gone; requests of it that wait are dropped, what took effect stays.
  void disconnect(ConnectionId connection);

  // ---- the world around the brokers

  // The rules that hold, drop, delay or lose messages, clients' and brokers'.
  sim::FaultPlan& faults();
  // Delivers what `name` holds, in the order it was held. False when nothing is held.
  bool release(const std::string& name, Instant now);
  // How many messages `name` holds now.
  std::size_t held_count(const std::string& name) const;
  // When the next message in flight arrives; timers do not count. Nothing when none is in flight.
  std::optional<Instant> next_arrival() const;

  // Where clients find the brokers; set before the first request.
  void set_advertised(int broker_id, std::string host, int port);
  std::vector<int> broker_ids() const;

  // ---- looking inside, for people and properties

  std::vector<PartitionState> partitions() const;
  std::optional<PartitionState> partition(const std::string& topic, int index) const;
  std::vector<TransactionState> transactions() const;
  std::vector<GroupState> groups() const;
  // Of everything that decides: logs, coordinators, messages in flight.
  std::uint64_t digest() const;

 private:
  std::unique_ptr<World> world_;
};

}  // namespace fencepost::minibroker
