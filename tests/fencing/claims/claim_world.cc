#include "tests/fencing/claims/claim_world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "client/reader.h"
#include "client/retry.h"
#include "protocol/messages/create_topics.h"

namespace fencepost::tests {

namespace {

using client::GroupProtocol;

constexpr Duration patience = std::chrono::seconds(120);
constexpr int partitions = 3;

std::string name_of(GroupProtocol protocol) {
  switch (protocol) {
    case GroupProtocol::eager:
      return "eager";
    case GroupProtocol::cooperative:
      return "cooperative";
    case GroupProtocol::consumer:
      return "consumer";
  }
  return "";
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

minibroker::ClusterSettings simulated(const std::string& release) {
  minibroker::ClusterSettings settings;
  settings.era = minibroker::find_era(release).value();
  settings.latency = std::chrono::microseconds(500);
  settings.start = Instant(std::chrono::hours(24 * 365 * 50));
  settings.group_initial_rebalance_delay = Duration();
  settings.group_consumer_session_timeout = std::chrono::seconds(6);
  settings.group_consumer_heartbeat_interval = std::chrono::seconds(1);
  return settings;
}

std::unique_ptr<scenario::World> make_world(const std::string& cluster) {
  if (cluster.find(':') == std::string::npos)
    return scenario::make_simulated_world(simulated(cluster));
  return scenario::make_real_world(client::parse_addresses(cluster).value());
}

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text);
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

void require_done(const client::ProducerOutcome& outcome) {
  if (!outcome.ok()) throw std::runtime_error(outcome.text);
}

bool has_consumer_protocol(const std::string& cluster) {
  LiveCluster live(make_world(cluster));
  return value_or_throw(live.run(live.client.any_connection()))->feature_level("group.version") > 0;
}

client::Task<protocol::OffsetFetchResponse> fetch_offset(client::GroupMember* group,
                                                         client::TopicPartition partition,
                                                         bool is_stable, bool fresh_lookup) {
  client::MemberOverrides overrides;
  overrides.call.fresh_lookup = fresh_lookup;
  std::vector<client::TopicPartition> wanted(1, std::move(partition));
  co_return co_await group->offset_fetch(std::move(wanted), is_stable, overrides);
}

asio::awaitable<void> release(Process* process, std::vector<client::TopicPartition> revoked) {
  for (const client::TopicPartition& it : revoked) {
    const auto found = process->owned.find(it.partition);
    if (found == process->owned.end()) continue;
    process->given_up[it.partition] = co_await found->second->release();
  }
}

client::ClusterClientOptions patient(const std::string& name) {
  client::ClusterClientOptions options;
  options.connection.client_id = name;
  options.connection.request_timeout = patience;  // what is held may be held for a session
  return options;
}

}  // namespace

std::vector<std::string> clusters() {
  const std::string real = environment("FENCEPOST_BOOTSTRAP");
  if (!real.empty()) return {real};
  return {"3.5", "3.9", "4.0", "4.3", "4.4"};
}

std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.cluster << " " << name_of(place.protocol);
}

std::vector<Place> places() {
  std::istringstream words(environment("PROTOCOLS"));
  const std::vector<std::string> wanted{std::istream_iterator<std::string>(words), {}};
  std::vector<Place> all;
  for (const std::string& cluster : clusters())
    for (const GroupProtocol protocol :
         {GroupProtocol::eager, GroupProtocol::cooperative, GroupProtocol::consumer}) {
      const bool is_wanted =
          wanted.empty() || std::ranges::find(wanted, name_of(protocol)) != wanted.end();
      if (is_wanted && (protocol != GroupProtocol::consumer || has_consumer_protocol(cluster)))
        all.push_back({cluster, protocol});
    }
  return all;
}

ClaimWorld::ClaimWorld(const std::string& cluster) : LiveCluster(make_world(cluster)) {
  group = "claim-" + std::to_string(getpid()) + "-" +
          std::to_string(now().time_since_epoch().count() / 1000);
  input = group + "-in";
  snapshots = group + "-state";
  session_timeout = std::chrono::seconds(6);
  unattended_session_timeout = std::chrono::minutes(1);
  create_topic(input);
  create_topic(snapshots);
}

ClaimWorld::~ClaimWorld() = default;

bool ClaimWorld::wait_for(const std::function<bool()>& done) {
  const Instant deadline = now() + patience;
  while (!done() && now() < deadline) wait(milliseconds(20));
  return done();
}

void ClaimWorld::create_topic(const std::string& topic) {
  protocol::CreateTopicsRequest request;
  auto& wanted = request.topics.emplace_back();
  wanted.name = topic;
  wanted.num_partitions = partitions;
  wanted.replication_factor = 1;
  const auto answer = value_or_throw(run(client.call_any(std::move(request))));
  if (answer.topics.at(0).error_code != protocol::ErrorCode::none)
    throw std::runtime_error(topic + ": " + to_string(answer.topics.at(0).error_code));
  for (int i = 0; i < partitions; ++i)
    listed({topic, i}, client::earliest_timestamp, client::IsolationLevel::read_uncommitted);
}

