// Look-ups and the connections behind them. Every look-up asks any broker and is repeated, with
// growing pauses, until the request timeout.
#include "client/cluster_client.h"

#include <algorithm>
#include <asio/this_coro.hpp>

#include "client/event.h"
#include "client/explained.h"
#include "protocol/base/check.h"
#include "protocol/messages/find_coordinator.h"

namespace fencepost::client {

namespace {

using protocol::ApiKey;
using protocol::ErrorCode;

// Before, a broker could answer with an epoch that was not the leader's (KAFKA-9212).
constexpr int metadata_first_with_epochs = 9;
constexpr Duration lookup_backoff_max = std::chrono::seconds(1);

// Metadata is only read: after no answer it may simply be asked for again.
bool is_worth_asking_again(const Error& error) {
  return error.kind == ErrorKind::unknown_outcome || error.kind == ErrorKind::closed;
}

}  // namespace

// A place for a connection, so that two callers do not open two.
struct ClusterClient::Slot {
  explicit Slot(asio::any_io_executor executor) : opened(std::move(executor)) {}
  std::shared_ptr<Connection> connection;
  bool is_opening = false;
  Event opened;
};

ClusterClient::ClusterClient(Transport& transport, Clock& clock, std::vector<Address> bootstrap,
                             ClusterClientOptions options)
    : transport_(transport),
      clock_(clock),
      bootstrap_(std::move(bootstrap)),
      options_(std::move(options)) {}

ClusterClient::ClusterClient(const ClusterClient& other, Transport& transport, Clock& clock,
                             asio::any_io_executor executor)
    : transport_(transport),
      clock_(clock),
      bootstrap_(other.bootstrap_),
      options_(other.options_),
      brokers_(other.brokers_),
      topics_(other.topics_),
      topic_names_(other.topic_names_),
      coordinators_(other.coordinators_),
      rotation_(other.rotation_) {
  CHECK(other.is_idle());
  for (const auto& [key, slot] : other.slots_) {
    if (slot->connection == nullptr || !slot->connection->is_open()) continue;
    auto copy = std::make_shared<Slot>(executor);
    copy->connection = slot->connection->copy_to(transport, clock, executor);
    slots_.emplace(key, std::move(copy));
  }
}

ClusterClient::~ClusterClient() {
  close();
}

bool ClusterClient::is_idle() const {
  for (const auto& [key, slot] : slots_)
    if (slot->is_opening || (slot->connection != nullptr && !slot->connection->is_idle()))
      return false;
  for (const auto& own : own_connections_)
    if (const auto connection = own.lock(); connection != nullptr && !connection->is_idle())
      return false;
  return true;
}

void ClusterClient::close() {
  for (auto& [key, slot] : slots_)
    if (slot->connection != nullptr) slot->connection->close();
  for (const auto& own : own_connections_)
    if (const std::shared_ptr<Connection> connection = own.lock()) connection->close();
  own_connections_.clear();
}

asio::awaitable<void> ClusterClient::back_off(Duration* backoff) {
  const Instant until = clock_.now() + *backoff;
  *backoff = std::min(*backoff * 2, lookup_backoff_max);
  co_await clock_.sleep_until(until);
}

Task<std::shared_ptr<Connection>> ClusterClient::connection_to(Address address, Purpose purpose,
                                                               bool is_own) {
  if (is_own) {
    Result<std::shared_ptr<Connection>> own = co_await Connection::open(
        transport_, clock_, address.host, address.port, options_.connection);
    if (own.ok()) {
      std::erase_if(own_connections_, [](const auto& it) { return it.expired(); });
      own_connections_.push_back(own.value());
    }
    co_return own;
  }
  std::shared_ptr<Slot>& place = slots_[SlotKey(address, purpose)];
  if (place == nullptr) place = std::make_shared<Slot>(co_await asio::this_coro::executor);
  const std::shared_ptr<Slot> slot = place;
  while (slot->is_opening) co_await slot->opened.wait();
  if (slot->connection != nullptr && slot->connection->is_open()) co_return slot->connection;
  slot->is_opening = true;
  slot->opened.reset();
  Result<std::shared_ptr<Connection>> opened = co_await Connection::open(
      transport_, clock_, address.host, address.port, options_.connection);
  slot->connection = opened.ok() ? opened.value() : nullptr;
  slot->is_opening = false;
  slot->opened.set();
  co_return opened;
}

// Brokers we are connected to, brokers we know, and where we began.
std::vector<Address> ClusterClient::candidates() const {
  std::vector<Address> known;
  const auto add = [&known](const Address& address) {
    if (std::find(known.begin(), known.end(), address) == known.end()) known.push_back(address);
  };
  for (const auto& [key, slot] : slots_)
    if (key.second == Purpose::data && slot->connection != nullptr && slot->connection->is_open())
      add(key.first);
  for (const auto& [node, address] : brokers_) add(address);
  for (const Address& address : bootstrap_) add(address);
  if (!known.empty())
    std::rotate(known.begin(),
                known.begin() + static_cast<std::ptrdiff_t>(rotation_ % known.size()), known.end());
  return known;
}

Task<std::shared_ptr<Connection>> ClusterClient::broker(std::int32_t broker_id,
                                                        CallOptions options) {
  const auto known = brokers_.find(broker_id);
  if (known == brokers_.end())
    co_return Error{ErrorKind::cannot_connect,
                    "the cluster has no broker " + std::to_string(broker_id)};
  const Address address = known->second;
  co_return co_await connection_to(address, Purpose::data, options.own_connection);
}

Task<std::shared_ptr<Connection>> ClusterClient::any_connection(CallOptions options) {
  Error last{ErrorKind::cannot_connect, "no bootstrap address is given"};
  const std::vector<Address> addresses = candidates();
  for (const Address& address : addresses) {
    Result<std::shared_ptr<Connection>> connection =
        co_await connection_to(address, Purpose::data, options.own_connection);
    if (connection.ok()) co_return connection;
    last = connection.error();
    ++rotation_;
  }
  co_return last;
}

void ClusterClient::remember(const protocol::MetadataResponse& metadata, bool has_epochs) {
  brokers_.clear();
  for (const auto& broker : metadata.brokers)
    brokers_[broker.node_id] = Address{broker.host, broker.port};
  for (const auto& answer : metadata.topics) {
    if (!answer.name.has_value()) continue;
    Topic& topic = topics_[*answer.name];
    topic = Topic();
    topic.id = answer.topic_id;
    if (!topic.id.is_zero()) topic_names_[topic.id] = *answer.name;
    if (answer.error_code != ErrorCode::none) topic.problem = explained(answer.error_code);
    topic.is_refused =
        answer.error_code != ErrorCode::none && !protocol::is_retriable(answer.error_code);
    for (const auto& partition : answer.partitions) {
      topic.leaders[partition.partition_index] = {partition.leader_id,
                                                  has_epochs ? partition.leader_epoch : -1};
      if (partition.error_code != ErrorCode::none) topic.problem = to_string(partition.error_code);
    }
  }
}

Task<protocol::MetadataResponse> ClusterClient::refresh_metadata(
    std::optional<std::vector<std::string>> topics) {
  protocol::MetadataRequest request;
  request.allow_auto_topic_creation = false;
  if (!topics.has_value()) request.topics = std::nullopt;
  for (const std::string& name : topics.value_or(std::vector<std::string>())) {
    protocol::MetadataRequest::MetadataRequestTopic topic;
    topic.name = name;
    request.topics->push_back(std::move(topic));
  }
  Result<std::shared_ptr<Connection>> any = co_await any_connection();
  if (!any) co_return any.error();
  // Before version 4 there is no flag against creating a topic by asking for it.
  Result<int> version = any.value()->choose_version(ApiKey::metadata, std::nullopt);
  if (!version) co_return version.error();
  if (version.value() < 4) request.allow_auto_topic_creation = true;
  Result<protocol::MetadataResponse> response =
      co_await any.value()->call_exactly(std::move(request), version.value());
  if (!response) {
    ++rotation_;
    co_return response;
  }
  remember(response.value(), version.value() >= metadata_first_with_epochs);
  co_return response;
}

std::optional<Leader> ClusterClient::known_leader(const TopicPartition& partition) const {
  const auto topic = topics_.find(partition.topic);
  if (topic == topics_.end()) return std::nullopt;
  const auto leader = topic->second.leaders.find(partition.partition);
  if (leader == topic->second.leaders.end()) return std::nullopt;
  const auto broker = brokers_.find(leader->second.node);
  if (broker == brokers_.end()) return std::nullopt;
  return Leader{broker->second, leader->second.epoch, topic->second.id};
}

Task<std::shared_ptr<Connection>> ClusterClient::leader_of(TopicPartition partition,
                                                           CallOptions options) {
  const std::optional<Leader> known = known_leader(partition);
  if (known.has_value() && has_hung_up(known->address, Purpose::data)) options.fresh_lookup = true;
  Result<Leader> leader = co_await find_leader(partition, options);
  if (!leader) co_return leader.error();
  Address address = leader->address;
  Result<std::shared_ptr<Connection>> connection =
      co_await connection_to(std::move(address), Purpose::data, options.own_connection);
  if (!connection) topics_[partition.topic].leaders[partition.partition] = {};
  co_return connection;
}

bool ClusterClient::has_hung_up(const Address& address, Purpose purpose) const {
  const auto slot = slots_.find(SlotKey(address, purpose));
  return slot != slots_.end() && slot->second->connection != nullptr &&
         !slot->second->connection->is_open();
}

Task<Leader> ClusterClient::find_leader(TopicPartition partition, CallOptions options) {
  if (options.fresh_lookup) topics_.erase(partition.topic);
  const Instant deadline = clock_.now() + options_.connection.request_timeout;
  Duration backoff = options_.lookup_backoff;
  while (true) {
    const std::optional<Leader> leader = known_leader(partition);
    if (leader.has_value()) co_return *leader;
    std::vector<std::string> topics(1, partition.topic);
    Result<protocol::MetadataResponse> metadata = co_await refresh_metadata(std::move(topics));
    if (!metadata && !is_worth_asking_again(metadata.error())) co_return metadata.error();
    if (known_leader(partition).has_value()) continue;
    const Topic& topic = topics_[partition.topic];
    const bool is_refused = metadata.ok() && topic.is_refused;
    if (is_refused || clock_.now() >= deadline) {
      const std::string problem = metadata.ok() ? topic.problem : metadata.error().text;
      co_return Error{is_refused ? ErrorKind::stalled : ErrorKind::cannot_connect,
                      "no leader of " + to_string(partition) +
                          (problem.empty() ? std::string() : ": " + problem)};
    }
    co_await back_off(&backoff);
  }
}

Task<std::optional<Address>> ClusterClient::ask_for_coordinator(CoordinatorType type,
                                                                std::string key,
                                                                std::string* problem) {
  Result<std::shared_ptr<Connection>> any = co_await any_connection();
  if (!any) co_return any.error();
  Result<int> version = any.value()->choose_version(ApiKey::find_coordinator, std::nullopt);
  if (!version) co_return version.error();
  protocol::FindCoordinatorRequest request;
  request.key_type = static_cast<std::int8_t>(type);
  if (version.value() >= 4)
    request.coordinator_keys.push_back(key);
  else
    request.key = key;
  Result<protocol::FindCoordinatorResponse> response =
      co_await any.value()->call_exactly(std::move(request), version.value());
  if (!response) {
    ++rotation_;
    if (!is_worth_asking_again(response.error())) co_return response.error();
    *problem = response.error().text;
    co_return std::optional<Address>();
  }
  ErrorCode code = response->error_code;
  Address address{response->host, response->port};
  if (version.value() >= 4) {
    if (response->coordinators.empty())
      co_return Error{ErrorKind::malformed, "FindCoordinator names no coordinator of " + key};
    const auto& coordinator = response->coordinators.front();
    code = coordinator.error_code;
    address = Address{coordinator.host, coordinator.port};
  }
  if (code == ErrorCode::none) co_return std::optional<Address>(std::move(address));
  *problem = to_string(code);
  if (protocol::is_retriable(code)) co_return std::optional<Address>();
  co_return Error{ErrorKind::stalled, "no coordinator of " + key + ": " + explained(code)};
}

Task<std::shared_ptr<Connection>> ClusterClient::coordinator_of(CoordinatorType type,
                                                                std::string key,
                                                                CallOptions options) {
  const CoordinatorKey wanted(type, key);
  const auto known = coordinators_.find(wanted);
  if (known != coordinators_.end() &&
      (options.fresh_lookup || has_hung_up(known->second, Purpose::coordination)))
    coordinators_.erase(known);
  const Instant deadline = clock_.now() + options_.connection.request_timeout;
  Duration backoff = options_.lookup_backoff;
  std::string problem;
  while (!coordinators_.contains(wanted)) {
    Result<std::optional<Address>> found = co_await ask_for_coordinator(type, key, &problem);
    if (!found) co_return found.error();
    if (found->has_value()) {
      coordinators_[wanted] = **found;
      break;
    }
    if (clock_.now() >= deadline)
      co_return Error{ErrorKind::cannot_connect, "no coordinator of " + key + ": " + problem};
    co_await back_off(&backoff);
  }
  const Address address = coordinators_[wanted];
  Result<std::shared_ptr<Connection>> connection =
      co_await connection_to(address, Purpose::coordination, options.own_connection);
  if (!connection) coordinators_.erase(wanted);
  co_return connection;
}

Task<int> ClusterClient::partition_count(std::string topic) {
  TopicPartition first;
  first.topic = topic;
  if (!known_leader(first).has_value()) {
    Result<std::shared_ptr<Connection>> leader = co_await leader_of(std::move(first));
    if (!leader) co_return leader.error();
  }
  co_return static_cast<int>(topics_[topic].leaders.size());
}

Uuid ClusterClient::topic_id(const std::string& topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? Uuid() : found->second.id;
}

std::string ClusterClient::topic_name(const Uuid& id) const {
  const auto found = topic_names_.find(id);
  return found == topic_names_.end() ? std::string() : found->second;
}

}  // namespace fencepost::client
