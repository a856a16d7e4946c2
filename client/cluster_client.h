// Routing: which broker a request goes to. Knows the cluster's brokers, leaders, topic ids and
// coordinators from Metadata and FindCoordinator, and keeps one connection per broker and purpose.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client/address.h"
#include "client/connection.h"
#include "client/topic_partition.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/metadata.h"

namespace fencepost::client {

// FindCoordinator's key types.
enum class CoordinatorType : std::int8_t { group = 0, transaction = 1 };

// What waits at a coordinator (a join round) must not hold up data, and the reverse: each purpose
// has its own connection, as in Kafka's consumer.
enum class Purpose { data, coordination };

// Who leads a partition, as the last metadata has it.
struct Leader {
  Address address;
  std::int32_t epoch = -1;  // -1: brokers before 2.4 do not tell it reliably
  Uuid topic_id;            // zero: the cluster has none
};

struct ClusterClientOptions {
  ConnectionOptions connection = {};
  Duration lookup_backoff = milliseconds(100);
};

// One client of one cluster; all its coroutines run on one executor and must have ended before it
// is destroyed. A call is one attempt: what the broker answers is handed to the caller, who may ask
// again with CallOptions::fresh_lookup after NOT_LEADER_OR_FOLLOWER or NOT_COORDINATOR. A leader or
// coordinator that has hung up, or cannot be connected to, is looked up again by the next call. A
// look-up itself is repeated up to the request timeout. Its own errors, nothing was sent:
// cannot_connect (the text names the address or what could not be found) and stalled (the look-up
// is refused for good, as without an ACL); the others are Connection's.
class ClusterClient {
 public:
  // Transport and clock must outlive the client and the io_context's coroutines.
  ClusterClient(Transport& transport, Clock& clock, std::vector<Address> bootstrap,
                ClusterClientOptions options = {});
  ~ClusterClient();
  // Where `other`, which has to be idle, stands: what it knows, and its open connections.
  ClusterClient(const ClusterClient& other, Transport& transport, Clock& clock,
                asio::any_io_executor executor);
  ClusterClient(const ClusterClient&) = delete;
  ClusterClient& operator=(const ClusterClient&) = delete;

  template <class Request>
  Task<typename Request::Response> call_leader(TopicPartition partition, Request request,
                                               CallOptions options = {});
  template <class Request>
  Task<typename Request::Response> call_coordinator(CoordinatorType type, std::string key,
                                                    Request request, CallOptions options = {});
  // That broker and no other. Error cannot_connect when the last metadata does not name it.
  template <class Request>
  Task<typename Request::Response> call_broker(std::int32_t broker_id, Request request,
                                               CallOptions options = {});
  // Any broker that can be reached; after a failure the next call tries another one first.
  template <class Request>
  Task<typename Request::Response> call_any(Request request, CallOptions options = {});

  Task<Leader> find_leader(TopicPartition partition, CallOptions options = {});
  Task<std::shared_ptr<Connection>> leader_of(TopicPartition partition, CallOptions options = {});
  Task<std::shared_ptr<Connection>> coordinator_of(CoordinatorType type, std::string key,
                                                   CallOptions options = {});
  Task<std::shared_ptr<Connection>> broker(std::int32_t broker_id, CallOptions options = {});
  Task<std::shared_ptr<Connection>> any_connection(CallOptions options = {});
  Task<std::shared_ptr<Connection>> connection_to(Address address, Purpose purpose,
                                                  bool is_own = false);

  // Asks for these topics (nothing: all that there are) and remembers the answer.
  Task<protocol::MetadataResponse> refresh_metadata(std::optional<std::vector<std::string>> topics);
  // The brokers by node id, as the last answer named them.
  const std::map<std::int32_t, Address>& brokers() const { return brokers_; }
  // Partitions of the topic, looked up if not known.
  Task<int> partition_count(std::string topic);
  // The id that Produce 13, Fetch 13 and others name the topic by; zero when the topic is not
  // known yet, or the cluster has no topic ids.
  Uuid topic_id(const std::string& topic) const;
  // The name that belongs to the id; empty when it was never heard of. An answer may come after the
  // topic was deleted, or while a broker does not know it yet.
  std::string topic_name(const Uuid& id) const;

  Clock& clock() { return clock_; }
  const ClusterClientOptions& options() const { return options_; }
  // Closes every connection: all calls end with closed or unknown_outcome. Later calls connect
  // again.
  void close();
  // No connection is being opened, and none waits for an answer.
  bool is_idle() const;

 private:
  struct Topic {
    Uuid id;
    struct Leads {
      std::int32_t node = -1;
      std::int32_t epoch = -1;
    };
    std::map<std::int32_t, Leads> leaders;  // by partition
    std::string problem;                    // why a partition may be missing
    bool is_refused = false;                // for good: asking again does not help
  };
  struct Slot;
  using SlotKey = std::pair<Address, Purpose>;
  using CoordinatorKey = std::pair<CoordinatorType, std::string>;

  // One FindCoordinator; nothing when the broker asks to try again, with the reason in `problem`.
  Task<std::optional<Address>> ask_for_coordinator(CoordinatorType type, std::string key,
                                                   std::string* problem);
  void remember(const protocol::MetadataResponse& metadata, bool has_epochs);
  std::optional<Leader> known_leader(const TopicPartition& partition) const;
  bool has_hung_up(const Address& address, Purpose purpose) const;
  std::vector<Address> candidates() const;
  asio::awaitable<void> back_off(Duration* backoff);

  Transport& transport_;
  Clock& clock_;
  std::vector<Address> bootstrap_;
  ClusterClientOptions options_;
  std::map<std::int32_t, Address> brokers_;
  std::map<std::string, Topic> topics_;
  std::map<Uuid, std::string> topic_names_;
  std::map<CoordinatorKey, Address> coordinators_;
  std::map<SlotKey, std::shared_ptr<Slot>> slots_;
  std::vector<std::weak_ptr<Connection>> own_connections_;
  std::size_t rotation_ = 0;
};

template <class Request>
Task<typename Request::Response> ClusterClient::call_leader(TopicPartition partition,
                                                            Request request, CallOptions options) {
  Result<std::shared_ptr<Connection>> leader = co_await leader_of(std::move(partition), options);
  if (!leader) co_return leader.error();
  co_return co_await leader.value()->call(std::move(request), options);
}

template <class Request>
Task<typename Request::Response> ClusterClient::call_coordinator(CoordinatorType type,
                                                                 std::string key, Request request,
                                                                 CallOptions options) {
  Result<std::shared_ptr<Connection>> coordinator =
      co_await coordinator_of(type, std::move(key), options);
  if (!coordinator) co_return coordinator.error();
  co_return co_await coordinator.value()->call(std::move(request), options);
}

template <class Request>
Task<typename Request::Response> ClusterClient::call_broker(std::int32_t broker_id, Request request,
                                                            CallOptions options) {
  Result<std::shared_ptr<Connection>> connection = co_await broker(broker_id, options);
  if (!connection) co_return connection.error();
  co_return co_await connection.value()->call(std::move(request), options);
}

template <class Request>
Task<typename Request::Response> ClusterClient::call_any(Request request, CallOptions options) {
  Result<std::shared_ptr<Connection>> any = co_await any_connection(options);
  if (!any) co_return any.error();
  Result<typename Request::Response> response =
      co_await any.value()->call(std::move(request), options);
  if (!response) ++rotation_;
  co_return response;
}

}  // namespace fencepost::client
