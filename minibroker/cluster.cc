#include "minibroker/cluster.h"

#include "minibroker/world.h"

namespace fencepost::minibroker {

Cluster::Cluster(ClusterSettings settings) : world_(std::make_unique<World>(std::move(settings))) {}
Cluster::~Cluster() = default;
Cluster::Cluster(Cluster&&) noexcept = default;
Cluster& Cluster::operator=(Cluster&&) noexcept = default;

void Cluster::receive(ConnectionId connection, SharedBytes frame, Instant now) {
  world_->receive(connection, std::move(frame), now);
}
std::vector<Output> Cluster::take_output() {
  return world_->take_output();
}
std::optional<Instant> Cluster::next_deadline() const {
  return world_->next_deadline();
}
void Cluster::advance_to(Instant now) {
  world_->advance_to(now);
}
std::vector<Event> Cluster::take_events() {
  return world_->take_events();
}

ConnectionId Cluster::connect(int broker_id, std::string client_address) {
  return world_->connect(broker_id, std::move(client_address));
}
void Cluster::disconnect(ConnectionId connection) {
  world_->disconnect(connection);
}

sim::FaultPlan& Cluster::faults() {
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

void Cluster::set_advertised(int broker_id, std::string host, int port) {
  world_->set_advertised(broker_id, std::move(host), port);
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
std::vector<TransactionState> Cluster::transactions() const {
  return world_->transactions();
}
std::vector<GroupState> Cluster::groups() const {
  return world_->groups();
}
std::uint64_t Cluster::digest() const {
  return world_->digest();
}

}  // namespace fencepost::minibroker
