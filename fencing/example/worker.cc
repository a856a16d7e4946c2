// Services begin when their partition is assigned and end inside the callback that takes it away.
#include "fencing/example/worker.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

namespace fencepost::fencing::example {

namespace {

asio::awaitable<void> serve(std::shared_ptr<PartitionService> service) {
  co_await service->run();
}

asio::awaitable<void> stop_one(std::shared_ptr<PartitionService> service, bool is_lost,
                               std::shared_ptr<client::Event> stopped) {
  co_await service->stop(is_lost);
  stopped->set();
}

}  // namespace

Worker::Worker(asio::any_io_executor executor, client::ClusterClient& membership_cluster,
               client::ClusterClient& data_cluster, WorkerOptions options)
    : executor_(std::move(executor)),
      data_cluster_(data_cluster),
      options_(std::move(options)),
      membership_(membership_cluster, options_.membership, callbacks()) {}

client::RebalanceCallbacks Worker::callbacks() {
  client::RebalanceCallbacks callbacks;
  callbacks.on_assigned = [this](Partitions it) { return assigned(std::move(it)); };
  callbacks.on_revoked = [this](Partitions it) { return end(std::move(it), false); };
  callbacks.on_lost = [this](Partitions it) { return end(std::move(it), true); };
  return callbacks;
}

client::Task<void> Worker::run() {
  co_return co_await membership_.run();
}

const PartitionService* Worker::find(const client::TopicPartition& input) const {
  const auto found = services_.find(input);
  return found == services_.end() ? nullptr : found->second.get();
}

std::unique_ptr<StateStore> Worker::make_store(const client::TopicPartition& input,
                                               const PartitionService* service) {
  PartitionOwnerOptions owner = options_.owner;
  owner.group_id = options_.membership.member.group_id;
  owner.input = input;
  owner.snapshots = {options_.snapshot_topic, input.partition};
  owner.recovery.should_stop = [service] { return service->is_stopping(); };
  owner.recovery.on_warning = options_.notice;
  GenerationFence::LiveMetadata live = [this] { return membership_.metadata(); };
  return options_.fence == Fence::generation
             ? make_fenced_store(executor_, data_cluster_, std::move(live), std::move(owner))
             : make_plain_store(executor_, data_cluster_, std::move(live), std::move(owner));
}

asio::awaitable<void> Worker::assigned(Partitions partitions) {
  for (const client::TopicPartition& input : partitions) {
    std::shared_ptr<PartitionService>& service = services_[input];
    MakeStore make = [this, input] { return make_store(input, services_.at(input).get()); };
    service = std::make_shared<PartitionService>(
        executor_, data_cluster_, input, [this] { return membership_.metadata(); }, std::move(make),
        options_.notice);
    asio::co_spawn(executor_, serve(service), asio::detached);
  }
  co_return;
}

// All at once: the time of the rebalance is shared by everybody.
asio::awaitable<void> Worker::end(Partitions partitions, bool is_lost) {
  std::vector<std::shared_ptr<client::Event>> all;
  for (const client::TopicPartition& input : partitions) {
    const auto found = services_.find(input);
    if (found == services_.end()) continue;
    all.push_back(std::make_shared<client::Event>(executor_));
    asio::co_spawn(executor_, stop_one(found->second, is_lost, all.back()), asio::detached);
  }
  for (const std::shared_ptr<client::Event>& stopped : all)
    if (!stopped->is_set()) co_await stopped->wait();
  for (const client::TopicPartition& input : partitions) services_.erase(input);
}

}  // namespace fencepost::fencing::example
