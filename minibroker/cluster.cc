#include "minibroker/cluster.h"

#include "minibroker/disk/cluster_files.h"
#include "minibroker/world.h"

namespace fencepost::minibroker {

Cluster::Cluster(ClusterSettings settings) : world_(std::make_unique<World>(std::move(settings))) {}
Cluster::~Cluster() = default;
Cluster::Cluster(const Cluster& other) : world_(std::make_unique<World>(*other.world_)) {}
Cluster& Cluster::operator=(const Cluster& other) {
  if (this == &other) return *this;
  world_ = std::make_unique<World>(*other.world_);
  files_.reset();
  return *this;
}
Cluster::Cluster(Cluster&&) noexcept = default;
Cluster& Cluster::operator=(Cluster&&) noexcept = default;

void Cluster::receive(ConnectionId connection, SharedBytes frame, Instant now) {
  world_->receive(connection, std::move(frame), now);
  advance_to(world_->now());
}
std::vector<Output> Cluster::take_output() {
  return world_->take_output();
}
std::optional<Instant> Cluster::next_deadline() const {
  return world_->next_deadline();
}
// With disks, step by step: what a step has written is nowhere without what earlier ones have.
void Cluster::advance_to(Instant now) {
  if (!files_) return world_->advance_to(now);
  while (world_->step(now)) write();
  world_->advance_to(now);
}
std::vector<Event> Cluster::take_events() {
  return world_->take_events();
}

// ---- disks

Cluster::Cluster(std::unique_ptr<World> world) : world_(std::move(world)) {}

Result<Cluster> Cluster::open(ClusterSettings settings, const Disks& disks,
                              std::vector<std::string>& notes) {
  std::optional<SurvivingCluster> survivors;
  Result<ClusterFiles> files = ClusterFiles::open(disks, settings, survivors, notes);
  if (!files) return files.error();
  Cluster cluster(std::make_unique<World>(std::move(settings), survivors ? &*survivors : nullptr));
  for (int id : cluster.broker_ids()) cluster.world_->replicas(id).follow_changes();
  cluster.files_ = std::make_unique<ClusterFiles>(std::move(*files));
  return cluster;
}

void Cluster::write() {
  if (files_) files_->write(*world_, world_->now());
}
Result<void> Cluster::flush() {
  if (!files_) return {};
  write();
  return files_->flush();
}
Result<void> Cluster::sync() {
  if (!files_) return {};
  write();
  return files_->sync();
}
void Cluster::write_checkpoints() {
  if (files_) files_->write_checkpoints(*world_);
}
void Cluster::close() {
  write();
  if (files_) files_->close(*world_);
}

// ---- connections

ConnectionId Cluster::connect(int broker_id, std::string client_address) {
  security::Origin origin;
  origin.address = std::move(client_address);
  return world_->connect(broker_id, std::move(origin));
}
ConnectionId Cluster::connect(int broker_id, security::Origin origin) {
  return world_->connect(broker_id, std::move(origin));
}
void Cluster::disconnect(ConnectionId connection) {
  world_->disconnect(connection);
}

std::size_t Cluster::waiting_bytes(ConnectionId connection) const {
  return world_->waiting_bytes(connection);
}

bool Cluster::has_to_authenticate(ConnectionId connection) const {
  return world_->has_to_authenticate(connection);
}

sim::FaultPlan& Cluster::faults() {
  return world_->faults();
}
const sim::FaultPlan& Cluster::faults() const {
  return world_->faults();
}
bool Cluster::release(const std::string& name, Instant now) {
  return world_->release(name, now);
}
std::size_t Cluster::held_count(const std::string& name) const {
  return world_->network().held_count(name);
}
std::optional<Instant> Cluster::next_arrival() const {
  return world_->network().next_arrival();
}

bool Cluster::crash(int broker_id, sim::Unsynced unsynced, Instant now) {
  return world_->crash(broker_id, unsynced, now);
}
bool Cluster::restart(int broker_id, Instant now) {
  return world_->restart(broker_id, now);
}
bool Cluster::pause(int broker_id, Instant now) {
  return world_->pause(broker_id, now);
}
bool Cluster::resume(int broker_id, Instant now) {
  return world_->resume(broker_id, now);
}
bool Cluster::sync(int broker_id) {
  return world_->sync(broker_id);
}
bool Cluster::truncate(int broker_id, const std::string& topic, int partition,
                       std::int64_t offset) {
  return world_->truncate(broker_id, {topic, partition}, offset);
}
std::vector<BrokerState> Cluster::brokers() const {
  return world_->broker_states();
}

void Cluster::cut(const sim::Party& one, const sim::Party& other, Instant now) {
  world_->cut(one, other, now);
}
bool Cluster::heal(const sim::Party& one, const sim::Party& other, Instant now) {
  return world_->heal(one, other, now);
}
void Cluster::heal_all(Instant now) {
  world_->heal_all(now);
}
void Cluster::slow(const sim::Party& one, const sim::Party& other, Duration latency) {
  world_->slow(one, other, latency);
}
const sim::Links& Cluster::links() const {
  return world_->links();
}

protocol::ErrorCode Cluster::elect(const std::string& topic, int partition, Election kind,
                                   int broker_id, Instant now) {
  return world_->elect({topic, partition}, kind, broker_id, now);
}
protocol::ErrorCode Cluster::move_coordinator(CoordinatorType type, const std::string& key,
                                              int broker_id, Instant now) {
  const std::string topic =
      type == CoordinatorType::transaction ? transaction_state_topic : consumer_offsets_topic;
  return elect(topic, coordinator_partition(type, key), Election::clean, broker_id, now);
}
int Cluster::coordinator_partition(CoordinatorType type, const std::string& key) const {
  return minibroker::coordinator_partition(
      key, type == CoordinatorType::transaction
               ? world_->settings().transaction_state_log_num_partitions
               : world_->settings().offsets_topic_num_partitions);
}

std::uint64_t Cluster::crash_at(sim::Cut cut) {
  return world_->cuts().add(std::move(cut));
}
bool Cluster::cancel_crash(std::uint64_t id) {
  return world_->cuts().remove(id);
}
bool Cluster::has_planned_crashes() const {
  return !world_->cuts().empty();
}
void Cluster::note_moments() {
  world_->cuts().note_moments();
}
std::vector<sim::Moment> Cluster::take_moments() {
  return world_->cuts().take_moments();
}

void Cluster::set_advertised(int broker_id, std::string host, int port,
                             const std::string& listener) {
  world_->set_advertised(broker_id, listener, {std::move(host), port});
}
std::vector<int> Cluster::broker_ids() const {
  return world_->broker_ids();
}

std::vector<PartitionState> Cluster::partitions() const {
  return world_->partitions();
}
std::optional<PartitionState> Cluster::partition(const std::string& topic, int index) const {
  return world_->partition({topic, index});
}
std::vector<ProducerState> Cluster::producers(const std::string& topic, int index) const {
  return world_->producers({topic, index});
}
std::vector<TransactionState> Cluster::transactions() const {
  return world_->transactions();
}
std::vector<GroupState> Cluster::groups() const {
  return world_->groups();
}
std::uint64_t Cluster::digest() const {
  return world_->digest();
}
std::uint64_t Cluster::disk_digest() const {
  return world_->disk_digest();
}

}  // namespace fencepost::minibroker
