// DescribeConfigs: every configuration key of a topic with its value and where that comes from.
#include <algorithm>

#include "minibroker/handlers/handlers.h"
#include "minibroker/topic_configuration.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int8_t resource_topic = 2;
constexpr std::int8_t resource_broker = 4;
constexpr std::int8_t source_topic_config = 1;
constexpr std::int8_t source_default_config = 5;

using Resource = DescribeConfigsRequest::DescribeConfigsResource;
using Described = DescribeConfigsResponse::DescribeConfigsResult;

void describe_topic(const TopicImage& image, const Resource& resource, Described& out) {
  for (const TopicConfig& config : topic_configs()) {
    const auto& wanted = resource.configuration_keys;
    if (wanted && std::ranges::find(*wanted, config.name) == wanted->end()) continue;
    auto& described = out.configs.emplace_back();
    const auto set = image.config.find(std::string(config.name));
    const bool is_default = set == image.config.end();
    described.name = config.name;
    described.value = is_default ? std::string(config.default_value) : set->second;
    described.config_source = is_default ? source_default_config : source_topic_config;
    described.config_type = static_cast<std::int8_t>(config.type);
    described.documentation = std::nullopt;
  }
}

}  // namespace

void describe_configs(Broker& broker, Turn& turn, const RequestContext& context,
                      const DescribeConfigsRequest& request) {
  DescribeConfigsResponse response;
  for (const Resource& resource : request.resources) {
    Described& result = response.results.emplace_back();
    result.resource_type = resource.resource_type;
    result.resource_name = resource.resource_name;
    result.error_message = std::nullopt;
    if (resource.resource_type == resource_broker) continue;
    const TopicImage* image = turn.controller.find_topic(resource.resource_name);
    if (resource.resource_type != resource_topic)
      result.error_code = ErrorCode::invalid_request;
    else if (image == nullptr)
      result.error_code = ErrorCode::unknown_topic_or_partition;
    else
      describe_topic(*image, resource, result);
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
