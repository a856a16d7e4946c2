#include "tools/conform/opponent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "minibroker/configuration.h"
#include "protocol/messages/describe_configs.h"

namespace fencepost::conform {

namespace {

using client::Task;
using minibroker::ClusterSettings;
using minibroker::Era;

constexpr std::int8_t broker_resource = 4;
constexpr std::int8_t default_source = 5;

struct Facts {
  std::map<std::string, int> features;
  std::map<std::string, std::string> configuration;  // what is not a default
};

// What belongs to the machine or the way to it, and not to what is compared.
bool is_of_the_place(const std::string& name) {
  constexpr std::array<std::string_view, 9> parts{
      "listener",      "log.dir",           "sasl",
      "ssl",           "node.id",           "broker.id",
      "process.roles", "controller.quorum", "replication.factor"};
  return std::ranges::any_of(
      parts, [&name](std::string_view it) { return name.find(it) != std::string::npos; });
}

Task<Facts> ask(client::ClusterClient& client, std::int32_t broker_id) {
  Facts facts;
  Result<std::shared_ptr<client::Connection>> connection = co_await client.broker(broker_id);
  if (!connection) co_return connection.error();
  const std::vector<minibroker::Feature> known = Era().features();
  for (const minibroker::Feature& feature : known)
    facts.features[std::string(feature.name)] =
        (*connection)->feature_level(std::string(feature.name));
  protocol::DescribeConfigsRequest request;
  auto& resource = request.resources.emplace_back();
  resource.resource_type = broker_resource;
  resource.resource_name = std::to_string(broker_id);
  resource.configuration_keys = std::nullopt;
  Result<protocol::DescribeConfigsResponse> described =
      co_await (*connection)->call(std::move(request));
  if (!described) co_return described.error();
  for (const auto& result : described->results)
    for (const auto& config : result.configs)
      if (config.config_source != default_source && config.value && !config.is_sensitive &&
          !is_of_the_place(config.name))
        facts.configuration[config.name] = *config.value;
  co_return facts;
}

asio::awaitable<void> keep(Task<Facts> task, std::shared_ptr<std::optional<Result<Facts>>> place) {
  Result<Facts> result = co_await std::move(task);
  place->emplace(std::move(result));
}

// Levels that the era does not know stay as they are.
void take_over(const Facts& facts, Opponent& opponent) {
  for (const minibroker::Feature& feature : opponent.settings.era.features()) {
    const auto found = facts.features.find(std::string(feature.name));
    if (found == facts.features.end() || found->second == feature.level) continue;
    if (opponent.settings.era.set_feature_level(feature.name,
                                                static_cast<std::int16_t>(found->second)))
      opponent.notes.push_back(fmt::format("feature {}={}", found->first, found->second));
  }
  for (const auto& [name, value] : facts.configuration)
    if (minibroker::takes_effect(name) && minibroker::configure(opponent.settings, name, value))
      opponent.notes.push_back(fmt::format("{}={}", name, value));
}

}  // namespace

Era most_similar_era(const Offer& offer) {
  Era best;
  int most = -1;
  for (const Era& era : minibroker::eras()) {
    int agreeing = 0;
    for (const protocol::Api& api : protocol::apis())
      agreeing += era.versions_of(api.key).last == offer.versions_of(api.key).last ? 1 : 0;
    if (agreeing < most) continue;
    most = agreeing;
    best = era;
  }
  return best;
}

Result<Opponent> opponent_of(Side& side, const Acquaintance& known,
                             const OpponentOptions& options) {
  Opponent opponent;
  opponent.settings.era = options.era.value_or(most_similar_era(known.offer));
  opponent.settings.start = side.now();
  auto facts = std::make_shared<std::optional<Result<Facts>>>();
  side.start(keep(ask(side.client(), known.broker_id), facts));
  side.run_until([&facts] { return facts->has_value(); }, std::chrono::seconds(30));
  if (!facts->has_value())
    return Error{ErrorKind::cannot_connect, "the cluster does not describe its configuration"};
  if (!**facts) return (*facts)->error();
  take_over(***facts, opponent);
  for (const std::string& feature : options.features)
    if (Result<void> set = minibroker::set_feature(opponent.settings, feature); !set)
      return set.error();
  for (const std::string& key : options.configuration)
    if (Result<void> set = minibroker::configure(opponent.settings, key); !set) return set.error();
  // In this process everybody is ANONYMOUS and has to be allowed what the user of the cluster is.
  if (opponent.settings.authorizer.is_enabled)
    opponent.settings.authorizer.super_users.insert("User:ANONYMOUS");
  return opponent;
}

}  // namespace fencepost::conform
