// DescribeConfigs and ListConfigResources: the configuration of topics, brokers, groups and the
// broker's logger.
#include <algorithm>
#include <charconv>

#include "minibroker/described_config.h"
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/config_resources.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Resource = DescribeConfigsRequest::DescribeConfigsResource;
using Described = DescribeConfigsResponse::DescribeConfigsResult;

constexpr std::int8_t resource_client_metrics = 16;
constexpr const char* malformed_message =
    "This most likely occurs because of a request being malformed by the client library or the "
    "message was sent to an incompatible broker. See the broker logs for more details.";

ConfigAnswer refused(ErrorCode error, std::string message) {
  return {error, std::move(message), {}};
}

ConfigAnswer describe_topic_resource(const Turn& turn, int broker_id, const std::string& name) {
  if (auto problem = topic_name_problem(name))
    return refused(ErrorCode::invalid_topic_exception, std::move(*problem));
  const TopicImage* image = turn.controller.find_topic(name);
  if (image == nullptr) return refused(ErrorCode::unknown_topic_or_partition, "");
  return {ErrorCode::none, "", describe_topic(turn.controller, broker_id, *image)};
}

ConfigAnswer describe_broker_resource(const Turn& turn, int broker_id, const std::string& name) {
  if (name.empty()) return {ErrorCode::none, "", describe_all_brokers(turn.controller)};
  const std::optional<int> id = parse_id(name);
  if (!id)
    return refused(ErrorCode::invalid_request, "Broker id must be an integer, but it is: " + name);
  if (*id == broker_id) return {ErrorCode::none, "", describe_broker(turn.controller, broker_id)};
  return refused(ErrorCode::invalid_request, "Unexpected broker id, expected " +
                                                 std::to_string(broker_id) +
                                                 " or empty string, but received " + name);
}

ConfigAnswer describe_logger(const Turn& turn, int broker_id, const std::string& name) {
  if (name.empty()) return refused(ErrorCode::invalid_request, "Broker id must not be empty");
  if (name != std::to_string(broker_id))
    return refused(
        ErrorCode::invalid_request,
        "Unexpected broker id, expected " + std::to_string(broker_id) + " but received " + name);
  DescribedConfig root;
  root.name = root_logger;
  root.value = logger_level(turn.controller, name);
  root.source = ConfigSource::broker_logger;
  return {ErrorCode::none, "", {std::move(root)}};
}

ConfigAnswer describe(const Turn& turn, int broker_id, const Resource& resource) {
  const std::string& name = resource.resource_name;
  switch (static_cast<ConfigResource>(resource.resource_type)) {
    case ConfigResource::topic:
      return describe_topic_resource(turn, broker_id, name);
    case ConfigResource::broker:
      return describe_broker_resource(turn, broker_id, name);
    case ConfigResource::broker_logger:
      return describe_logger(turn, broker_id, name);
    case ConfigResource::group:
      if (name.empty()) return refused(ErrorCode::invalid_request, "Group name must not be empty");
      return {ErrorCode::none, "", describe_group(turn.controller, broker_id, name)};
  }
  return refused(ErrorCode::invalid_request, malformed_message);
}

bool is_known(std::int8_t type) {
  constexpr std::array known{ConfigResource::topic, ConfigResource::broker,
                             ConfigResource::broker_logger, ConfigResource::group};
  return std::ranges::count(known, static_cast<ConfigResource>(type)) > 0;
}

void add(const DescribedConfig& config, bool has_synonyms, Described& out) {
  auto& described = out.configs.emplace_back();
  described.name = config.name;
  described.value = config.value;
  described.read_only = config.is_read_only;
  described.config_source = static_cast<std::int8_t>(config.source);
  described.is_sensitive = config.is_sensitive;
  described.config_type = config.type;
  described.documentation = std::nullopt;
  if (!has_synonyms) return;
  for (const ConfigSynonym& synonym : config.synonyms)
    described.synonyms.push_back(
        {synonym.name, synonym.value, static_cast<std::int8_t>(synonym.source), {}});
}

