#include "tests/simulated_cluster.h"

namespace fencepost::tests {

SimulatedCluster::SimulatedCluster(minibroker::ClusterSettings settings)
    : LiveCluster(scenario::make_simulated_world(std::move(settings))) {}

minibroker::PartitionState SimulatedCluster::partition(const std::string& topic, int index) {
  const auto found = brokers().partition(topic, index);
  if (!found.has_value()) throw std::runtime_error("no partition " + topic);
  return *found;
}

std::vector<std::string> SimulatedCluster::committed(const std::string& topic, int index) {
  std::vector<std::string> records;
  for (const minibroker::BatchSummary& batch : partition(topic, index).batches)
    if (batch.state == minibroker::BatchState::committed ||
        batch.state == minibroker::BatchState::plain)
      records.insert(records.end(), batch.records.begin(), batch.records.end());
  return records;
}

std::int64_t SimulatedCluster::committed_offset(const std::string& group_id,
                                                const std::string& topic, int index) {
  for (const minibroker::GroupState& state : brokers().groups()) {
    if (state.group_id != group_id) continue;
    for (const minibroker::CommittedOffset& it : state.offsets)
      if (it.topic == topic && it.partition == index && !it.is_pending) return it.offset;
  }
  return -1;
}

std::uint64_t SimulatedCluster::fault(minibroker::sim::FaultAction action, protocol::ApiKey key,
                                      int count) {
  minibroker::sim::FaultRule rule;
  rule.action = action;
  rule.name = "fault";
  rule.api_key = key;
  rule.count = count;
  return brokers().faults().add(std::move(rule));
}

int SimulatedCluster::hits(std::uint64_t rule) {
  const minibroker::sim::FaultRule* found = brokers().faults().find(rule);
  return found == nullptr ? 0 : found->hits;
}

minibroker::ClusterSettings settings_of(const std::string& release, int broker_count,
                                        Duration latency) {
  minibroker::ClusterSettings settings;
  settings.era = minibroker::find_era(release).value();
  settings.broker_count = broker_count;
  settings.latency = latency;
  settings.start = Instant(std::chrono::hours(24 * 365 * 50));
  settings.topics.push_back({"state", 3, 1});
  settings.topics.push_back({"in", 3, 1});
  return settings;
}

protocol::NewRecord record(const std::string& key, const std::string& value) {
  protocol::NewRecord record;
  record.timestamp = protocol::no_timestamp;
  record.key = SharedBytes::copy_of(std::string_view(key));
  record.value = SharedBytes::copy_of(std::string_view(value));
  return record;
}

}  // namespace fencepost::tests
