#include "tests/group_driver.h"

#include <algorithm>

namespace fencepost::tests {

namespace {

client::ClusterClientOptions named(const std::string& name) {
  client::ClusterClientOptions options;
  options.connection.client_id = name;
  options.connection.request_timeout = std::chrono::seconds(5);
  return options;
}

}  // namespace

void Owners::add(const client::TopicPartition& partition, const std::string& name) {
  std::vector<std::string>& names = by_partition[partition];
  if (!names.empty()) ++double_owned;
  names.push_back(name);
}

void Owners::remove(const client::TopicPartition& partition, const std::string& name) {
  std::erase(by_partition[partition], name);
}

GroupDriver::GroupDriver(LiveCluster& world, Owners& owners, const std::string& name,
                         client::GroupProtocol protocol,
                         std::optional<std::string> group_instance_id)
    : gate(world.world->network()),
      client(gate, world.world->clock(), world.world->bootstrap(), named(name)),
      world_(world),
      owners_(owners),
      name_(name) {
  client::GroupMembershipOptions options;
  options.member.group_id = world.group;
  options.member.topics = {world.input};
  options.member.group_instance_id = std::move(group_instance_id);
  options.member.session_timeout = world.session_timeout;
  options.member.rebalance_timeout = std::chrono::seconds(20);
  options.protocol = protocol;
  options.heartbeat_interval = std::chrono::seconds(1);
  options.seed = std::hash<std::string>()(name);
  client::RebalanceCallbacks callbacks;
  callbacks.on_assigned = [this](auto it) { return assigned(std::move(it)); };
  callbacks.on_revoked = [this](auto it) { return revoked(std::move(it)); };
  callbacks.on_lost = [this](auto it) { return lost(std::move(it)); };
  membership = std::make_unique<client::GroupMembership>(client, options, std::move(callbacks));
}

void GroupDriver::stop_and_wait() {
  membership->stop();
  const Result<void> ended = world_.finish(running);
  if (!ended) throw std::runtime_error(ended.error().text);
}

void GroupDriver::note(std::string what, const std::vector<client::TopicPartition>& partitions) {
  for (const client::TopicPartition& it : partitions) what += " " + to_string(it);
  log.push_back(std::move(what));
}

asio::awaitable<void> GroupDriver::assigned(std::vector<client::TopicPartition> partitions) {
  note("assigned", partitions);
  for (const client::TopicPartition& it : partitions) owners_.add(it, name_);
  if (on_assigned) co_await on_assigned(std::move(partitions));
}

asio::awaitable<void> GroupDriver::revoked(std::vector<client::TopicPartition> partitions) {
  note("revoked", partitions);
  if (on_revoked) co_await on_revoked(partitions);
  for (const client::TopicPartition& it : partitions) owners_.remove(it, name_);
}

asio::awaitable<void> GroupDriver::lost(std::vector<client::TopicPartition> partitions) {
  note("lost", partitions);
  for (const client::TopicPartition& it : partitions) owners_.remove(it, name_);
  if (on_lost) co_await on_lost(std::move(partitions));
}

}  // namespace fencepost::tests
