// A whole Kafka cluster as one deterministic state machine: bytes and the time go in; bytes, events
// and the next deadline come out. It reads no clock and does no I/O; whoever drives it (a test, the
// scenario engine, the TCP server) owns time and sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/controller.h"
#include "minibroker/events.h"
#include "minibroker/log/storage.h"
#include "minibroker/security/identity.h"
#include "minibroker/settings.h"
#include "minibroker/sim/cut_points.h"
#include "minibroker/sim/fault_plan.h"
#include "minibroker/sim/links.h"
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

// Where a broker is in its life.
enum class NodeState {
  up,
  starting,  // restarted, and not let in by the controller yet; it refuses connections
  paused,    // stopped in the middle: it keeps all it knows, hears nothing and answers nothing
  down,      // crashed: its disk is all there is
};

struct BrokerState {
  int id = 0;
  NodeState state = NodeState::up;
  bool is_fenced = false;             // its session with the controller has ended
  std::int64_t metadata_version = 0;  // of what the controller has told it
  bool operator==(const BrokerState&) const = default;
};

// A producer as a partition's leader remembers it.
struct ProducerState {
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t coordinator_epoch = -1;  // of the last marker; -1: none yet
  std::int32_t last_sequence = -1;
  std::int64_t last_timestamp = -1;                      // milliseconds since the Unix epoch
  std::optional<std::int64_t> transaction_start_offset;  // of the open transaction
};

// Of what a coordinator is in charge.
enum class CoordinatorType { transaction, group };

class ClusterFiles;
class World;

// A plain value: a copy is a second cluster with the same past, for a few microseconds and some
// kilobytes, because what has been written is shared. A copy has no disks.
class Cluster {
 public:
  explicit Cluster(ClusterSettings settings);
  // A cluster that keeps on disks what it has to, and goes on with what is there. `disks` has one
  // for each broker. `notes`: what was repaired or put aside, a line for people each. Errors:
  // malformed, with file and byte, for what is damaged in front of its end or missing;
  // invalid_argument for settings that do not fit what is there; io.
  static Result<Cluster> open(ClusterSettings settings, const Disks& disks,
                              std::vector<std::string>& notes);
  ~Cluster();
  Cluster(const Cluster& other);
  Cluster& operator=(const Cluster& other);
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

  // ---- disks; nothing happens without them

  // What the cluster has done survives the end of the process, or that of the machine. To be called
  // before what it says gets out. Errors: io; nothing is to be said then, and never again.
  Result<void> flush();
  Result<void> sync();
  // After a sync(), now and then: what a start will know to have been on disk.
  void write_checkpoints();
  // The last call, before a last flush() or sync(): what else makes a start quick.
  void close();

  // ---- connections

  // A new client connection to that broker; `client_address` ("127.0.0.1") appears in answers.
  ConnectionId connect(int broker_id, std::string client_address);
  // The same for one that came through a certain listener, or showed a certificate.
  ConnectionId connect(int broker_id, security::Origin origin);
  // The client has gone; requests of it that wait are dropped, what took effect stays.
  void disconnect(ConnectionId connection);
  // Bytes of its requests that wait for an earlier one: a broker answers one at a time.
  std::size_t waiting_bytes(ConnectionId connection) const;
  // Whether it has come through a SASL listener, and nobody knows yet who it is.
  bool has_to_authenticate(ConnectionId connection) const;

  // ---- the world around the brokers

  // The rules that hold, drop, delay or lose messages, clients' and brokers'.
  sim::FaultPlan& faults();
  const sim::FaultPlan& faults() const;
  // Delivers what `name` holds, in the order it was held. False when nothing is held.
  bool release(const std::string& name, Instant now);
  // How many messages `name` holds now.
  std::size_t held_count(const std::string& name) const;
  // When the next message in flight arrives; timers do not count. Nothing when none is in flight.
  std::optional<Instant> next_arrival() const;

  // ---- nodes. Each answers false when there is no such broker or it is not in a state for it.

  // The process dies. Its connections break; its disk stays, without what was never synced when
  // `unsynced` is lost. The controller notices when the session ends (broker.session.timeout.ms).
  bool crash(int broker_id, sim::Unsynced unsynced, Instant now);
  // Starts a crashed broker: logs are read, coordinators load. The controller lets it back when the
  // session of its last life is over.
  bool restart(int broker_id, Instant now);
  // Stops the process; requests to it wait.
  bool pause(int broker_id, Instant now);
  // It goes on where it stopped: first it handles what waited, with what it knew then, and one
  // latency later it hears from the controller.
  bool resume(int broker_id, Instant now);
  // All that the broker has written is on disk.
  bool sync(int broker_id);
  // The end of one replica's log is lost, from that offset on (whole batches). Only while the
  // broker is down: a running one would not know.
  bool truncate(int broker_id, const std::string& topic, int partition, std::int64_t offset);
  std::vector<BrokerState> brokers() const;

  // ---- links, both ways

  // What is sent waits until the link heals. A broker cut off from the controller goes on with what
  // it knows and is fenced when its session ends.
  void cut(const sim::Party& one, const sim::Party& other, Instant now);
  // False when the link was neither cut nor slow.
  bool heal(const sim::Party& one, const sim::Party& other, Instant now);
  void heal_all(Instant now);
  // `latency` one way, instead of the cluster's.
  void slow(const sim::Party& one, const sim::Party& other, Duration latency);
  const sim::Links& links() const;

  // ---- leaders and coordinators

  // `broker_id` -1: the first replica that the kind of election allows. Errors: as
  // Controller::elect(); nothing has changed then.
  protocol::ErrorCode elect(const std::string& topic, int partition, Election kind, int broker_id,
                            Instant now);
  // Moves the coordinator of a transactional.id or group: a clean election of its partition of
  // __transaction_state or __consumer_offsets. Errors: as elect().
  protocol::ErrorCode move_coordinator(CoordinatorType type, const std::string& key, int broker_id,
                                       Instant now);
  // The partition of the internal topic that the id or group belongs to.
  int coordinator_partition(CoordinatorType type, const std::string& key) const;

  // ---- crashes at named moments (sim/cut_points.h)

  // The crash happens once, when the moment comes. The cut's id.
  std::uint64_t crash_at(sim::Cut cut);
  // False when it has happened already.
  bool cancel_crash(std::uint64_t id);
  bool has_planned_crashes() const;
  // From now on the moments that brokers come to are noted; those since the last call.
  void note_moments();
  std::vector<sim::Moment> take_moments();

  // Where clients find the brokers; set before the first request.
  void set_advertised(int broker_id, std::string host, int port,
                      const std::string& listener = security::plaintext_listener);
  std::vector<int> broker_ids() const;

  // ---- looking inside, for people and properties

  std::vector<PartitionState> partitions() const;
  std::optional<PartitionState> partition(const std::string& topic, int index) const;
  // By producer id; empty when the partition has no leader.
  std::vector<ProducerState> producers(const std::string& topic, int index) const;
  std::vector<TransactionState> transactions() const;
  std::vector<GroupState> groups() const;
  // Of everything that decides: logs, coordinators, messages in flight.
  std::uint64_t digest() const;
  // Equal where a power failure of all brokers leaves the same on their disks, beyond what the
  // state of partitions, transactions and groups says.
  std::uint64_t disk_digest() const;

 private:
  explicit Cluster(std::unique_ptr<World> world);
  void write();

  std::unique_ptr<World> world_;
  std::unique_ptr<ClusterFiles> files_;
};

}  // namespace fencepost::minibroker
