#include "tests/fencing/owner_world.h"

#include "client/retry.h"

namespace fencepost::tests {

namespace {

client::ClusterClientOptions named(const std::string& name) {
  client::ClusterClientOptions options;
  options.connection.client_id = name;
  return options;
}

client::GroupMemberOptions member_options(const LiveCluster& world) {
  client::GroupMemberOptions options;
  options.group_id = world.group;
  options.topics = {world.input};
  options.session_timeout = world.unattended_session_timeout;
  options.rebalance_timeout = std::chrono::seconds(10);
  return options;
}

minibroker::ClusterSettings owner_settings(const std::string& release, Duration latency) {
  minibroker::ClusterSettings settings = settings_of(release, 1, latency);
  settings.group_initial_rebalance_delay = Duration();
  return settings;
}

template <class Response>
void require_done(const Result<Response>& result) {
  if (!result) throw std::runtime_error(result.error().text);
  if (client::first_error(*result) != protocol::ErrorCode::none)
    throw std::runtime_error(to_string(client::first_error(*result)));
}

}  // namespace

Member::Member(LiveCluster& in, const std::string& name)
    : world(in),
      gate(in.world->network()),
      client(in.world->network(), in.world->clock(), in.world->bootstrap(), named(name)),
      data(gate, in.world->clock(), in.world->bootstrap(), named(name + "-data")),
      group(client, member_options(in)) {}

void Member::join() {
  // A coordinator that has just been made still loads.
  client::Attempt<protocol::JoinGroupResponse> attempt = [this](bool fresh_lookup) {
    client::MemberOverrides overrides;
    overrides.call.fresh_lookup = fresh_lookup;
    return group.join_group(overrides);
  };
  require_done(
      world.run(client::run_with_retries(world.world->clock(), {}, 0, std::move(attempt))));
  require_done(world.run(group.sync_group()));
}

fencing::GenerationFence::LiveMetadata Member::live() {
  return [this] { return group.metadata(); };
}

OwnerWorld::OwnerWorld(const std::string& release, Duration latency)
    : SimulatedCluster(owner_settings(release, latency)) {}

std::unique_ptr<fencing::PartitionOwner> OwnerWorld::owner(Member& member,
                                                           fencing::PartitionOwnerOptions options) {
  options.group_id = "g";
  options.input = {"in", 0};
  options.snapshots = {"state", 0};
  options.transactional_id_prefix = "x";
  options.pipeline.delivery_timeout = std::chrono::seconds(40);
  return std::make_unique<fencing::PartitionOwner>(world->io().get_executor(), member.data,
                                                   member.live(), options);
}

fencing::TakenOver OwnerWorld::take_over(fencing::PartitionOwner& owner) {
  Result<fencing::TakenOver> taken = run(owner.take_over());
  if (!taken) throw std::runtime_error(taken.error().text);
  return std::move(taken).value();
}

fencing::WriteOutcome OwnerWorld::write(fencing::PartitionOwner& owner, const std::string& key,
                                        const std::string& value) {
  return run(owner.writer().write(snapshot(key, value)));
}

std::vector<std::shared_ptr<std::optional<fencing::WriteOutcome>>> OwnerWorld::start_writes(
    fencing::PartitionOwner& owner, int count, const std::string& value) {
  std::vector<std::shared_ptr<std::optional<fencing::WriteOutcome>>> outcomes;
  for (int i = 0; i < count; ++i)
    outcomes.push_back(start(owner.writer().write(snapshot("k" + std::to_string(i), value))));
  return outcomes;
}

std::string OwnerWorld::state() {
  std::map<std::string, std::string> values;
  for (const std::string& record : committed("state", 0)) {
    const auto sign = record.find('=');
    values[record.substr(0, sign)] = record.substr(sign + 1);
  }
  std::string text;
  for (const auto& [key, value] : values) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

fencing::Snapshot snapshot(const std::string& key, const std::string& value) {
  fencing::Snapshot snapshot;
  snapshot.key = SharedBytes::copy_of(std::string_view(key));
  snapshot.value = SharedBytes::copy_of(std::string_view(value));
  return snapshot;
}

}  // namespace fencepost::tests
