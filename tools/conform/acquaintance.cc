// What has to be known of a side before programs are played to it.
#include <optional>

#include "client/response_error.h"
#include "client/retry.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/describe_configs.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/init_producer_id.h"
#include "tools/conform/side.h"

namespace fencepost::conform {

namespace {

using client::Task;
using protocol::ErrorCode;

constexpr Duration waking_time_max = std::chrono::minutes(2);

constexpr const char* own_name = "fencepost-conform";  // of the transactional.id and the group

// Asks until the coordinator is there.
template <class Request>
Task<typename Request::Response> wake(client::ClusterClient& client, client::CoordinatorType type,
                                      Request request) {
  client::RetryPolicy policy;
  policy.time_max = std::chrono::seconds(60);
  const client::Attempt<typename Request::Response> attempt = [&](bool is_fresh) {
    client::CallOptions options;
    options.fresh_lookup = is_fresh;
    return client.call_coordinator(type, own_name, request, options);
  };
  co_return co_await client::run_with_retries(client.clock(), policy, 1, attempt);
}

// A producer id, and an offsets topic that answers.
Task<void> wake_coordinators(client::ClusterClient& client) {
  protocol::InitProducerIdRequest init;
  init.transactional_id = own_name;
  init.transaction_timeout_ms = 1000;
  Result<protocol::InitProducerIdResponse> producer =
      co_await wake(client, client::CoordinatorType::transaction, std::move(init));
  if (!producer) co_return producer.error();
  protocol::HeartbeatRequest beat;
  beat.group_id = own_name;
  beat.member_id = "nobody";
  beat.generation_id = 1;
  Result<protocol::HeartbeatResponse> heartbeat =
      co_await wake(client, client::CoordinatorType::group, std::move(beat));
  if (!heartbeat) co_return heartbeat.error();
  co_return Result<void>();
}

Task<Acquaintance> ask(client::ClusterClient& client) {
  Acquaintance known;
  Result<protocol::MetadataResponse> metadata =
      co_await client.refresh_metadata(std::vector<std::string>());
  if (!metadata) co_return metadata.error();
  if (client.brokers().empty())
    co_return Error{ErrorKind::cannot_connect, "the cluster names no broker"};
  known.offer.broker_count = static_cast<int>(client.brokers().size());
  known.broker_id = client.brokers().begin()->first;
  known.address = client.brokers().begin()->second;
  Result<std::shared_ptr<client::Connection>> connection = co_await client.broker(known.broker_id);
  if (!connection) co_return connection.error();
  for (const protocol::Api& api : protocol::apis()) {
    const protocol::Versions theirs = (*connection)->versions_of(api.key);
    const protocol::Versions ours = api.versions();
    const int stable_last = ours.last - (api.request.info->is_latest_unstable ? 1 : 0);
    const protocol::Versions both{std::max(ours.first, theirs.first),
                                  std::min(stable_last, theirs.last)};
    if (!theirs.is_empty() && !both.is_empty()) known.offer.versions[api.key] = both;
  }
  known.offer.transaction_version = (*connection)->feature_level("transaction.version");
  Result<void> awake = co_await wake_coordinators(client);
  if (!awake) co_return awake.error();
  co_return known;
}

asio::awaitable<void> keep(Task<Acquaintance> task,
                           std::shared_ptr<std::optional<Result<Acquaintance>>> place) {
  Result<Acquaintance> result = co_await std::move(task);
  place->emplace(std::move(result));
}

}  // namespace

Result<Acquaintance> get_to_know(Side& side) {
  auto place = std::make_shared<std::optional<Result<Acquaintance>>>();
  side.start(keep(ask(side.client()), place));
  side.run_until([&place] { return place->has_value(); }, waking_time_max);
  if (!place->has_value())
    return Error{ErrorKind::cannot_connect, "the cluster does not become ready"};
  return **place;
}

}  // namespace fencepost::conform