fencing::PartitionOwnerOptions ClaimWorld::owner_options(int partition) const {
  fencing::PartitionOwnerOptions options;
  options.group_id = group;
  options.input = {input, partition};
  options.snapshots = {snapshots, partition};
  options.transactional_id_prefix = group;
  options.commit_interval = std::chrono::minutes(5);
  return options;
}

std::unique_ptr<fencing::PartitionOwner> ClaimWorld::owner(Member& member, int partition) {
  return owner(member, owner_options(partition));
}

std::unique_ptr<fencing::PartitionOwner> ClaimWorld::owner(Member& member,
                                                           fencing::PartitionOwnerOptions options) {
  return std::make_unique<fencing::PartitionOwner>(world->io().get_executor(), member.data,
                                                   member.live(), std::move(options));
}

fencing::TakenOver ClaimWorld::take_over(fencing::PartitionOwner& owner) {
  return value_or_throw(run(owner.take_over()));
}

fencing::WriteOutcome ClaimWorld::write(fencing::PartitionOwner& owner, const std::string& key,
                                        const std::string& value) {
  return run(owner.writer().write(snapshot(key, value)));
}

std::unique_ptr<client::TransactionalProducer> ClaimWorld::open_transaction(
    const std::string& id, const std::string& key, const std::string& value) {
  client::TransactionalProducerOptions options;
  options.transactional_id = group + "-" + id;
  auto producer = std::make_unique<client::TransactionalProducer>(world->io().get_executor(),
                                                                  client, std::move(options));
  require_done(run(producer->init()));
  require_done(run(producer->begin()));
  producer->append({snapshots, 0}, record(key, value));
  require_done(run(producer->flush()));
  return producer;
}

std::int64_t ClaimWorld::group_offset(int partition, bool is_stable) {
  const client::TopicPartition wanted{input, partition};
  client::GroupMemberOptions options;
  options.group_id = group;
  client::GroupMember reader(client, std::move(options));
  value_or_throw(run(client.find_leader(wanted)));  // for the topic's id
  client::Attempt<protocol::OffsetFetchResponse> attempt = [&reader, &wanted,
                                                            is_stable](bool fresh) {
    return fetch_offset(&reader, wanted, is_stable, fresh);
  };
  const auto answer =
      value_or_throw(run(client::run_with_retries(world->clock(), {}, 0, std::move(attempt))));
  return client::fetched_offsets(answer).at(0).offset;
}

std::int64_t ClaimWorld::listed(const client::TopicPartition& partition, std::int64_t timestamp,
                                client::IsolationLevel isolation_level) {
  return value_or_throw(
      run(client::list_offset_within(client, partition, timestamp, isolation_level, patience)));
}

std::int64_t ClaimWorld::high_watermark(int partition) {
  return listed({snapshots, partition}, client::latest_timestamp,
                client::IsolationLevel::read_uncommitted);
}

std::int64_t ClaimWorld::last_stable_offset(int partition) {
  return listed({snapshots, partition}, client::latest_timestamp,
                client::IsolationLevel::read_committed);
}

bool ClaimWorld::nothing_is_open(int partition) {
  return last_stable_offset(partition) == high_watermark(partition);
}

std::string ClaimWorld::state(int partition) {
  return text_of(value_or_throw(run(fencing::recover_snapshots(client, {snapshots, partition}))));
}

Process::Process(ClaimWorld& in, Owners& owners, const std::string& name,
                 client::GroupProtocol protocol)
    : world(in),
      gate(in.world->network()),
      data(gate, in.world->clock(), in.world->bootstrap(), patient(name + "-data")),
      member(in, owners, name, protocol) {
  member.on_revoked = [this](auto revoked) { return release(this, std::move(revoked)); };
}

bool Process::join(std::size_t partitions_wanted) {
  member.start();
  return world.wait_for([this, partitions_wanted] { return member.owned() == partitions_wanted; });
}

void Process::take_over() {
  for (const client::TopicPartition& it : member.membership->owned()) {
    auto& owner = owned[it.partition];
    owner = std::make_unique<fencing::PartitionOwner>(
        world.world->io().get_executor(), data, [this] { return member.membership->metadata(); },
        world.owner_options(it.partition));
    world.take_over(*owner);
  }
}

fencing::WriteOutcome Process::write(int partition, const std::string& key,
                                     const std::string& value) {
  return world.write(*owned.at(partition), key, value);
}

bool Process::hears_that_it_is_out() {
  value_or_throw(world.run(member.gate.open()));
  return world.wait_for([this] {
    return std::ranges::any_of(member.log, [](const auto& it) { return it.starts_with("lost"); });
  });
}

std::string text_of(const fencing::Recovery& recovery) {
  std::string text;
  for (const auto& [key, value] : recovery.snapshots)
    text += (text.empty() ? "" : " ") + key + "=" + std::string(value.text());
  return text;
}

}  // namespace fencepost::tests