ConfigAnswer check_authorization(const Turn& turn, const RequestContext& context,
                                 const Resource& resource) {
  constexpr Operation operation = Operation::describe_configs;
  const std::string& name = resource.resource_name;
  switch (static_cast<ConfigResource>(resource.resource_type)) {
    case ConfigResource::topic:
      if (allows_topic(turn, context, operation, name)) return {};
      return refused(ErrorCode::topic_authorization_failed, topic_denied_message);
    case ConfigResource::group:
      if (allows_group(turn, context, operation, name)) return {};
      return refused(ErrorCode::group_authorization_failed, group_denied_message);
    case ConfigResource::broker:
    case ConfigResource::broker_logger:
      break;
  }
  if (allows_cluster(turn, context, operation)) return {};
  return refused(ErrorCode::cluster_authorization_failed, cluster_denied_message);
}

}  // namespace

std::optional<int> parse_id(const std::string& text) {
  int id = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, id);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return id;
}

std::string logger_level(const ControllerView& controller, const std::string& broker_id) {
  const ConfigMap& levels = controller.config_of(ConfigResource::broker_logger, broker_id);
  const auto level = levels.find(root_logger);
  return level == levels.end() ? "INFO" : level->second;
}

void describe_configs(Broker& broker, Turn& turn, const RequestContext& context,
                      const DescribeConfigsRequest& request) {
  DescribeConfigsResponse response;
  // A resource of a type that Kafka does not know spoils the request for all.
  const bool is_malformed = std::ranges::any_of(request.resources, [](const Resource& it) {
    return !is_known(it.resource_type) && it.resource_type != resource_client_metrics;
  });
  for (const Resource& resource : request.resources) {
    Described& result = response.results.emplace_back();
    result.resource_type = resource.resource_type;
    result.resource_name = resource.resource_name;
    ConfigAnswer answer = check_authorization(turn, context, resource);
    if (is_malformed)
      answer = refused(ErrorCode::invalid_request, malformed_message);
    else if (answer.error == ErrorCode::none)
      answer = describe(turn, broker.id(), resource);
    result.error_code = answer.error;
    result.error_message = std::move(answer.message);
    const auto& wanted = resource.configuration_keys;
    const bool wants_all = !wanted || wanted->empty();
    for (const DescribedConfig& config : answer.configs)
      if (wants_all || std::ranges::find(*wanted, config.name) != wanted->end())
        add(config, request.include_synonyms, result);
  }
  broker.reply(context, response);
}

void list_config_resources(Broker& broker, Turn& turn, const RequestContext& context,
                           const ListConfigResourcesRequest& request) {
  ListConfigResourcesResponse response;
  if (!allows_cluster(turn, context, Operation::describe_configs)) {
    response.error_code = ErrorCode::cluster_authorization_failed;
    return broker.reply(context, response);
  }
  std::vector<std::int8_t> types = request.resource_types;
  // Version 0 lists the subscriptions to client metrics (KIP-714), of which there are none here.
  if (context.api_version == 0) types = {resource_client_metrics};
  if (types.empty()) types = {2, 4, 8, resource_client_metrics, 32};
  for (std::int8_t type : types)
    if (!is_known(type) && type != resource_client_metrics) {
      response.error_code = ErrorCode::unsupported_version;
      return broker.reply(context, response);
    }
  const auto wants = [&](ConfigResource type) {
    return std::ranges::count(types, static_cast<std::int8_t>(type)) > 0;
  };
  const auto list = [&](const std::string& name, ConfigResource type) {
    response.config_resources.push_back({name, static_cast<std::int8_t>(type), {}});
  };
  if (wants(ConfigResource::topic))
    for (const auto& [name, topic] : turn.controller.topics()) list(name, ConfigResource::topic);
  for (const BrokerAddress& address : turn.controller.brokers())
    for (ConfigResource type : {ConfigResource::broker, ConfigResource::broker_logger})
      if (wants(type)) list(std::to_string(address.id), type);
  if (wants(ConfigResource::group))
    for (const std::string& name : turn.controller.image()->configured(ConfigResource::group))
      list(name, ConfigResource::group);
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
